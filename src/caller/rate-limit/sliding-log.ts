import { LRUCache } from 'lru-cache';
import { LIMITS } from '../../limits';
import type { Limiter, RateDecision } from './limiter';

const KEYS_MAX = 100_000;

/** The exact sliding window kept in this process: per key, the times of the calls admitted in the last window. */
export class SlidingLog implements Limiter {
  readonly healthy = true;
  readonly #logs: LRUCache<string, number[]>;

  /** @param keysMax keys remembered at once @param now milliseconds of a clock that never goes back */
  constructor(
    keysMax: number = KEYS_MAX,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.#logs = new LRUCache({ max: keysMax, ttl: 2 * LIMITS.rateWindowMs, updateAgeOnGet: true });
  }

  async admit(key: string, limit: number): Promise<RateDecision> {
    const decision = this.peek(key, limit);
    if (decision.admitted) this.record(key, this.now());
    return decision;
  }

  /** The decision `admit` would make, without counting the call. */
  peek(key: string, limit: number): RateDecision {
    const now = this.now();
    const log = this.#current(key, now);
    if (log.length < limit) {
      return {
        admitted: true,
        limit,
        remaining: limit - log.length - 1,
        waitMs: waitFor(log[0] ?? now, now),
      };
    }
    return { admitted: false, limit, remaining: 0, waitMs: waitFor(log[log.length - limit] ?? now, now) };
  }

  /** Counts a call that was admitted at `at`. */
  record(key: string, at: number): void {
    const log = this.#logs.get(key);
    if (log) log.push(at);
    else this.#logs.set(key, [at]);
  }

  async close(): Promise<void> {}

  #current(key: string, now: number): number[] {
    const log = this.#logs.get(key);
    if (!log) return [];
    let gone = 0;
    while (gone < log.length && now - (log[gone] ?? now) >= LIMITS.rateWindowMs) gone++;
    if (gone > 0) log.splice(0, gone);
    return log;
  }
}

/** A call leaves when a whole window has passed; the millisecond more covers rounding and coarse timers. */
const waitFor = (at: number, now: number) => Math.max(1, LIMITS.rateWindowMs + 1 - Math.floor(now - at));

/** `Retry-After`: whole seconds, at least 1, after which the call succeeds. */
export const retryAfterSeconds = (decision: RateDecision): number =>
  Math.max(1, Math.ceil(decision.waitMs / 1000));
