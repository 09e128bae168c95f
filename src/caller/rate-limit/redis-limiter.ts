import { LIMITS } from '../../limits';
import type { Limiter, RateDecision } from './limiter';
import type { RedisLink } from './redis-link';
import { SlidingLog } from './sliding-log';

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
    // Noted with the time before the question, so that the own log never refuses what Redis would admit.
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
