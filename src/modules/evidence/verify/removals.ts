import { LAST_MS, parseTicks, TICKS_PER_MS } from '../../../event/event-time';
import { ticksOfRecordId } from '../../../event/record-id';

/** The times of a removal, as the API answers them or as they are stored. */
type RemovalTimes = { readonly events: number } & Readonly<
  Record<'from' | 'to' | 'before' | 'lastRunAt', string | Date>
>;

const isoOf = (time: string | Date) => (typeof time === 'string' ? time : time.toISOString());
const day = (time: string | Date) => isoOf(time).slice(0, 'YYYY-MM-DD'.length);
const ticks = (time: string | Date) => parseTicks(isoOf(time)) ?? 0n;
/** The end of a time range. The last time that can be stated ends none: no event is later. */
const endTicks = (time: string | Date) =>
  ticks(time) + (Date.parse(isoOf(time)) === LAST_MS ? TICKS_PER_MS : 0n);

/** The removals by retention since the log exists. */
export class Removals {
  readonly #ranges: readonly { readonly from: bigint; readonly to: bigint; readonly before: bigint }[];
  readonly events: number;

  /** @param since when the log was first signed; the times of runs are known by the day */
  constructor(removals: readonly RemovalTimes[], since: string) {
    const counted = removals.filter(({ lastRunAt }) => day(lastRunAt) >= day(since));
    this.#ranges = counted.map(({ from, to, before }) => ({
      from: ticks(from),
      to: endTicks(to),
      before: endTicks(before),
    }));
    this.events = counted.reduce((sum, { events }) => sum + events, 0);
  }

  explain(recordId: string): boolean {
    const time = ticksOfRecordId(recordId);
    return this.#ranges.some(({ from, to, before }) => time >= from && time < to && time < before);
  }
}
