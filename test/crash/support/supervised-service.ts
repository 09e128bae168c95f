import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { ChildService } from '../../support/child-service';
import { freePort } from '../../support/free-port';
import { until } from '../../support/until';
import { mistakesOf } from '../../support/watched-child';

/** A killed database needs some seconds before a service can start on it. */
const START_MS = 120_000;
/** A service at one address that is started again whenever it was killed, as a service manager does. */
export class SupervisedService {
  readonly #failedStarts: string[] = [];
  readonly #mistakes: string[][] = [];
  #starting: Promise<ChildService>;
  #process: ChildProcess | undefined;
  #isClosed = false;
  #isHeld = false;

  readonly #settings: Readonly<Record<string, string>>;

  private constructor(
    env: Readonly<Record<string, string>>,
    private readonly port: number,
  ) {
    this.#settings = { ...env, PORT: String(port) };
    this.#starting = this.#start();
  }

  static async open(env: Readonly<Record<string, string>>): Promise<SupervisedService> {
    const service = new SupervisedService(env, await freePort());
    await service.#starting;
    return service;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** What it did that nobody made it do. */
  get problems(): readonly string[] {
    return [...this.#failedStarts, ...this.#mistakes.flat()];
  }

  /** Once it answers. */
  get running(): Promise<ChildService> {
    return this.#starting;
  }

  /** Kills it wherever it is, in the midst of its start too; it is started again by itself. */
  async kill(): Promise<void> {
    const child = this.#process;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }

  /** Kills it, and starts it again when the work is done. */
  async whileStopped<T>(work: () => Promise<T>): Promise<T> {
    await this.#starting;
    this.#isHeld = true;
    await this.kill();
    try {
      return await work();
    } finally {
      this.#isHeld = false;
      this.#starting = this.#start();
      await this.#starting;
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.kill();
    await this.#starting.catch(() => {});
  }

  /** Again and again: it may find its database away, or be killed before it is up. */
  async #start(): Promise<ChildService> {
    const started = await until(
      () => ChildService.start(this.#settings, (child) => this.#watch(child)).catch(String),
      (service) => this.#isClosed || typeof service !== 'string',
      START_MS,
    );
    if (typeof started === 'string') throw new Error(started);
    return started;
  }

  #watch(child: ChildProcess): void {
    this.#process = child;
    let isUp = false;
    child.stdout?.once('data', () => {
      isUp = true;
    });
    this.#mistakes.push(mistakesOf(child));
    child.once('exit', () => {
      if (this.#isClosed || this.#isHeld || !isUp) return;
      this.#starting = this.#start();
      this.#starting.catch((error) => this.#failedStarts.push(`it does not start again: ${error}`));
    });
  }
}
