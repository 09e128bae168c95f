import { LIMITS } from '../../limits';
import {
  type Arrivals,
  type ArrivedEvent,
  type ArrivedText,
  removedBefore,
} from '../../store/log/arrivals/arrival-reader';
import type { TailPlace } from './cursor';

/** An event, or its JSON text if texts were asked for and the event is not needed for the filter. */
export type TailItem = ArrivedEvent | ArrivedText;

/** The state of one call: the events read so far and the positions. */
export class Walk {
  readonly items: TailItem[] = [];
  readonly positions: Map<number, number>;
  readonly epoch: string;
  /** Of the entries before the positions (`markOf`); null: not asked for yet. */
  mark: string | null;
  readonly #filter: Buffer;
  #turn: number;
  caughtUp = false;
  removed = 0;
  passed = 0;
  bytes = 0;

  constructor({ positions, turn, filter, epoch, mark }: TailPlace) {
    this.epoch = epoch;
    this.mark = mark;
    this.positions = new Map(positions);
    this.#turn = turn;
    this.#filter = filter;
  }

  /** Whether it found nothing and is at the end. */
  get isWithout(): boolean {
    return this.items.length === 0 && this.caughtUp;
  }

  get place(): TailPlace {
    const { positions, epoch, mark } = this;
    return { positions, turn: this.#turn, filter: this.#filter, epoch, mark };
  }

  isBeyond(sizes: ReadonlyMap<number, number>): boolean {
    return [...this.positions].some(([tenantId, position]) => position > (sizes.get(tenantId) ?? 0));
  }

  isAtEnd(sizes: ReadonlyMap<number, number>): boolean {
    return [...this.positions].every(([tenantId, position]) => position === sizes.get(tenantId));
  }

  mayGoOn(limit: number): boolean {
    return (
      this.items.length < limit && this.passed < LIMITS.tailPositionsMax && this.bytes < LIMITS.tailReadBytes
    );
  }

  /** The positions to read, beginning with the tenant whose turn it is. */
  places(): { tenantId: number; from: number }[] {
    const all = [...this.positions].map(([tenantId, from]) => ({ tenantId, from }));
    const first = Math.max(
      0,
      all.findIndex(({ tenantId }) => tenantId >= this.#turn),
    );
    return [...all.slice(first), ...all.slice(0, first)];
  }

  /** Takes the matching events of a span, as far as there is room. The next call reads the rest. */
  async take(
    arrivals: Arrivals<TailItem>,
    {
      limit,
      matches,
      isEnough,
    }: {
      readonly limit: number;
      readonly matches: ((item: TailItem) => Promise<boolean>) | null;
      /** Whether to stop comparing for now. */
      readonly isEnough: () => boolean;
    },
  ): Promise<void> {
    const { tenantId, from, items, skipped, bytes } = arrivals;
    let [next, events] = [arrivals.next, 0];
    const taken: TailItem[] = [];
    for (const item of items) {
      // At least one event, since the reader could otherwise never pass it.
      if (this.items.length + taken.length === limit || (matches && events > 0 && isEnough())) {
        next = item.position;
        break;
      }
      events++;
      if (!matches || (await matches(item))) taken.push(item);
    }
    // A comparison may fail, so items and positions change together.
    for (const item of taken) this.items.push(item);
    if (next !== this.positions.get(tenantId)) this.mark = null;
    this.positions.set(tenantId, next);
    this.removed += removedBefore(arrivals, next);
    this.passed += next - from - skipped;
    this.bytes += bytes;
    if (next > from) this.#turn = tenantId + 1;
  }
}
