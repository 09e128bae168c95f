/** How waits grow from one failure to the next. */
export interface Growth {
  readonly firstMs: number;
  readonly mostMs: number;
}

const DOUBLINGS_MAX = 30;

/** The first wait, and twice as long after each further failure. @param failures in a row, at least 1 */
export const grownMs = ({ firstMs, mostMs }: Growth, failures: number): number =>
  Math.min(firstMs * 2 ** Math.min(failures - 1, DOUBLINGS_MAX), mostMs);

interface Rest {
  readonly failures: number;
  readonly beganMs: number;
  readonly ms: number;
}

/** Leaves things alone for a while after they failed, so that the others need not wait for them. */
export class Rests<Key> {
  readonly #rests = new Map<Key, Rest>();

  /** @param nowMs a clock that may be set: after it was ahead, nothing rests for longer than was meant */
  constructor(private readonly nowMs: () => number = () => performance.now()) {}

  /** Notes a failure. @param waitMs how long to rest, of the number of failures in a row @returns that time */
  failed(key: Key, waitMs: (failures: number) => number): number {
    const failures = (this.#rests.get(key)?.failures ?? 0) + 1;
    const ms = waitMs(failures);
    this.#rests.set(key, { failures, beganMs: this.nowMs(), ms });
    return ms;
  }

  /** Forgets the failures: the thing works, or is gone. */
  end(key: Key): void {
    this.#rests.delete(key);
  }

  /** Forgets those that are gone. */
  keepOnly(there: ReadonlySet<Key>): void {
    for (const key of this.#rests.keys()) if (!there.has(key)) this.#rests.delete(key);
  }

  /** Those that rest now. */
  get resting(): Key[] {
    return [...this.#rests.keys()].filter((key) => this.isResting(key));
  }

  isResting(key: Key): boolean {
    const rest = this.#rests.get(key);
    if (!rest) return false;
    const passedMs = this.nowMs() - rest.beganMs;
    return passedMs >= 0 && passedMs < rest.ms;
  }
}
