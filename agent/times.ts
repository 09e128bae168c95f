/** Waiting times of the agent that nobody can configure. Tests shorten them. */
export interface AgentTimes {
  /** Audit files are copied to the spool after publishing has been held up for this time. */
  readonly spoolAfterMs: number;
  /** A record that waits for another part for this time is published incomplete. */
  readonly joinWaitMs: number;
  /** A block that stays unreadable for this time is damaged, and not a write in progress. */
  readonly badBlockWaitMs: number;
  readonly requestTimeoutMs: number;
  /** The longest time for one request to an object store. */
  readonly storeTimeoutMs: number;
  /** The same for an address of the host or container itself, which gives credentials. */
  readonly metadataTimeoutMs: number;
  /** The wait before a request to a store is repeated; twice as long after each further failure. */
  readonly storeRetryMs: number;
  /** A record waits for this time for its next part, which may come with an object that is not there yet. */
  readonly storedJoinWaitMs: number;
  readonly retryFirstMs: number;
  readonly retryMaxMs: number;
  /** Time between two requests without events to a service that refuses the key, or refuses everything. */
  readonly refusedRetryMs: number;
  /** The longest time for all attempts of one request in a single run. */
  readonly onceBudgetMs: number;
  /** The longest time for a request in flight after the agent was told to stop. */
  readonly stopGraceMs: number;
  /** A lasting problem is logged again after this time. */
  readonly repeatMs: number;
  /** After an error of the agent itself (a full disk, say), work on a database is tried again after this time. */
  readonly restartMs: number;
  /** Time between two checks whether a report is due. */
  readonly reportPollMs: number;
  /** Least time between two reports on one database, unless one is due at once; also the pause after a failed report. */
  readonly reportMinMs: number;
  /** A report on a database is sent after this time even if nothing has changed. */
  readonly reportMaxMs: number;
  /** A service that does not know reports is asked again after this time, since it may have been upgraded. */
  readonly reportUnknownMs: number;
  /** A gap in files that several hosts share is reported after this time. */
  readonly sharedGapWaitMs: number;
  readonly reportTimeoutMs: number;
  /** The longest time for the last report after the agent was told to stop. */
  readonly reportLastMs: number;
  /** Time between two questions whether the agent's key is due for renewal. */
  readonly keyCheckMs: number;
  /** Time between two looks at the package that the service offers. */
  readonly packagePollMs: number;
  /** A download that failed is tried again after this time. */
  readonly packageRetryMs: number;
  /** A package that has ended by itself is started again after this time. */
  readonly packageRestartMs: number;
  /** The longest time for an agent to end that its launcher has told to stop. */
  readonly packageStopMs: number;
  /** Least time between two writes of the status file. */
  readonly statusMs: number;
  /** The status file is written after this time even if nothing has changed, to show that the agent runs. */
  readonly statusMaxMs: number;
}

export const AGENT_TIMES: AgentTimes = {
  spoolAfterMs: 10_000,
  joinWaitMs: 10_000,
  badBlockWaitMs: 30_000,
  requestTimeoutMs: 30_000,
  storeTimeoutMs: 60_000,
  metadataTimeoutMs: 2_000,
  storeRetryMs: 250,
  storedJoinWaitMs: 24 * 3_600_000,
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
  sharedGapWaitMs: 120_000,
  reportTimeoutMs: 15_000,
  reportLastMs: 1_000,
  keyCheckMs: 300_000,
  packagePollMs: 1_000,
  packageRetryMs: 60_000,
  packageRestartMs: 2_000,
  packageStopMs: 15_000,
  statusMs: 1_000,
  statusMaxMs: 10_000,
};
