/** Waiting times of the agent that are no settings. Tests shorten them. */
export interface AgentTimes {
  /** Audit files are copied to the spool when publishing has been held up for so long. */
  readonly spoolAfterMs: number;
  /** A record that may go on in another part is published as it is after so long without one. */
  readonly joinWaitMs: number;
  /** A block that stays bad for so long, while the audit went on, is damage and not a write in progress. */
  readonly badBlockWaitMs: number;
  readonly requestTimeoutMs: number;
  readonly retryFirstMs: number;
  readonly retryMaxMs: number;
  /** After a refused key: asking often would not mend it. */
  readonly refusedRetryMs: number;
  /** What all attempts for one request may take in a run that is to end. */
  readonly onceBudgetMs: number;
  /** How long a request in flight may still be answered when the agent is told to stop. */
  readonly stopGraceMs: number;
  /** A standing problem is said again after so long. */
  readonly repeatMs: number;
  /** A database whose work failed (a full disk, say) is tried again after so long. */
  readonly restartMs: number;
  /** Between two looks at whether a report is due. */
  readonly reportPollMs: number;
  /** Between two reports about one database, but for those that are due at once; and after one that failed. */
  readonly reportMinMs: number;
  /** A database is reported on after so long although nothing has changed. */
  readonly reportMaxMs: number;
  /** A service that knows no reports is asked again after so long: it may be a newer one by then. */
  readonly reportUnknownMs: number;
  readonly reportTimeoutMs: number;
  /** What the last report may take when the agent is told to stop. */
  readonly reportLastMs: number;
  /** Between two writes of the status file. */
  readonly statusMs: number;
  /** The status file is written after so long although nothing has changed: it shows that the agent lives. */
  readonly statusMaxMs: number;
}

export const AGENT_TIMES: AgentTimes = {
  spoolAfterMs: 10_000,
  joinWaitMs: 10_000,
  badBlockWaitMs: 30_000,
  requestTimeoutMs: 30_000,
  retryFirstMs: 500,
  retryMaxMs: 30_000,
  refusedRetryMs: 30_000,
  onceBudgetMs: 30_000,
  stopGraceMs: 3_000,
  repeatMs: 600_000,
  restartMs: 10_000,
  reportPollMs: 1_000,
  reportMinMs: 10_000,
  reportMaxMs: 60_000,
  reportUnknownMs: 3_600_000,
  reportTimeoutMs: 15_000,
  reportLastMs: 1_000,
  statusMs: 1_000,
  statusMaxMs: 10_000,
};
