import { LIMITS } from './limits';

/** The value of some work, or what `late` makes when it takes longer: the work goes on, and nobody waits for it. */
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

/** Resolves when an answer has left, or its caller has. */
export function whenClosed(answer: {
  readonly closed: boolean;
  once(event: 'close', then: () => void): unknown;
}): Promise<void> {
  return new Promise((resolve) => {
    if (answer.closed) resolve();
    else answer.once('close', resolve);
  });
}

/** Lets others be served every few milliseconds of a long work. */
export class Pauses {
  #since = performance.now();

  async take(): Promise<void> {
    if (performance.now() - this.#since < LIMITS.workMs) return;
    await new Promise<void>((next) => setImmediate(next));
    this.#since = performance.now();
  }

  /** Takes the steps of a work, with pauses between them. */
  async between<T>(steps: Iterator<void, T>): Promise<T> {
    for (;;) {
      const step = steps.next();
      await this.take();
      if (step.done) return step.value;
    }
  }
}
