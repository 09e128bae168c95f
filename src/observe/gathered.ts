/**
 * A value that takes a question to gather: asked for at most every `keptMs`, never twice at once. A question that
 * fails leaves null until the next; it has to keep a deadline of its own.
 */
export class Gathered<T> {
  #value: T | null = null;
  #askedAt = Number.NEGATIVE_INFINITY;
  #open: Promise<void> | null = null;

  constructor(
    private readonly ask: () => Promise<T>,
    private readonly keptMs: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Null: not known. */
  get value(): T | null {
    return this.#value;
  }

  /** Never fails. */
  refresh(): Promise<void> {
    if (!this.#open && this.now() - this.#askedAt >= this.keptMs) {
      this.#askedAt = this.now();
      this.#open = this.ask()
        .then(
          (value) => {
            this.#value = value;
          },
          () => {
            this.#value = null;
          },
        )
        .finally(() => {
          this.#open = null;
        });
    }
    return this.#open ?? Promise.resolve();
  }
}
