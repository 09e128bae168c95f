import { LIMITS } from './limits';

/**
 * Waits for work until a deadline. After the deadline it throws what `late` returns, and the work goes on unwatched.
 */
export async function within<T>(deadlineMs: number, late: () => unknown, work: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), deadlineMs);
  });
  try {
    return await Promise.race([work(), deadline]);
  } finally {
    clearTimeout(timer);
  }
}

/** A signal that is aborted when an answer is closed: it was sent, or its caller went away. */
export function whenClosed(answer: {
  readonly closed: boolean;
  once(event: 'close', then: () => void): unknown;
}): AbortSignal {
  const controller = new AbortController();
  if (answer.closed) controller.abort();
  else answer.once('close', () => controller.abort());
  return controller.signal;
}

/**
 * Gives up a wait after some time, or when the caller goes.
 * @param giveUp gets whether the time was over
 * @returns ends this, since the wait has ended in another way
 */
export function giveUpAfter(
  ms: number,
  gone: AbortSignal | undefined,
  giveUp: (isLate: boolean) => void,
): () => void {
  const end = (isLate: boolean) => {
    clear();
    giveUp(isLate);
  };
  const leave = () => end(false);
  const timer = setTimeout(end, ms, true);
  const clear = () => {
    clearTimeout(timer);
    gone?.removeEventListener('abort', leave);
  };
  gone?.addEventListener('abort', leave);
  return clear;
}

/** Interrupts long work every few milliseconds, so that other requests are served. */
export class Pauses {
  #since = performance.now();

  get isDue(): boolean {
    return performance.now() - this.#since >= LIMITS.workMs;
  }

  async take(): Promise<void> {
    if (!this.isDue) return;
    await new Promise<void>((next) => setImmediate(next));
    this.#since = performance.now();
  }

  /** Runs the steps of some work to the end, with pauses between them. */
  async between<T>(steps: Iterator<void, T>): Promise<T> {
    for (;;) {
      const step = steps.next();
      await this.take();
      if (step.done) return step.value;
    }
  }
}
