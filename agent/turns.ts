/** Runs some tasks at a time, in the order of the calls. The others wait. */
export class Turns {
  private readonly waiting: (() => void)[] = [];

  /** @param free the number of tasks that may run at a time */
  constructor(private free = 1) {}

  /** The caller gets a failure of its task. It does not affect the others. */
  async take<T>(task: () => Promise<T>): Promise<T> {
    if (this.free > 0) this.free--;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    try {
      return await task();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.free++;
    }
  }
}
