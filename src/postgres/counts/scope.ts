import type { TenantScope } from '../../tenant/tenant-scope';
import { Prisma } from '../database';
import type { HourSpan } from './pieces';

/**
 * Makes a sub-select for each tenant of a scope. It names its tenant itself: by value, or by the row of `tenant t` it
 * hangs on.
 */
export interface EachTenant {
  (select: (tenant: Prisma.Sql) => Prisma.Sql): Prisma.Sql;
  readonly form: TenantForm;
}

/**
 * How sub-selects of several tenants are put together. `lateral`: hung on `tenant`, one plan for them all. `union`: one
 * after the other, for tables distributed by tenant: each then runs as a whole on the node of its tenant, where the
 * other form is refused as soon as it limits or sums up by what another part of the statement found.
 */
export type TenantForm = 'lateral' | 'union';

/** One tenant is always named by value, so that the whole statement stays on one node of a distributed database. */
export function eachTenant(tenants: TenantScope, form: TenantForm): EachTenant {
  const hung = (select: Parameters<EachTenant>[0]) => Prisma.sql`
    SELECT s.* FROM tenant t CROSS JOIN LATERAL (${select(Prisma.raw('t.tenant_id'))}) s
      WHERE t.tenant_id = ANY(${[...tenants]}::int[])`;
  const inRow = (select: Parameters<EachTenant>[0]) =>
    Prisma.join(
      tenants.map((tenant) => select(Prisma.sql`${tenant}::int`)),
      ') UNION ALL (',
      tenants.length > 1 ? '(' : '',
      tenants.length > 1 ? ')' : '',
    );
  return Object.assign(tenants.length > 1 && form === 'lateral' ? hung : inRow, { form });
}

const HOUR_MS = 3_600_000;

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
