/** What a limiter says of one call. */
export interface RateDecision {
  readonly admitted: boolean;
  /** Calls in any window. */
  readonly limit: number;
  /** Calls that would still be admitted now. */
  readonly remaining: number;
  /** Milliseconds until the next change for the better: a refused call succeeds, or an admitted one leaves the window. */
  readonly waitMs: number;
}

/**
 * Port: admits at most `limit` calls of a key in any `LIMITS.rateWindowMs`, exactly: a log of admitted calls,
 * not a counter. Refused calls are not counted.
 */
export interface Limiter {
  admit(key: string, limit: number): Promise<RateDecision>;
  /** Whether decisions are shared between instances as configured. */
  readonly healthy: boolean;
  close(): Promise<void>;
}
