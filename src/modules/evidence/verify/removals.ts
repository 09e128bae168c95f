import { parseTicks } from '../../../event/event-time';
import { ticksOfRecordId } from '../../../event/record-id';

/** A removal as the API answers it, or as it is stored. */
type RemovalTimes = { readonly events: number } & Readonly<
  Record<'from' | 'to' | 'before' | 'lastRunAt', string | Date>
>;

const isoOf = (time: string | Date) => (typeof time === 'string' ? time : time.toISOString());
const day = (time: string | Date) => isoOf(time).slice(0, 'YYYY-MM-DD'.length);
const ticks = (time: string | Date) => parseTicks(isoOf(time)) ?? 0n;

/** What retention removed since there is a log. */
export class Removals {
  readonly #ranges: readonly { readonly from: bigint; readonly to: bigint; readonly before: bigint }[];
  readonly events: number;

  /** @param since when the log was signed first; runs are known by the day */
  constructor(removals: readonly RemovalTimes[], since: string) {
    const counted = removals.filter(({ lastRunAt }) => day(lastRunAt) >= day(since));
    this.#ranges = counted.map(({ from, to, before }) => ({
      ...{ from: ticks(from), to: ticks(to), before: ticks(before) },
    }));
    this.events = counted.reduce((sum, { events }) => sum + events, 0);
  }

  explain(recordId: string): boolean {
    const time = ticksOfRecordId(recordId);
    return this.#ranges.some(({ from, to, before }) => time >= from && time < to && time < before);
  }
}
