/** The numbers of all advisory locks, so that no two parts of the service use the same one. */
export const ADVISORY_LOCKS = {
  migrations: 7_021_988_115,
  epoch: 7_021_988_117,
  firstOperatorKey: 702_301,
  /** Shared by whoever folds or indexes; alone to remove a week of every tenant. */
  everyTenant: 702_197,
  /**
   * With 0 as second number. An instance of a build before 0.1.0 asks for `hashtext('audit_event')`, which is this
   * number: both take turns during an upgrade.
   */
  newPartitions: -967_606_047,
  // Of one tenant each: its id is the second number.
  folding: 702_198,
  indexing: 702_199,
  evidenceLog: 702_200,
  reports: 702_201,
  /** With 0: of the drop of a week, which concerns every tenant. */
  holds: 702_202,
} as const;
