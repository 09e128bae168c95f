import Redis from 'ioredis';
import type { Logger } from 'pino';

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
