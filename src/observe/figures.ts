/** What the database knows of how far the work in the background has come. */
export interface Figures {
  /** Counts of ingested batches not folded yet: beyond some number no more are counted. */
  readonly unfoldedDeltas: number;
  /** Hours not indexed for search yet, or to be indexed again. */
  readonly unindexedHours: number;
  /** Seconds since the one of them that waits longest was changed; null: none waits. */
  readonly unindexedSeconds: number | null;
  readonly sourceCount: number;
  /** Of all sources. */
  readonly gapCount: number;
  /** Sources whose agent said at its last report that something keeps it from publishing. */
  readonly problemCount: number;
  /** Of each kind of key, how many valid ones that nobody rotated expire within `LIMITS.keyExpiresSoonMs`. */
  readonly expiringKeys: readonly { readonly kind: string; readonly count: number }[];
  /** The first by tenant, host and database. */
  readonly sources: readonly SourceFigures[];
  /** How far rules have looked at the evidence log of tenants; those with the most before them first. */
  readonly detection: readonly {
    readonly tenantId: number;
    readonly position: number;
    /** Entries they have not passed. */
    readonly waiting: number;
  }[];
  /** Alerts that are new or acknowledged; severity 1 to 4. */
  readonly openAlerts: readonly {
    readonly status: string;
    readonly severity: number;
    readonly count: number;
  }[];
  /** What is still to be told of alerts. */
  readonly waitingNotices: number;
  /** Seconds since the one that waits longest was noted; null: none waits. */
  readonly noticeSeconds: number | null;
}

export interface SourceFigures {
  readonly tenantId: number;
  readonly hostName: string;
  readonly databaseName: string;
  /** Seconds since its agent last reported. */
  readonly reportedSeconds: number;
  /** UTC text; null: never caught up. */
  readonly caughtUpAt: string | null;
  readonly waitingBytes: number;
  readonly gapCount: number;
  readonly hasProblem: boolean;
}
