import { DAY_MS, floorDiv, HOUR_MS, TICKS_PER_MS } from '../../event/event-time';
import type { Zone } from '../../event/zone';
import { LIMITS } from '../../limits';
import { type ClosedRange, fittingWidth } from './buckets';
import type { HistogramBucket } from './explorer';

type Outcomes = Pick<HistogramBucket, 'succeeded' | 'failed'>;

/** Buckets of whole days of a zone, and the width of smaller buckets of UTC whose sums they are. */
export interface ZoneDays {
  /** Ticks: each bucket's begin, the first one at or before that of the range. */
  readonly starts: readonly bigint[];
  readonly partMs: number;
}

const PARTS_MS = [HOUR_MS, HOUR_MS / 4];

/**
 * The buckets of some days of a zone. Like those of UTC, they are counted from 1970 on.
 * @param widthMs whole days
 * @returns null where no number of small buckets makes a day of the zone, or where they would be too many
 */
export function zoneDays(range: ClosedRange, widthMs: number, zone: Zone): ZoneDays | null {
  const days = widthMs / DAY_MS;
  const [fromMs, toMs] = [
    Number(floorDiv(range.from, TICKS_PER_MS)),
    Number(floorDiv(range.to, TICKS_PER_MS)),
  ];
  // Where hours are too many already, no day is looked for: a caller may ask for all years that texts can state.
  if ((toMs - fromMs) / HOUR_MS > LIMITS.histogramPartsMax) return null;
  const dayOf = (ms: number) => Math.floor((ms + zone.offsetMs(ms)) / DAY_MS);
  const startMs: number[] = [];
  for (let day = Math.floor(dayOf(fromMs) / days) * days; ; day += days) {
    const ms = zone.instantOf(day * DAY_MS);
    if (BigInt(ms) * TICKS_PER_MS >= range.to) break;
    // A zone that changes its date may leave a day out.
    if (ms !== startMs.at(-1)) startMs.push(ms);
  }
  const partMs = PARTS_MS.find((part) => startMs.every((ms) => ms % part === 0));
  if (partMs === undefined || (toMs - fromMs) / partMs > LIMITS.histogramPartsMax) return null;
  return { starts: startMs.map((ms) => BigInt(ms) * TICKS_PER_MS), partMs };
}

/**
 * The buckets of days of a zone that are at most so many.
 * @param width of buckets of UTC
 * @returns null: the buckets are shorter than days, or as `zoneDays`
 */
export function fittingDays(
  range: ClosedRange,
  asked: { readonly width: number; readonly bucketsMax: number; readonly zone: Zone | null },
): { readonly widthMs: number; readonly days: ZoneDays } | null {
  const { width, bucketsMax, zone } = asked;
  if (zone === null || width % DAY_MS !== 0) return null;
  let widthMs = width;
  let days = zoneDays(range, widthMs, zone);
  // Days of the zone may be one more than those of UTC.
  while (days && days.starts.length > bucketsMax) {
    widthMs = fittingWidth(range, bucketsMax, widthMs + 1);
    days = zoneDays(range, widthMs, zone);
  }
  return days && { widthMs, days };
}

/** The buckets of these days. @param counted by the number of the small bucket */
export function bucketsOfDays(
  range: ClosedRange,
  { starts, partMs }: ZoneDays,
  counted: ReadonlyMap<number, Outcomes>,
): HistogramBucket[] {
  const part = BigInt(partMs) * TICKS_PER_MS;
  return starts.map((start, i) => {
    const end = starts[i + 1] ?? range.to;
    let [succeeded, failed] = [0, 0];
    for (let n = start / part; n * part < end; n++) {
      const outcomes = counted.get(Number(n));
      succeeded += outcomes?.succeeded ?? 0;
      failed += outcomes?.failed ?? 0;
    }
    return { from: i === 0 ? range.from : start, to: end, succeeded, failed };
  });
}
