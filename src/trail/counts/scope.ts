import { Prisma } from '../../database/clients';
import { ceilDiv, floorDiv, HOUR_MS, TICKS_PER_MS } from '../../event/event-time';
import type { TimeRange } from '../../event/query';
import type { TenantSet } from '../../tenant-set';

/**
 * Makes a sub-select for each tenant of a scope. The sub-select names its tenant itself: by value, or by the row of
 * `tenant t` to which it is joined. Call this as a function for a sub-select that needs nothing else. Call `dependent`
 * for a sub-select that uses other parts of the statement, or has parts of its own (WITH).
 */
export interface EachTenant {
  (select: SelectOf): Prisma.Sql;
  readonly dependent: (select: SelectOf) => Prisma.Sql;
  readonly form: TenantForm;
  /** Whether the combined rows may come from several nodes. */
  readonly isScattered: boolean;
}

type SelectOf = (tenant: Prisma.Sql) => Prisma.Sql;

/**
 * How sub-selects of several tenants are combined. `lateral`: they are joined to `tenant`, with one plan for all of
 * them. `union`: for tables distributed by tenant. There too, independent sub-selects are joined to `tenant`, and all
 * nodes work on them at once. The database refuses dependent sub-selects in that form, so each of them is written out
 * for its tenant and runs as a whole on the node of that tenant.
 */
export type TenantForm = 'lateral' | 'union';

/** One tenant is always named by value, so that the whole statement stays on one node of a distributed database. */
export function eachTenant(tenants: TenantSet, form: TenantForm): EachTenant {
  const values = tenants.map((tenant) => Prisma.sql`${tenant}::int`);
  const [only] = values;
  const hung = (select: SelectOf) => Prisma.sql`
    SELECT s.* FROM tenant t CROSS JOIN LATERAL (${select(Prisma.raw('t.tenant_id'))}) s
      WHERE t.tenant_id = ANY(${[...tenants]}::int[])`;
  const named = (select: SelectOf) => {
    const parts = values.map((tenant, i) => Prisma.sql`${part(i)} AS MATERIALIZED (${select(tenant)})`);
    const all = values.map((_, i) => Prisma.sql`SELECT * FROM ${part(i)}`);
    return Prisma.sql`WITH ${Prisma.join(parts)} ${Prisma.join(all, ' UNION ALL ')}`;
  };
  const alone = (select: SelectOf) => select(only as Prisma.Sql);
  const isScattered = form === 'union' && values.length > 1;
  const each = values.length === 1 ? alone : hung;
  return Object.assign((select: SelectOf) => each(select), {
    dependent: isScattered ? named : each,
    form,
    isScattered,
  });
}

/**
 * The tenant of a lookup by keys. The subquery hides the value from the planner, which then expects the rows of an
 * average tenant. Of a tenant that its statistics do not know yet, it would expect one row. Every index that begins with
 * the tenant then looks as good as the right one, and each lookup may read all entries of the tenant. A distributed
 * database needs the value, which tells it the node. A tenant that comes from a row has no value to hide.
 */
export const tenantOfLookup = (tenant: Prisma.Sql, form: TenantForm): Prisma.Sql =>
  form === 'union' || tenant.values.length === 0 ? tenant : Prisma.sql`(SELECT ${tenant})`;

const part = (i: number) => Prisma.raw(`tenant_${i}`);

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
