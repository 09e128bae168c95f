import { Prisma } from '../../database/clients';
import { ceilDiv, floorDiv, HOUR_MS, TICKS_PER_MS } from '../../event/event-time';
import type { TimeRange } from '../../event/query';

/** SQL: the hour since 1970 a record id lies in. */
export const hourOf = (recordId: string): string => `${windowOf(recordId, HOUR_MS)}::int`;

/** SQL: the same for windows of another width. Whole milliseconds are divided, so nothing rounds up. */
export const windowOf = (recordId: string, widthMs: number): string =>
  `(('x' || translate(left(${recordId}::text, 13), '-', ''))::bit(48)::bigint / ${widthMs})`;

/** SQL: the smallest record id of an hour since 1970. */
const floorOfHour = (hour: string): string =>
  `(lpad(to_hex(${hour}::bigint * ${HOUR_MS}), 12, '0') || '80008000000000000000')::uuid`;

/**
 * SQL: spans of hours `[lo, hi)` with their bounds as record ids, `lo_id` and `hi_id`, for a MATERIALIZED CTE. Under
 * row-level security PostgreSQL uses an index only for leakproof comparisons. A comparison of two uuid columns is
 * leakproof. A comparison with a computed expression is not, so every row of a partition would be read for it.
 */
export const withBounds = (spans: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`SELECT b.*, ${Prisma.raw(`${floorOfHour('b.lo')} AS lo_id, ${floorOfHour('b.hi')} AS hi_id`)} FROM (${spans}) b`;

/** SQL: the condition that an event's record id lies within the span `h` of `withBounds`. */
export const IN_BOUNDS = Prisma.raw('e.record_id >= h.lo_id AND e.record_id < h.hi_id');

/** The condition that a column of bucket numbers lies in a span of them. */
export function within(column: string, { from, to }: HourSpan): Prisma.Sql {
  const name = Prisma.raw(column);
  const lower = from === null ? Prisma.sql`true` : Prisma.sql`${name} >= ${from}::int`;
  const upper = to === null ? Prisma.sql`true` : Prisma.sql`${name} < ${to}::int`;
  return Prisma.sql`${lower} AND ${upper}`;
}

const TICKS_PER_HOUR = 3_600_000n * TICKS_PER_MS;
export const HOURS_PER_DAY = 24;

/** A span of whole buckets, in hours since 1970, half-open; null is unbounded. */
export interface HourSpan {
  readonly from: number | null;
  readonly to: number | null;
}

/** A span of hours as a span of buckets of so many hours. Its ends must be borders of buckets. */
export const inBuckets = ({ from, to }: HourSpan, hours: number): HourSpan => ({
  from: from === null ? null : from / hours,
  to: to === null ? null : to / hours,
});

/** The parts of a time range: whole days and hours are counted by the counts, the rest by the events themselves. */
export interface Pieces {
  readonly days: HourSpan | null;
  readonly hours: readonly HourSpan[];
  readonly direct: readonly TimeRange[];
}

/** The one span that neighbouring spans make up; null: there are no spans. */
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

/** The parts of the outer span before and after the inner span. */
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
