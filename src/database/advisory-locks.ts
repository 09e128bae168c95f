/**
 * The numbers of all advisory locks, so that no two parts of the service use the same one. The lock of new partitions
 * (`Partitions`) has the hash of a table's name.
 */
export const ADVISORY_LOCKS = {
  migrations: 7_021_988_115,
  epoch: 7_021_988_117,
  firstOperatorKey: 702_301,
  /** Shared by whoever folds or indexes; alone to remove a week of every tenant. */
  everyTenant: 702_197,
  // Of one tenant each: its id is the second number.
  folding: 702_198,
  indexing: 702_199,
  evidenceLog: 702_200,
} as const;
