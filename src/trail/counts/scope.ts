import type { TenantSet } from '../../caller/tenant-set';
import { Prisma } from '../../database/clients';
import { HOUR_MS } from '../../event/event-time';
import type { HourSpan } from './pieces';

/**
 * Makes a sub-select for each tenant of a scope. It names its tenant itself: by value, or by the row of `tenant t` it
 * hangs on. Called as it is for what stands by itself; what uses other parts of the statement, or has parts of its own
 * (WITH), is `dependent`.
 */
export interface EachTenant {
  (select: SelectOf): Prisma.Sql;
  readonly dependent: (select: SelectOf) => Prisma.Sql;
  readonly form: TenantForm;
  /** Whether what is put together may come from several nodes. */
  readonly isScattered: boolean;
}

type SelectOf = (tenant: Prisma.Sql) => Prisma.Sql;

/**
 * How sub-selects of several tenants are put together. `lateral`: hung on `tenant`, one plan for them all. `union`: for
 * tables distributed by tenant. What stands by itself is hung on `tenant` there too, and all nodes work on it at once;
 * the dependent parts, refused in that way, are named one by one, each a whole for the node of its tenant.
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
    ...{ dependent: isScattered ? named : each, form, isScattered },
  });
}

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
 * SQL: spans of hours `[lo, hi)` with their bounds as record ids, `lo_id` and `hi_id`, for a MATERIALIZED CTE.
 * Under row-level security PostgreSQL looks only leakproof comparisons up in an index. A comparison of two uuid columns
 * is one; a comparison with a computed expression is not, and every row of a partition is read to filter by it.
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
