import { LRUCache } from 'lru-cache';
import { LIMITS } from '../../limits';
import type { RedisLink } from './redis-link';

/** The decision of a limiter about one call. */
export interface RateDecision {
  readonly admitted: boolean;
  /** The number of calls permitted in any window. */
  readonly limit: number;
  /** The number of calls that would still be admitted now. */
  readonly remaining: number;
  /** Milliseconds until the next improvement: a refused call would succeed, or an admitted call leaves the window. */
  readonly waitMs: number;
}

/**
 * Port: admits at most `limit` calls of a key in any `LIMITS.rateWindowMs`, exactly: a log of admitted calls,
 * not a counter. Refused calls are not counted.
 */
export interface Limiter {
  admit(key: string, limit: number): Promise<RateDecision>;
  /** Whether instances share decisions as configured. */
  readonly healthy: boolean;
  close(): Promise<void>;
}

const KEYS_MAX = 100_000;

/** The exact sliding window in this process: for each key, the times of the calls admitted in the last window. */
export class SlidingLog implements Limiter {
  readonly healthy = true;
  readonly #logs: LRUCache<string, number[]>;

  /** @param keysMax the most keys to remember @param now milliseconds of a monotonic clock */
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

  /** The decision that `admit` would make, without counting the call. */
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

/** A call leaves the window after its full length. One more millisecond covers rounding and coarse timers. */
const waitFor = (at: number, now: number) => Math.max(1, LIMITS.rateWindowMs + 1 - Math.floor(now - at));

/** `Retry-After`: whole seconds, at least 1, after which the call succeeds. */
export const retryAfterSeconds = (decision: RateDecision): number =>
  Math.max(1, Math.ceil(decision.waitMs / 1000));

/**
 * One atomic step on Redis' own clock (µs): drop the calls that left the window, then admit or refuse.
 * Replies {admitted, calls in the window before this one, time of the call whose leaving counts, now}.
 */
const ADMIT = `
local t = redis.call('TIME')
local now = t[1] * 1000000 + t[2]
local window, limit = tonumber(ARGV[1]), tonumber(ARGV[2])
local first = redis.call('LINDEX', KEYS[1], 0)
while first and now - tonumber(first) >= window do
  redis.call('LPOP', KEYS[1])
  first = redis.call('LINDEX', KEYS[1], 0)
end
local n = redis.call('LLEN', KEYS[1])
if n >= limit then
  local wait = tonumber(redis.call('LINDEX', KEYS[1], n - limit)) + window - now
  return {0, n, string.format('%.0f', wait)}
end
redis.call('RPUSH', KEYS[1], string.format('%.0f', now))
redis.call('PEXPIRE', KEYS[1], math.ceil(window / 1000) + 1000)
local wait = window
if first then wait = tonumber(first) + window - now end
return {1, n, string.format('%.0f', wait)}`;

type Reply = [admitted: number, before: number, waitUs: string];

/**
 * The sliding window shared by all instances through Redis. While Redis is lost this instance decides by its
 * own log, which holds the calls it admitted all along, so that losing Redis never opens a fresh window.
 */
export class RedisLimiter implements Limiter {
  readonly #own = new SlidingLog();
  readonly #ask: (key: string, windowUs: number, limit: number) => Promise<Reply | null>;

  constructor(private readonly link: RedisLink) {
    this.#ask = link.script<Reply>('admit', ADMIT);
  }

  get healthy(): boolean {
    return this.link.healthy;
  }

  async admit(key: string, limit: number): Promise<RateDecision> {
    const before = performance.now();
    const own = this.#own.peek(key, limit);
    if (!own.admitted) return own;
    const decision = await this.#admitShared(key, limit);
    if (!decision) return this.#own.admit(key, limit);
    // Recorded with the time before the request, so that the own log never refuses what Redis would admit.
    if (decision.admitted) this.#own.record(key, before);
    return decision;
  }

  async close(): Promise<void> {
    this.link.close();
  }

  async #admitShared(key: string, limit: number): Promise<RateDecision | null> {
    const reply = await this.#ask(`audit-activity:rate:${key}`, LIMITS.rateWindowMs * 1000, limit);
    if (!reply) return null;
    const [admitted, before, waitUs] = reply;
    const remaining = admitted ? limit - before - 1 : 0;
    return {
      admitted: admitted === 1,
      limit,
      remaining,
      waitMs: Math.max(1, Math.ceil(Number(waitUs) / 1000) + 1),
    };
  }
}
