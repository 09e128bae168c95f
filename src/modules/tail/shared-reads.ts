import { LIMITS } from '../../limits';

/**
 * Reads that many calls need at the same moment: all calls that wait at a place wake at once, and read the same. The
 * first one reads for all. What is read of a log does not change. A result is kept for as long as waiting calls may
 * learn of news later than others.
 */
export class SharedReads<T> {
  readonly #reads = new Map<string, Promise<T>>();

  run(key: string, read: () => Promise<T>): Promise<T> {
    const known = this.#reads.get(key);
    if (known) return known;
    const reading = read();
    this.#reads.set(key, reading);
    const forget = () => this.#reads.delete(key);
    reading.then(() => setTimeout(forget, LIMITS.arrivalLookMs).unref(), forget);
    return reading;
  }
}
