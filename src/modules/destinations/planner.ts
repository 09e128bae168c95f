import { LIMITS } from '../../limits';
import type { ArrivalReader, ArrivedEvent } from '../../trail/arrivals/arrival-reader';
import type { Bounds, Item } from './batch';

/** Events that are to be sent together. */
export interface Planned extends Bounds {
  readonly items: readonly Item[];
  /** Positions within the bounds whose event is gone. */
  readonly removed: number;
  /** Nothing has arrived behind it yet. */
  readonly isEnd: boolean;
}

/** Positions read by one statement: as many as a batch takes, more where few match. */
const READ_AT_LEAST = 64;
const READ_AT_MOST = 1_024;

/** Reads a destination's events: those its filter lets through, in its format. */
export class Planner {
  constructor(
    private readonly feed: Pick<ArrivalReader, 'read'>,
    private readonly tenantId: number,
    /** Null: the filter does not let it through. */
    private readonly toItem: (arrived: ArrivedEvent) => Item | null,
  ) {}

  /**
   * The next batch from a position on. Without items its bounds are what was gone through in vain: work is bounded.
   * @param eventsMax at least 1
   */
  async next(from: number, eventsMax: number): Promise<Planned> {
    const max = { events: eventsMax, bytes: LIMITS.destinationBatchBytes };
    return this.#read(from, from + LIMITS.destinationScanMax, max);
  }

  /** The batch of these bounds as it was, but for events that retention has removed since. */
  async again({ from, to }: Bounds): Promise<Planned> {
    const all = { events: Number.MAX_SAFE_INTEGER, bytes: Number.MAX_SAFE_INTEGER };
    return this.#read(from, to, { ...all, end: to });
  }

  /** @param max `end`: the log's removed beginning is passed as far as that, else to its end */
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
        ...{ positions, events: positions },
        bytes: LIMITS.destinationBatchBytes,
        ...(max.end !== undefined && { end: max.end }),
      });
      for (const arrived of page.items) {
        const item = this.toItem(arrived);
        if (!item) continue;
        // The one too many is where the next batch begins; what is between belongs to this one.
        if (items.length === eventsMax || (items.length > 0 && bytes + item.json.length > bytesMax)) {
          const isBefore = ({ position }: ArrivedEvent) => position < arrived.position;
          const found = page.items.filter(isBefore).length;
          return {
            ...{ from, to: arrived.position, items, isEnd: false },
            removed: removed + (page.removed > 0 ? arrived.position - at - found : 0),
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
