/** Does one thing after the other, in the order in which they are asked for. */
export class Turns {
  private last: Promise<unknown> = Promise.resolve();

  take<T>(work: () => Promise<T>): Promise<T> {
    const done = this.last.then(work);
    // Who asked hears of a failure; the next one is not its victim.
    this.last = done.catch(() => undefined);
    return done;
  }
}
