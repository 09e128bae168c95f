import { Worker } from 'node:worker_threads';
import { type EngineHost, LocalHost } from './host';

type Method = 'open' | 'learn' | 'evaluate' | 'forget';
export interface Question {
  readonly id: number;
  readonly method: Method;
  readonly values: readonly unknown[];
}
export interface Reply {
  readonly id: number;
  readonly value?: unknown;
  readonly error?: string;
}

/** An engine did not answer: the rules of its tenant cost too much, or the thread has ended. */
export class EngineFailure extends Error {
  override readonly name = 'EngineFailure';
}

/**
 * Work should take about one second. A question unanswered for this long comes from a rule that does not end in time.
 */
const SILENCE_MS = 30_000;

/** Memory for all engines of one host, in addition to the service's own. */
const HEAP_MB = 150;
const YOUNG_HEAP_MB = 16;

/**
 * Runs engines on a separate thread, so that requests do not wait for rules. A new thread replaces one that ends.
 * Questions open at that moment fail, and their callers open their engines again.
 */
class ThreadHost implements EngineHost {
  constructor(private readonly heapMb: number) {}

  #worker: Worker | null = null;
  #count = 0;
  readonly #waiting = new Map<
    number,
    { resolve: (value: unknown) => void; reject: (error: Error) => void }
  >();

  open(...values: Parameters<EngineHost['open']>) {
    return this.#ask<Awaited<ReturnType<EngineHost['open']>>>('open', values);
  }

  learn(...values: Parameters<EngineHost['learn']>) {
    return this.#ask<Awaited<ReturnType<EngineHost['learn']>>>('learn', values);
  }

  evaluate(...values: Parameters<EngineHost['evaluate']>) {
    return this.#ask<Awaited<ReturnType<EngineHost['evaluate']>>>('evaluate', values);
  }

  async forget(tenantId: number): Promise<void> {
    if (this.#worker) await this.#ask<void>('forget', [tenantId]);
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  #ask<T>(method: Method, values: readonly unknown[]): Promise<T> {
    this.#worker ??= this.#start();
    const worker = this.#worker;
    this.#count += 1;
    const id = this.#count;
    const late = setTimeout(() => void worker.terminate(), SILENCE_MS).unref();
    return new Promise<T>((resolve, reject) => {
      this.#waiting.set(id, { resolve: resolve as (value: unknown) => void, reject });
      worker.postMessage({ id, method, values } satisfies Question);
    }).finally(() => clearTimeout(late));
  }

  #start(): Worker {
    const worker = new Worker(THREAD_FILE, {
      resourceLimits: { maxOldGenerationSizeMb: this.heapMb, maxYoungGenerationSizeMb: YOUNG_HEAP_MB },
    });
    worker.unref();
    worker.on('message', ({ id, value, error }: Reply) => {
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (error === undefined) waiting?.resolve(value);
      else waiting?.reject(new EngineFailure(error));
    });
    const end = (error: Error) => {
      if (this.#worker !== worker) return;
      this.#worker = null;
      for (const { reject } of this.#waiting.values()) reject(new EngineFailure(error.message));
      this.#waiting.clear();
    };
    worker.on('error', end);
    worker.on('exit', (code) => end(new Error(`the thread of the rules ended with ${code}`)));
    return worker;
  }
}

const THREAD_FILE = `${__dirname}/thread.js`;

/**
 * Uses a separate thread in the compiled service. A thread cannot load TypeScript, so without a build engines run here.
 */
export const openHost = (heapMb = HEAP_MB): EngineHost =>
  __filename.endsWith('.js') ? new ThreadHost(heapMb) : new LocalHost();
