import { floorDiv, TICKS_PER_MS } from '../../event/event-time';
import type { TimeRange } from '../../event/query';

const TICKS_PER_HOUR = 3_600_000n * TICKS_PER_MS;
export const HOURS_PER_DAY = 24;

/** A span of whole buckets, in hours since 1970, half-open; null is unbounded. */
export interface HourSpan {
  readonly from: number | null;
  readonly to: number | null;
}

/** A span of hours in buckets of so many; its ends are borders of buckets. */
export const inBuckets = ({ from, to }: HourSpan, hours: number): HourSpan => ({
  from: from === null ? null : from / hours,
  to: to === null ? null : to / hours,
});

/** How a time range is counted: whole days and hours from the counts, what is left from the events themselves. */
export interface Pieces {
  readonly days: HourSpan | null;
  readonly hours: readonly HourSpan[];
  readonly direct: readonly TimeRange[];
}

/** The one span that neighbouring spans make up; null: there are none. */
export function spanOf(spans: readonly HourSpan[]): HourSpan | null {
  if (spans.length === 0) return null;
  const froms = spans.map(({ from }) => from ?? Number.NEGATIVE_INFINITY);
  const tos = spans.map(({ to }) => to ?? Number.POSITIVE_INFINITY);
  const [from, to] = [Math.min(...froms), Math.max(...tos)];
  return { from: Number.isFinite(from) ? from : null, to: Number.isFinite(to) ? to : null };
}

/**
 * Cuts a time range into the fewest buckets.
 * @param hourly whether counts by the hour exist for what is asked
 */
export function cutRange({ from, to }: TimeRange, hourly: boolean): Pieces {
  const start = from === null ? null : Number(ceilDiv(from, TICKS_PER_HOUR));
  const end = to === null ? null : Number(floorDiv(to, TICKS_PER_HOUR));
  const days = {
    from: start === null ? null : Math.ceil(start / HOURS_PER_DAY) * HOURS_PER_DAY,
    to: end === null ? null : Math.floor(end / HOURS_PER_DAY) * HOURS_PER_DAY,
  };
  const hasDays = isSpan(days);
  const hours = !hourly ? [] : hasDays ? besides({ from: start, to: end }, days) : [{ from: start, to: end }];
  const whole = hourly ? { from: start, to: end } : days;
  const direct = isSpan(whole) ? remainder({ from, to }, whole) : [{ from, to }];
  return { days: hasDays ? days : null, hours: hours.filter(isSpan), direct: direct.filter(isRange) };
}

const isSpan = ({ from, to }: HourSpan) => from === null || to === null || from < to;
const isRange = ({ from, to }: TimeRange) => from === null || to === null || from < to;

/** What of the outer span lies before and after the inner one. */
function besides(outer: HourSpan, inner: HourSpan): HourSpan[] {
  const before = inner.from === null ? [] : [{ from: outer.from, to: inner.from }];
  const after = inner.to === null ? [] : [{ from: inner.to, to: outer.to }];
  return [...before, ...after];
}

function remainder({ from, to }: TimeRange, whole: HourSpan): TimeRange[] {
  const before = from === null || whole.from === null ? [] : [{ from, to: ticksOfHour(whole.from) }];
  const after = to === null || whole.to === null ? [] : [{ from: ticksOfHour(whole.to), to }];
  return [...before, ...after];
}

const ticksOfHour = (hour: number) => BigInt(hour) * TICKS_PER_HOUR;
const ceilDiv = (a: bigint, b: bigint) => -floorDiv(-a, b);
