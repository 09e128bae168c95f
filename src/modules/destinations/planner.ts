import { LIMITS } from '../../limits';
import {
  type ArrivalReader,
  type ArrivedEvent,
  removedBefore,
} from '../../store/log/arrivals/arrival-reader';
import type { Bounds, Item } from './batch';

/** The events of the next batch. */
export interface Planned extends Bounds {
  readonly items: readonly Item[];
  /** The number of positions within the bounds whose event is gone. */
  readonly removed: number;
  /** True if the log ended behind these events when they were read. */
  readonly isEnd: boolean;
}

/** The least number of positions that one statement reads. It reads as many as a batch takes, or more if few match. */
const READ_AT_LEAST = 64;
const READ_AT_MOST = 1_024;

/** Reads the events of a destination that pass its filter, in its format. */
export class Planner {
  constructor(
    private readonly feed: Pick<ArrivalReader, 'read' | 'marks'>,
    private readonly tenantId: number,
    /** @returns null if the filter excludes the event */
    private readonly toItem: (arrived: ArrivedEvent) => Item | null,
  ) {}

  /**
   * Reads the next batch from a position on. Without items, its bounds are the positions that were read in vain: the
   * work of one call is bounded.
   * @param eventsMax at least 1
   */
  async next(from: number, eventsMax: number): Promise<Planned> {
    const max = { events: eventsMax, bytes: LIMITS.destinationBatchBytes };
    return this.#read(from, from + LIMITS.destinationScanMax, max);
  }

  /** The hash of the last entry of a batch; empty: the log has none. */
  async markOf({ to }: Bounds): Promise<string> {
    const marks = await this.feed.marks(new Map([[this.tenantId, to]]));
    return marks.get(this.tenantId) ?? '';
  }

  /** Reads a batch again by its bounds. Only events that retention has removed since are missing. */
  async again({ from, to }: Bounds): Promise<Planned> {
    const all = { events: Number.MAX_SAFE_INTEGER, bytes: Number.MAX_SAFE_INTEGER };
    return this.#read(from, to, { ...all, end: to });
  }

  /**
   * @param max its `end` limits how far a removed beginning of the log is skipped; without it, that is the end of the
   * log
   */
  async #read(
    from: number,
    end: number,
    max: { readonly events: number; readonly bytes: number; readonly end?: number },
  ): Promise<Planned> {
    const { events: eventsMax, bytes: bytesMax } = max;
    const items: Item[] = [];
    let [at, removed, bytes] = [from, 0, 0];
    let stretch = Math.max(READ_AT_LEAST, Math.min(eventsMax, READ_AT_MOST));
    while (at < end) {
      const positions = Math.min(end - at, stretch);
      const page = await this.feed.read(this.tenantId, at, {
        positions,
        events: positions,
        bytes: LIMITS.destinationBatchBytes,
        ...(max.end !== undefined && { end: max.end }),
      });
      for (const arrived of page.items) {
        const item = this.toItem(arrived);
        if (!item) continue;
        // The event that is one too many begins the next batch. The positions before it belong to this one.
        if (items.length === eventsMax || (items.length > 0 && bytes + item.json.length > bytesMax)) {
          return {
            from,
            to: arrived.position,
            items,
            isEnd: false,
            removed: removed + removedBefore(page, arrived.position),
          };
        }
        items.push(item);
        bytes += item.json.length;
      }
      removed += page.removed;
      const isEnd = page.next >= page.size;
      if (isEnd || page.next === at) return { from, to: page.next, items, removed, isEnd };
      at = page.next;
      if (items.length >= eventsMax || bytes >= bytesMax) break;
      stretch = Math.min(stretch * 2, READ_AT_MOST);
    }
    return { from, to: at, items, removed, isEnd: false };
  }
}
