import { LIMITS } from '../../limits';
import type { ArrivalReader } from './arrival-reader';

interface Waiter {
  /** Entries of each log that the waiter knows of. */
  readonly known: ReadonlyMap<number, number>;
  readonly end: (isNew: boolean) => void;
}

/**
 * Tells those who wait that something was appended to a log. One look at the ends of the logs every
 * `LIMITS.arrivalLookMs` serves all of them, and none while nobody waits: whoever waits holds no connection and no turn.
 */
export class NewArrivals {
  readonly #waiters = new Set<Waiter>();
  #timer: NodeJS.Timeout | null = null;

  /** @param reader on the door of requests: a background task that takes long must not keep those who wait from the news */
  constructor(private readonly reader: Pick<ArrivalReader, 'sizes'>) {}

  /** Those who wait now. */
  get waiting(): number {
    return this.#waiters.size;
  }

  /**
   * @param known entries of each log, as the caller has read them
   * @returns true as soon as one of the logs has more; false: it was not told so in that time, which does not mean that
   * nothing came, or `signal` was aborted
   */
  wait(known: ReadonlyMap<number, number>, ms: number, signal?: AbortSignal): Promise<boolean> {
    if (ms <= 0 || signal?.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      const giveUp = () => waiter.end(false);
      const timer = setTimeout(giveUp, ms);
      const waiter: Waiter = {
        known,
        end: (isNew) => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', giveUp);
          this.#waiters.delete(waiter);
          resolve(isNew);
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
        if ([...known].some(([tenantId, size]) => (sizes.get(tenantId) ?? 0) > size)) end(true);
    } catch {
      // The next look tells; and all read in the end, and are told of the failure then.
    }
    this.#timer = null;
    if (this.#waiters.size > 0) this.#lookSoon();
  }
}
