/**
 * A value that a slow question supplies. The question is asked at most every `keptMs`, and never twice at once. After a
 * failed question the value is null until the next one. The question must have its own deadline.
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

  /** Null: the value is not known. */
  get value(): T | null {
    return this.#value;
  }

  /** The promise is never rejected. */
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
