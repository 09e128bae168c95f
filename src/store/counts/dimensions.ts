import { Prisma } from '../../database/clients';
import { assertNever } from '../../errors';
import { ceilDiv, floorDiv, TICKS_PER_MS } from '../../event/event-time';
import { COLUMN_OF } from '../../event/fields';
import { type CountedBy, type CountedField, FILTER_NAMES, FILTER_SPECS, FILTERS } from '../../event/filters';
import type { AuditEventFilter, TimeRange } from '../../event/query';
import { toStored, UNUSED } from '../rows/stored-text';

/** A counted column. The statements that count, fold, read and forget counts are made of this table. */
export interface Dimension {
  /** The kind of its values in `audit_dim`. */
  readonly kind: number;
  /** Its name in statements. For `KEYS` it is also the column of `audit_count` that holds the number of the value. */
  readonly key: 'a' | 'd' | 'p' | 'i';
  readonly field: Exclude<CountedField, 'succeeded'>;
  /** Its column in events and deltas. */
  readonly column: string;
  /** SQL: a delta's value as `audit_dim` has it. */
  readonly storedValueOf: (delta: string) => string;
}

const dimension = <K extends Dimension['key']>(kind: number, key: K, field: Dimension['field']) => {
  const column = COLUMN_OF[field];
  return { kind, key, field, column, storedValueOf: (delta: string) => `${delta}.${column}` } as const;
};

const INSTANCE = dimension(4, 'i', FILTERS.serverInstanceName.field);
export const DIMENSIONS = {
  action: dimension(1, 'a', FILTERS.actionId.field),
  database: dimension(2, 'd', FILTERS.databaseName.field),
  principal: dimension(3, 'p', FILTERS.principalName.field),
  instance: {
    ...INSTANCE,
    // Null: a build that does not count by instance wrote the delta. This goes with 0.3.0. CASE is leakproof: under
    // row-level security PostgreSQL does not look up a number by the result of coalesce.
    storedValueOf: (delta: string) =>
      `CASE WHEN ${delta}.${INSTANCE.column} IS NULL THEN '${UNUSED}' ELSE ${delta}.${INSTANCE.column} END`,
  },
} as const satisfies Record<Exclude<CountedBy, 'outcome'>, Dimension>;

/** All counted columns, in the order of their numbers. */
export const COUNTED: readonly Dimension[] = Object.values(DIMENSIONS);
/** Their columns in events and deltas, for a statement. */
export const COUNTED_COLUMNS = COUNTED.map(({ column }) => column).join(', ');
/** The dimensions that have their own column in `audit_count`. The instance shares a column (`by-instance.ts`). */
export const KEYS = [DIMENSIONS.action, DIMENSIONS.database, DIMENSIONS.principal] as const;

/**
 * The counts that are asked for: filtered dimensions, and the dimension by which events are ordered before their time.
 */
export interface Counted {
  readonly filters: readonly { readonly dimension: Dimension; readonly value: string }[];
  readonly group: Dimension | 'outcome' | null;
  /** The only outcome that is counted; null: both. Every count has both outcomes. */
  readonly outcome: boolean | null;
}

/** @param by the field by which events are ordered or grouped; `recordId` means by time alone */
export function countedOf(filter: AuditEventFilter, by: CountedField | 'recordId'): Counted {
  const filters: { dimension: Dimension; value: string }[] = [];
  let outcome: boolean | null = null;
  let group: Counted['group'] = null;
  for (const name of FILTER_NAMES) {
    const { field, countedBy } = FILTER_SPECS[name];
    const value = filter[name];
    switch (countedBy) {
      case null:
        // No count knows the field: the events are read (`search-segments.ts`).
        break;
      case 'outcome':
        if (value !== null) outcome = value === true;
        else if (field === by) group = 'outcome';
        break;
      case 'action':
      case 'database':
      case 'principal':
      case 'instance':
        if (value !== null)
          filters.push({ dimension: DIMENSIONS[countedBy], value: toStored(String(value)) });
        // Ordering by a column that has one value left is ordering by time.
        else if (field === by) group = DIMENSIONS[countedBy];
        break;
      default:
        assertNever(countedBy);
    }
  }
  return { filters, group, outcome };
}

/** The dimension by which events are grouped, if `audit_dim` has its values; else null. */
export const groupDimension = ({ group }: Counted): Dimension | null =>
  group === null || group === 'outcome' ? null : group;

export const filteredValue = ({ filters }: Counted, dimension: Dimension): string | null =>
  filters.find((filter) => filter.dimension === dimension)?.value ?? null;

/** Whether counts by the hour exist: they do for all events and for each single dimension. */
export const isHourly = (counted: Counted): boolean =>
  counted.filters.length + (groupDimension(counted) ? 1 : 0) <= 1;

/** Whether events are filtered or grouped by instance. */
export const isByInstance = (counted: Counted): boolean =>
  counted.group === DIMENSIONS.instance || filteredValue(counted, DIMENSIONS.instance) !== null;

/** Conditions on columns of `audit_count c` that choose the grouping set, and in it the filtered values. */
export function onKeys(counted: Counted, keys: readonly Dimension[], tenant: Prisma.Sql): Prisma.Sql {
  const conditions = keys.map((dimension) => {
    const key = Prisma.raw(`c.${dimension.key}`);
    const value = filteredValue(counted, dimension);
    if (value !== null) return Prisma.sql`${key} = (${dimIdOf(dimension, tenant, Prisma.sql`${value}`)})`;
    return dimension === counted.group ? Prisma.sql`${key} > 0` : Prisma.sql`${key} = 0`;
  });
  return Prisma.join(conditions, ' AND ');
}

export const dimIdOf = (dimension: Dimension, tenant: Prisma.Sql, value: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`SELECT m.dim_id FROM audit_dim m
    WHERE m.tenant_id = ${tenant} AND m.kind = ${dimension.kind}::smallint AND m.value = ${value}`;

/** Conditions of the filters on rows that hold the values themselves: deltas and events. */
export function onValues(counted: Counted, alias: string): Prisma.Sql {
  const conditions = counted.filters.map(
    ({ dimension, value }) => Prisma.sql`${Prisma.raw(`${alias}.${dimension.column}`)} = ${value}`,
  );
  return conditions.length === 0 ? Prisma.sql`true` : Prisma.join(conditions, ' AND ');
}

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
