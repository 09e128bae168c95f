import Redis from 'ioredis';
import type { Logger } from 'pino';
import { LIMITS } from '../../limits';
import type { Limiter, RateDecision } from './limiter';
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

interface WithAdmit extends Redis {
  admit(key: string, windowUs: number, limit: number): Promise<unknown>;
}

const COMMAND_TIMEOUT_MS = 500;
const PING_EVERY_MS = 2_000;

/**
 * The sliding window shared by all instances through Redis. While Redis is lost this instance decides by its
 * own log, which holds the calls it admitted all along, so that losing Redis never opens a fresh window.
 */
export class RedisLimiter implements Limiter {
  readonly #redis: WithAdmit;
  readonly #own: SlidingLog;
  readonly #pings: NodeJS.Timeout;
  #lost = false;

  constructor(
    url: string,
    private readonly log: Logger,
  ) {
    this.#own = new SlidingLog();
    const redis = new Redis(url, {
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      connectTimeout: 2_000,
      commandTimeout: COMMAND_TIMEOUT_MS,
      keepAlive: 10_000,
      retryStrategy: (attempt) => Math.min(100 * attempt, 1_000),
    });
    // Sent once, then called by its hash.
    redis.defineCommand('admit', { numberOfKeys: 1, lua: ADMIT });
    this.#redis = redis as WithAdmit;
    this.#redis.on('ready', () => this.#onFound());
    this.#redis.on('error', (error) => this.#onLost(error));
    this.#redis.on('close', () => this.#onLost(new Error('connection closed')));
    this.#pings = setInterval(() => this.#ping(), PING_EVERY_MS).unref();
  }

  /** Waits, for a bounded time, for the first connection, so that the first calls are already shared. */
  async connected(): Promise<void> {
    if (this.#redis.status === 'ready') return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, 2_000);
      const done = () => {
        clearTimeout(timer);
        resolve();
      };
      this.#redis.once('ready', done);
      this.#redis.once('error', done);
    });
  }

  get healthy(): boolean {
    return this.#redis.status === 'ready' && !this.#lost;
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
    clearInterval(this.#pings);
    this.#redis.removeAllListeners('close');
    this.#redis.disconnect();
  }

  /** A connection that went silent, or speaks again, tells nobody by itself. */
  #ping(): void {
    if (this.#redis.status !== 'ready') return;
    this.#redis.ping().then(
      () => this.#onFound(),
      (error) => this.#onLost(error),
    );
  }

  async #admitShared(key: string, limit: number): Promise<RateDecision | null> {
    if (this.#redis.status !== 'ready') return null;
    try {
      const window = LIMITS.rateWindowMs * 1000;
      const reply = await this.#redis.admit(`audit-activity:rate:${key}`, window, limit);
      this.#onFound();
      const [admitted, before, waitUs] = reply as [number, number, string];
      const remaining = admitted ? limit - before - 1 : 0;
      return {
        admitted: admitted === 1,
        limit,
        remaining,
        waitMs: Math.max(1, Math.ceil(Number(waitUs) / 1000) + 1),
      };
    } catch (error) {
      this.#onLost(error);
      return null;
    }
  }

  #onLost(error: unknown): void {
    if (this.#lost) return;
    this.#lost = true;
    this.log.warn(
      { err: error },
      'redis lost: rate limits are decided by this instance alone until it is back',
    );
  }

  #onFound(): void {
    if (!this.#lost) return;
    this.#lost = false;
    this.log.info('redis is back: rate limits are shared again');
  }
}
