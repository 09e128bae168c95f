import { type ChildProcess, fork } from 'node:child_process';
import { type DomainError, serviceUnavailable } from '../../errors';

/** The process ended with questions open. */
export class WorkerEnded extends Error {
  override readonly name = 'WorkerEnded';
}

interface Question {
  readonly id: number;
  readonly method: string;
  readonly values: readonly unknown[];
}
interface Reply {
  readonly id: number;
  readonly value?: unknown;
  readonly error?: string;
}
interface Waiting {
  resolve(value: unknown): void;
  reject(error: DomainError): void;
}

/**
 * A process that answers questions. A new one replaces one that ends. It gets no variable of the environment, so it
 * knows no secret. Questions open when it ends fail.
 */
export class AskedProcess {
  #child: ChildProcess | null = null;
  #count = 0;
  readonly #waiting = new Map<number, Waiting>();

  constructor(
    private readonly parts: {
      /** The compiled file that answers. */
      readonly file: string;
      readonly arguments: readonly string[];
      readonly heapMb: number;
      /** A question unanswered for this long is one that does not end in time. */
      readonly silenceMs: number;
    },
  ) {}

  /** @param silenceMs of a question that may take longer than others */
  ask<T>(method: string, values: readonly unknown[], silenceMs = this.parts.silenceMs): Promise<T> {
    this.#child ??= this.#start();
    const child = this.#child;
    this.#count += 1;
    const id = this.#count;
    const late = setTimeout(() => void child.kill('SIGKILL'), silenceMs).unref();
    return new Promise<T>((resolve, reject) => {
      this.#waiting.set(id, { resolve: resolve as (value: unknown) => void, reject });
      child.send({ id, method, values } satisfies Question, (error) => {
        if (!error) return;
        this.#waiting.delete(id);
        reject(serviceUnavailable(error));
      });
    }).finally(() => clearTimeout(late));
  }

  async close(): Promise<void> {
    const child = this.#child;
    if (!child) return;
    const ended = new Promise((resolve) => void child.once('exit', resolve));
    child.disconnect();
    const late = setTimeout(() => void child.kill('SIGKILL'), CLOSE_MS);
    await ended;
    clearTimeout(late);
  }

  #start(): ChildProcess {
    const { file, heapMb } = this.parts;
    const child = fork(file, [...this.parts.arguments], {
      serialization: 'advanced',
      env: {},
      execArgv: [`--max-old-space-size=${heapMb}`],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    child.unref();
    child.channel?.unref();
    child.on('message', (message) => {
      const { id, value, error } = message as Reply;
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (error === undefined) waiting?.resolve(value);
      else waiting?.reject(serviceUnavailable(new Error(error)));
    });
    const end = (error: Error) => {
      if (this.#child !== child) return;
      this.#child = null;
      for (const { reject } of this.#waiting.values()) reject(serviceUnavailable(error));
      this.#waiting.clear();
    };
    child.on('error', end);
    child.on('exit', (code, signal) =>
      end(new WorkerEnded(`the reader of files ended with ${code ?? signal}`)),
    );
    return child;
  }
}

const CLOSE_MS = 5_000;

/** Answers the questions that arrive in this process, each by the method of its name. */
export function answerParentWith(target: object): void {
  process.on('message', (message) => {
    const { id, method, values } = message as Question;
    const answer = (reply: Omit<Reply, 'id'>) => process.send?.({ id, ...reply });
    const call = (target as Record<string, (...given: readonly unknown[]) => Promise<unknown>>)[method];
    if (!call) return answer({ error: `there is no ${method}` });
    call.apply(target, values as unknown[]).then(
      (value) => answer({ value }),
      (error: unknown) => answer({ error: error instanceof Error ? error.message : String(error) }),
    );
  });
  // The service has ended, however it did. An exit would wait for calls of the file system that nothing answers.
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
}
