/** The progress of background tasks, as the database knows it. */
export interface Figures {
  /** Seconds by which the clock of the database is ahead of this instance's; below zero: behind. */
  readonly clockAheadSeconds: number;
  /** Deltas of ingested batches that are not folded yet. The count stops at a limit. */
  readonly unfoldedDeltas: number;
  /** Hours that are not indexed for search yet, or are to be indexed again. */
  readonly unindexedHours: number;
  /** Seconds since the change of the hour that has waited longest; null: none waits. */
  readonly unindexedSeconds: number | null;
  /** Sources that are not retired. */
  readonly sourceCount: number;
  /** Gaps of all sources together. */
  readonly gapCount: number;
  /** Sources whose agent named, in its last report, a problem that keeps it from publishing. */
  readonly problemCount: number;
  /** Sources in use whose agent is of another version than this instance. */
  readonly otherVersionCount: number;
  /** Weeks that lie in files, and the bytes of these files. */
  readonly sealedWeeks: number;
  readonly sealedBytes: number;
  /**
   * For each kind of key, the number of valid keys that nobody rotated and that expire within
   * `LIMITS.keyExpiresSoonMs`.
   */
  readonly expiringKeys: readonly { readonly kind: string; readonly count: number }[];
  /** The first sources that are not retired, in the order of tenant, host and database. */
  readonly sources: readonly SourceFigures[];
  /** How far rules have read the evidence log of each tenant. Tenants with the most waiting entries come first. */
  readonly detection: readonly {
    readonly tenantId: number;
    readonly position: number;
    /** Entries that rules have not read. */
    readonly waiting: number;
  }[];
  /** Alerts that are new or acknowledged; severity 1 to 4. */
  readonly openAlerts: readonly {
    readonly status: string;
    readonly severity: number;
    readonly count: number;
  }[];
  /** Notices of alerts that are not sent yet. */
  readonly waitingNotices: number;
  /** Seconds since the notice that has waited longest was noted; null: none waits. */
  readonly noticeSeconds: number | null;
}

export interface SourceFigures {
  readonly tenantId: number;
  readonly hostName: string;
  readonly databaseName: string;
  /** Seconds since the agent's last report. */
  readonly reportedSeconds: number;
  /** UTC text; null: the agent never caught up. */
  readonly caughtUpAt: string | null;
  readonly waitingBytes: number;
  readonly gapCount: number;
  readonly hasProblem: boolean;
  /** Seconds by which the agent's clock is ahead; below zero: behind; null: not known. */
  readonly clockAheadSeconds: number | null;
}
