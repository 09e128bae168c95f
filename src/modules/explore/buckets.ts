import { clampTicks, DAY_MS, floorDiv, HOUR_MS, TICKS_PER_MS } from '../../event/event-time';
import type { TimeRange } from '../../event/query';
import type { HistogramBucket } from './explorer';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

/** Each width is a multiple of smaller ones, as far as clock and week allow. */
const WIDTHS_MS: readonly number[] = [
  ...[1, 2, 5, 10, 15, 30].map((n) => n * SECOND_MS),
  ...[1, 2, 5, 10, 15, 30].map((n) => n * MINUTE_MS),
  ...[1, 2, 3, 6, 12].map((n) => n * HOUR_MS),
  ...[1, 2, 7, 14, 28, 91, 182, 364].map((n) => n * DAY_MS),
];
const WIDEST_MS = 364 * DAY_MS;

/** A range with both ends, the start before the end. */
export interface ClosedRange {
  readonly from: bigint;
  readonly to: bigint;
}

/** Limits the range to the years that texts can state. @returns null if nothing is left */
export function closedRange({ from, to }: TimeRange): ClosedRange | null {
  if (from === null || to === null) return null;
  const range = { from: clampTicks(from), to: clampTicks(to) };
  return range.from < range.to ? range : null;
}

const ticksOf = (widthMs: number) => BigInt(widthMs) * TICKS_PER_MS;
const firstBucket = ({ from }: ClosedRange, widthMs: number) => floorDiv(from, ticksOf(widthMs));
const lastBucket = ({ to }: ClosedRange, widthMs: number) => floorDiv(to - 1n, ticksOf(widthMs));

/** The smallest width, of at least `atLeastMs`, that divides the range into at most `bucketsMax` buckets. */
export function fittingWidth(range: ClosedRange, bucketsMax: number, atLeastMs = 0): number {
  const count = (widthMs: number) => Number(lastBucket(range, widthMs) - firstBucket(range, widthMs)) + 1;
  const fits = (widthMs: number) => widthMs >= atLeastMs && count(widthMs) <= bucketsMax;
  const width = WIDTHS_MS.find(fits);
  if (width !== undefined) return width;
  let wide = WIDEST_MS;
  while (!fits(wide)) wide += WIDEST_MS;
  return wide;
}

/**
 * All buckets of a range.
 * @param counted by the number of the bucket: its start since 1970 in widths
 */
export function bucketsOf(
  range: ClosedRange,
  widthMs: number,
  counted: ReadonlyMap<number, { readonly succeeded: number; readonly failed: number }>,
): HistogramBucket[] {
  const width = ticksOf(widthMs);
  const buckets: HistogramBucket[] = [];
  for (let i = firstBucket(range, widthMs); i <= lastBucket(range, widthMs); i++) {
    const [start, end] = [i * width, (i + 1n) * width];
    const { succeeded, failed } = counted.get(Number(i)) ?? { succeeded: 0, failed: 0 };
    buckets.push({
      from: start > range.from ? start : range.from,
      to: end < range.to ? end : range.to,
      succeeded,
      failed,
    });
  }
  return buckets;
}
