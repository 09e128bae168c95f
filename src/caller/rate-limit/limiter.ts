import Redis from 'ioredis';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { LIMITS } from '../../limits';

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
  /** Counts so many further calls, for one that was admitted. */
  charge(key: string, calls: number): Promise<void>;
  /** Whether instances share decisions as configured. */
  readonly healthy: boolean;
  close(): Promise<void>;
}

const KEYS_MAX = 100_000;

/** The clock of the windows in this process. Tests hold it, so that no window ends while a slow machine makes its calls. */
export const WINDOW_CLOCK = { nowMs: () => performance.now() };

/** The exact sliding window in this process: for each key, the times of the calls admitted in the last window. */
export class SlidingLog implements Limiter {
  readonly healthy = true;
  readonly #logs: LRUCache<string, number[]>;

  /** @param keysMax the most keys to remember @param now milliseconds of a monotonic clock */
  constructor(
    keysMax: number = KEYS_MAX,
    private readonly now: () => number = () => WINDOW_CLOCK.nowMs(),
  ) {
    this.#logs = new LRUCache({ max: keysMax, ttl: 2 * LIMITS.rateWindowMs, updateAgeOnGet: true });
  }

  async admit(key: string, limit: number): Promise<RateDecision> {
    const decision = this.peek(key, limit);
    if (decision.admitted) this.record(key, this.now());
    return decision;
  }

  async charge(key: string, calls: number): Promise<void> {
    for (let i = 0; i < calls; i++) this.record(key, this.now());
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

const COMMAND_TIMEOUT_MS = 500;
/** What the client says when no answer came within this time. */
const TIMED_OUT = 'Command timed out';
const PING_EVERY_MS = 2_000;
/** What a ping writes: a Redis that is full answers, and counts nothing. */
const PING_KEY = 'audit-activity:ping';
const PING_KEY_MS = 10_000;

/** The connection to the Redis that instances share. While it is lost, each instance decides on its own. */
export class RedisLink {
  readonly #redis: Redis;
  readonly #pings: NodeJS.Timeout;
  #lost = false;
  /** Whether it did not answer in time, and has not answered since. */
  #silent = false;

  /** @param ca of the server's certificate; null: those that Node.js trusts */
  constructor(
    url: string,
    private readonly log: Logger,
    ca: string | null = null,
    pingEveryMs = PING_EVERY_MS,
  ) {
    this.#redis = new Redis(url, {
      // The client looks at the letters of the URL, which may be capitals.
      ...(new URL(url).protocol === 'rediss:' && { tls: ca === null ? {} : { ca } }),
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      connectTimeout: 2_000,
      commandTimeout: COMMAND_TIMEOUT_MS,
      keepAlive: 10_000,
      retryStrategy: (attempt) => Math.min(100 * attempt, 1_000),
    });
    this.#redis.on('ready', () => this.#onFound());
    this.#redis.on('error', (error) => this.#onLost(error));
    this.#redis.on('close', () => this.#onLost(new Error('connection closed')));
    this.#pings = setInterval(() => void this.#ping(), pingEveryMs).unref();
  }

  /** Waits a bounded time for the first connection, so that the first calls are shared too. */
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

  /**
   * Prepares one atomic step, which is sent once and then called by its hash.
   * @returns a function that runs it and returns null if Redis is lost
   */
  script<T>(name: string, lua: string): (key: string, ...values: (string | number)[]) => Promise<T | null> {
    this.#redis.defineCommand(name, { numberOfKeys: 1, lua });
    return (...values) =>
      this.ask((redis) =>
        (redis as unknown as Record<string, (...of: (string | number)[]) => Promise<T>>)[name]?.(...values),
      );
  }

  /** @returns null if Redis is lost. Once it did not answer in time, only the pings wait for it */
  async ask<T>(command: (redis: Redis) => Promise<T> | undefined): Promise<T | null> {
    return this.#silent ? null : this.#send(command);
  }

  /** Sends what nobody waits for. */
  tell(command: (redis: Redis) => Promise<unknown>): void {
    void this.#send(command);
  }

  /** A connection that goes silent does not report it by itself. */
  async #send<T>(command: (redis: Redis) => Promise<T> | undefined): Promise<T | null> {
    if (this.#redis.status !== 'ready') return null;
    try {
      return (await command(this.#redis)) ?? null;
    } catch (error) {
      if (error instanceof Error && error.message === TIMED_OUT) this.#silent = true;
      this.#onLost(error);
      return null;
    }
  }

  close(): void {
    clearInterval(this.#pings);
    this.#redis.removeAllListeners('close');
    this.#redis.disconnect();
  }

  async #ping(): Promise<void> {
    const reply = await this.#send((redis) => redis.set(PING_KEY, '', 'PX', PING_KEY_MS));
    if (reply !== null) this.#onFound();
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
    this.#silent = false;
    if (!this.#lost) return;
    this.#lost = false;
    this.log.info('redis is back: rate limits are shared again');
  }
}

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

/** On the same clock: counts ARGV[2] further calls. */
const CHARGE = `
local t = redis.call('TIME')
local now = string.format('%.0f', t[1] * 1000000 + t[2])
for i = 1, tonumber(ARGV[2]) do redis.call('RPUSH', KEYS[1], now) end
redis.call('PEXPIRE', KEYS[1], math.ceil(tonumber(ARGV[1]) / 1000) + 1000)
return 1`;

const WINDOW_US = LIMITS.rateWindowMs * 1000;
const nameOf = (key: string) => `audit-activity:rate:${key}`;

type Reply = [admitted: number, before: number, waitUs: string];

/**
 * The sliding window shared by all instances through Redis. While Redis is lost this instance decides by its
 * own log, which holds the calls it admitted all along, so that losing Redis never opens a fresh window.
 */
export class RedisLimiter implements Limiter {
  readonly #own = new SlidingLog();
  readonly #ask: (key: string, windowUs: number, limit: number) => Promise<Reply | null>;

  readonly #charge: (key: string, windowUs: number, calls: number) => Promise<number | null>;

  constructor(private readonly link: RedisLink) {
    this.#ask = link.script<Reply>('admit', ADMIT);
    this.#charge = link.script<number>('charge', CHARGE);
  }

  get healthy(): boolean {
    return this.link.healthy;
  }

  async admit(key: string, limit: number): Promise<RateDecision> {
    const before = WINDOW_CLOCK.nowMs();
    const own = this.#own.peek(key, limit);
    if (!own.admitted) return own;
    const decision = await this.#admitShared(key, limit);
    if (!decision) return this.#own.admit(key, limit);
    // Recorded with the time before the request, so that the own log never refuses what Redis would admit.
    if (decision.admitted) this.#own.record(key, before);
    return decision;
  }

  async charge(key: string, calls: number): Promise<void> {
    if (calls === 0) return;
    await this.#own.charge(key, calls);
    await this.#charge(nameOf(key), WINDOW_US, calls);
  }

  async close(): Promise<void> {
    this.link.close();
  }

  async #admitShared(key: string, limit: number): Promise<RateDecision | null> {
    const reply = await this.#ask(nameOf(key), WINDOW_US, limit);
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
