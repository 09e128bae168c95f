import { AskedThread } from '../../asked-thread';
import { type FileMaker, LocalFileMaker, type Made, type MadeEnd } from './run-files';

/** Memory for the files of all runs that are being made, in addition to the service's own. */
const HEAP_MB = 256;
/** A page of rows with the texts that are made of it dies young, and is not copied again and again while it is in use. */
const YOUNG_HEAP_MB = 48;
/** A page of rows takes less than a tenth of a second, also as PDF. Other runs may be before it. */
const SILENCE_MS = 60_000;
/** A thread without work gives its memory back after this time. */
const IDLE_MS = 60_000;

/** Makes files on a separate thread, so that requests do not wait for it. A run whose thread ends fails. */
export class ThreadFileMaker implements FileMaker {
  readonly #thread: AskedThread;
  readonly #runs = new Set<number>();
  #idle: NodeJS.Timeout | undefined;

  /** @param file the compiled program of the thread */
  constructor(
    file = `${__dirname}/file-thread.js`,
    private readonly idleMs = IDLE_MS,
  ) {
    this.#thread = new AskedThread({
      file,
      heapMb: HEAP_MB,
      youngHeapMb: YOUNG_HEAP_MB,
      silenceMs: SILENCE_MS,
    });
  }

  get isRunning(): boolean {
    return this.#thread.isRunning;
  }

  begin(...values: Parameters<FileMaker['begin']>) {
    clearTimeout(this.#idle);
    this.#runs.add(values[0]);
    return this.#thread.ask<Made>('begin', values);
  }

  rows(...values: Parameters<FileMaker['rows']>) {
    return this.#thread.ask<Made>('rows', values);
  }

  write(...values: Parameters<FileMaker['write']>) {
    return this.#thread.ask<Made>('write', values);
  }

  end(...values: Parameters<FileMaker['end']>) {
    return this.#thread.ask<MadeEnd>('end', values);
  }

  async forget(run: number): Promise<void> {
    if (this.#runs.delete(run) && this.#runs.size === 0)
      this.#idle = setTimeout(() => void this.close(), this.idleMs).unref();
    if (this.#thread.isRunning) await this.#thread.ask<void>('forget', [run]);
  }

  close(): Promise<void> {
    clearTimeout(this.#idle);
    return this.#thread.close();
  }
}

/** Uses a separate thread in the compiled service. A thread cannot load TypeScript, so without a build files are made here. */
export const openFileMaker = (): FileMaker =>
  __filename.endsWith('.js') ? new ThreadFileMaker() : new LocalFileMaker();
