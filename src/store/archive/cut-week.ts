import { HOUR_MS, TICKS_PER_MS } from '../../event/event-time';
import type { AuditEventFilter, TimeRange } from '../../event/query';
import { recordIdFloor } from '../../event/record-id';
import { cutHours } from '../columns/evaluate';
import { floorOfWeek } from '../rows/partitions';
import type { SealedWeeks } from './archive';
import type { ListedFile } from './file-cache';
import type { Stretch, TallyRow } from './questions';

export const weekOf = ({ week }: ListedFile): Stretch => ({
  from: floorOfWeek(week),
  to: floorOfWeek(week + 1),
});
const [FIRST_ID, LAST_ID] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY].map(floorOfWeek) as [
  string,
  string,
];
/** The record ids of a range. */
export const stretchOf = ({ from, to }: TimeRange): Stretch => ({
  from: from === null ? FIRST_ID : recordIdFloor(from),
  to: to === null ? LAST_ID : recordIdFloor(to),
});

const TICKS_PER_HOUR = BigInt(HOUR_MS) * TICKS_PER_MS;
/** Of an hour with more events, the counts by millisecond would take too much memory. */
const KEPT_BY_MS_MAX = 2_000;

/**
 * Counts the events of a file that a bound of the range cuts, by window of whole hours. A range that ends now begins a
 * moment later in the next question, so what is kept are the counts of the file by hour, and of a cut hour by millisecond.
 * @param windowMs null: one window
 */
export async function countCutWeek(
  sealed: SealedWeeks,
  file: ListedFile,
  filter: AuditEventFilter,
  windowMs: number | null,
): Promise<readonly TallyRow[]> {
  const { tenantId, sha256 } = file;
  const week = weekOf(file);
  const count = (range: TimeRange, stretch: Stretch, unitMs: number) =>
    sealed.tally(tenantId, { ...filter, ...range }, [stretch], {
      windowMs: unitMs,
      fields: [],
      ofValues: null,
    });
  const known = (unitMs: number, stretch: Stretch, hour?: number) =>
    sealed.counts.of(
      ...([tenantId, [sha256], { filter, windowMs: unitMs, ...(hour !== undefined && { hour }) }] as const),
      () => count({ from: null, to: null }, stretch, unitMs),
    );
  const inWindows = (rows: readonly TallyRow[], unitMs: number) =>
    rows.map((row) => ({ ...row, w: windowMs === null ? 0 : Math.floor((row.w * unitMs) / windowMs) }));
  const hours = await known(HOUR_MS, week);
  const counted = inWindows(hours.filter(isWithin(filter, HOUR_MS)), HOUR_MS);
  for (const hour of new Set(cutHours(filter))) {
    const events = hours.find(({ w }) => w === hour)?.n ?? 0;
    if (events === 0) continue;
    const stretch = stretchOf({ from: ticksOf(hour), to: ticksOf(hour + 1) });
    const rows =
      events <= KEPT_BY_MS_MAX && isOfWholeMs(filter)
        ? inWindows((await known(1, stretch, hour)).filter(isWithin(filter, 1)), 1)
        : inWindows(await count(filter, stretch, HOUR_MS), HOUR_MS);
    counted.push(...rows);
  }
  return counted;
}

const isOfWholeMs = ({ from, to }: TimeRange) =>
  [from, to].every((bound) => bound === null || bound % TICKS_PER_MS === 0n);

/** Whether the window of a count lies in a range as a whole. */
const isWithin =
  ({ from, to }: TimeRange, unitMs: number) =>
  ({ w }: TallyRow): boolean => {
    const unit = BigInt(unitMs) * TICKS_PER_MS;
    const first = BigInt(w) * unit;
    return (from === null || first >= from) && (to === null || first + unit <= to);
  };

const ticksOf = (hour: number) => BigInt(hour) * TICKS_PER_HOUR;
