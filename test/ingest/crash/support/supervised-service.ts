import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { ChildService } from '../../../support/child-service';
import { freePort } from '../../../support/free-port';
import { until } from '../../../support/until';
import { mistakesOf } from '../../../support/watched-child';

/** A service cannot start until its killed database has recovered, which takes some seconds. */
const START_MS = 120_000;
/** A service at a fixed address that starts again after each kill, as under a service manager. */
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

  /** Failed starts and unexpected errors, which no kill explains. */
  get problems(): readonly string[] {
    return [...this.#failedStarts, ...this.#mistakes.flat()];
  }

  /** Resolves when the service answers. */
  get running(): Promise<ChildService> {
    return this.#starting;
  }

  /** Kills the service at any point, also during its start. The service then starts again by itself. */
  async kill(): Promise<void> {
    const child = this.#process;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }

  /** Kills the service, runs `work`, and starts the service again. */
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

  /** Tries repeatedly: the database may still be away, or the service may be killed during the start. */
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
