/** Waiting times of the agent that nobody can configure. Tests shorten them. */
export interface AgentTimes {
  /** Audit files are copied to the spool after publishing has been held up for so long. */
  readonly spoolAfterMs: number;
  /** A record that waits for another part for so long is published as it is. */
  readonly joinWaitMs: number;
  /** A block that stays bad for so long is damaged, and no write in progress. */
  readonly badBlockWaitMs: number;
  readonly requestTimeoutMs: number;
  readonly retryFirstMs: number;
  readonly retryMaxMs: number;
  /** Between two requests without events to a service that refuses the key, or everything. */
  readonly refusedRetryMs: number;
  /** All attempts for one request may take so long in a run that is to end. */
  readonly onceBudgetMs: number;
  /** A request in flight may take so long after the agent was told to stop. */
  readonly stopGraceMs: number;
  /** A lasting problem is logged again after so long. */
  readonly repeatMs: number;
  /** After an error of the agent itself (a full disk, say), a database is tried again after so long. */
  readonly restartMs: number;
  /** Between two checks whether a report is due. */
  readonly reportPollMs: number;
  /** Between two reports on one database, unless one is due at once; and after a report that failed. */
  readonly reportMinMs: number;
  /** A database is reported on after so long although nothing has changed. */
  readonly reportMaxMs: number;
  /** A service that knows no reports is asked again after so long: it may have been upgraded by then. */
  readonly reportUnknownMs: number;
  readonly reportTimeoutMs: number;
  /** The last report may take so long after the agent was told to stop. */
  readonly reportLastMs: number;
  /** Between two writes of the status file. */
  readonly statusMs: number;
  /** The status file is written after so long even if nothing has changed: it shows that the agent runs. */
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
