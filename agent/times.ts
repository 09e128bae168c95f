/** Waiting times of the agent that are no settings. Tests shorten them. */
export interface AgentTimes {
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
}

export const AGENT_TIMES: AgentTimes = {
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
};
