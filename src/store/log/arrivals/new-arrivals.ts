import { LIMITS } from '../../../limits';
import type { ArrivalReader } from './arrival-reader';

/** The number of entries of each log. */
type Sizes = ReadonlyMap<number, number>;

interface Waiter {
  /** The number of entries of each log that the waiter knows. */
  readonly known: Sizes;
  readonly end: (sizes: Sizes | null) => void;
}

/**
 * Tells waiting calls that something was appended to a log. One look at the ends of the logs every
 * `LIMITS.arrivalLookMs` serves all waiting calls; nobody looks while no call waits. A waiting call holds no connection
 * and no turn.
 */
export class NewArrivals {
  readonly #waiters = new Set<Waiter>();
  #timer: NodeJS.Timeout | null = null;

  /** @param reader one that uses the connections of requests: a long background task must not delay waiting calls */
  constructor(private readonly reader: Pick<ArrivalReader, 'sizes'>) {}

  /** The number of calls that wait now. */
  get waiting(): number {
    return this.#waiters.size;
  }

  /**
   * @param known number of entries of each log that the caller has read
   * @returns the numbers as soon as one of the logs has more; null: no news in that time, although something may have
   * come, or `signal` was aborted
   */
  wait(known: Sizes, ms: number, signal?: AbortSignal): Promise<Sizes | null> {
    if (ms <= 0 || signal?.aborted) return Promise.resolve(null);
    return new Promise((resolve) => {
      const giveUp = () => waiter.end(null);
      const timer = setTimeout(giveUp, ms);
      const waiter: Waiter = {
        known,
        end: (sizes) => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', giveUp);
          this.#waiters.delete(waiter);
          resolve(sizes);
        },
      };
      signal?.addEventListener('abort', giveUp);
      this.#waiters.add(waiter);
      this.#lookSoon();
    });
  }

  #lookSoon(): void {
    this.#timer ??= setTimeout(() => void this.#look(), LIMITS.arrivalLookMs).unref();
  }

  async #look(): Promise<void> {
    const waiters = [...this.#waiters];
    const tenants = new Set(waiters.flatMap(({ known }) => [...known.keys()]));
    try {
      const sizes = await this.reader.sizes([...tenants]);
      for (const { known, end } of waiters)
        if ([...known].some(([tenantId, size]) => (sizes.get(tenantId) ?? 0) > size)) end(sizes);
    } catch {
      // The next look finds what came. All waiting calls read at their end anyway, and that read reports the failure.
    }
    this.#timer = null;
    if (this.#waiters.size > 0) this.#lookSoon();
  }
}
