import { type MessagePort, parentPort, Worker } from 'node:worker_threads';

export interface Question {
  readonly id: number;
  readonly method: string;
  readonly values: readonly unknown[];
}
export interface Reply {
  readonly id: number;
  readonly value?: unknown;
  readonly error?: string;
}

/** A thread did not answer: what it was asked takes too long or too much memory, or the thread has ended. */
export class ThreadFailure extends Error {
  override readonly name = 'ThreadFailure';
}

/** Of the young generation, if nothing else is given. */
const YOUNG_HEAP_MB = 16;
/** A thread that is not ready after this time is ended. On a busy machine it takes some seconds to load its files. */
const START_MS = 60_000;
/** The number of no question: the thread is ready. */
const READY = 0;

const endAfter = (worker: Worker, ms: number) => setTimeout(() => void worker.terminate(), ms).unref();

/**
 * A thread that answers questions one after the other, so that requests do not wait for its work. A new thread replaces
 * one that ends. Questions open at that moment fail.
 */
export class AskedThread {
  #worker: Worker | null = null;
  /** Of the worker. */
  #ready: Promise<void> = Promise.resolve();
  #count = 0;
  readonly #waiting = new Map<
    number,
    { resolve: (value: unknown) => void; reject: (error: Error) => void }
  >();

  constructor(
    private readonly parts: {
      /** The compiled file that answers. */
      readonly file: string;
      readonly heapMb: number;
      readonly youngHeapMb?: number;
      /** A question unanswered for this long is one that does not end in time. The start of the thread does not count. */
      readonly silenceMs: number;
      /** What the thread gets when it starts (`workerData`). */
      readonly given?: unknown;
    },
  ) {}

  get isRunning(): boolean {
    return this.#worker !== null;
  }

  /** Starts the thread if it does not run. @returns when it has loaded its files */
  ready(): Promise<void> {
    this.#worker ??= this.#start();
    return this.#ready;
  }

  ask<T>(method: string, values: readonly unknown[]): Promise<T> {
    this.#worker ??= this.#start();
    const worker = this.#worker;
    this.#count += 1;
    const id = this.#count;
    let late: NodeJS.Timeout | undefined;
    this.#ready.then(
      () => {
        late = endAfter(worker, this.parts.silenceMs);
      },
      () => {},
    );
    return new Promise<T>((resolve, reject) => {
      this.#waiting.set(id, { resolve: resolve as (value: unknown) => void, reject });
      worker.postMessage({ id, method, values } satisfies Question);
    }).finally(() => clearTimeout(late));
  }

  /** Ends the thread. The next question starts another one. */
  async close(): Promise<void> {
    const worker = this.#worker;
    if (!worker) return;
    this.#ended(worker, 'the thread was closed');
    await worker.terminate();
  }

  #start(): Worker {
    const worker = new Worker(this.parts.file, {
      workerData: this.parts.given,
      resourceLimits: {
        maxOldGenerationSizeMb: this.parts.heapMb,
        maxYoungGenerationSizeMb: this.parts.youngHeapMb ?? YOUNG_HEAP_MB,
      },
    });
    worker.unref();
    const late = endAfter(worker, START_MS);
    this.#ready = new Promise<void>((resolve, reject) => {
      this.#waiting.set(READY, { resolve: () => resolve(), reject });
    }).finally(() => clearTimeout(late));
    this.#ready.catch(() => {});
    worker.on('message', ({ id, value, error }: Reply) => {
      // A thread that was closed may still say that it is ready.
      if (this.#worker !== worker) return;
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (error === undefined) waiting?.resolve(value);
      else waiting?.reject(new ThreadFailure(error));
    });
    worker.on('error', (error) => this.#ended(worker, error.message));
    worker.on('exit', (code) => this.#ended(worker, `the thread ended with ${code}`));
    return worker;
  }

  #ended(worker: Worker, why: string): void {
    if (this.#worker !== worker) return;
    this.#worker = null;
    for (const { reject } of this.#waiting.values()) reject(new ThreadFailure(why));
    this.#waiting.clear();
  }
}

/** Says that this thread is ready, and answers the questions that arrive on it, each by the method of its name. */
export function answerWith(target: object, port: MessagePort | null = parentPort): void {
  port?.on('message', ({ id, method, values }: Question) => {
    const answer = (reply: Omit<Reply, 'id'>) => port.postMessage({ id, ...reply });
    // The other side took the arguments from the type of the method of this name, so they fit.
    const call = (target as Record<string, (...given: readonly unknown[]) => Promise<unknown>>)[method];
    if (!call) return answer({ error: `there is no ${method}` });
    call.apply(target, values as unknown[]).then(
      (value) => answer({ value }),
      (error: unknown) => answer({ error: error instanceof Error ? error.message : String(error) }),
    );
  });
  port?.postMessage({ id: READY } satisfies Reply);
}
