import type { TenantScope } from '../../tenant/tenant-scope';
import { Prisma } from '../database';
import type { HourSpan } from './pieces';

/**
 * A sub-select made for each tenant of the scope. It names its tenant itself: by value for one tenant, so that the
 * whole statement stays on one node of a distributed database, else by the row of `tenant t` it hangs on.
 */
export function perTenant(tenants: TenantScope, select: (tenant: Prisma.Sql) => Prisma.Sql): Prisma.Sql {
  const [only, ...others] = tenants;
  if (others.length === 0) return select(Prisma.sql`${only}::int`);
  return Prisma.sql`SELECT s.* FROM tenant t CROSS JOIN LATERAL (${select(Prisma.raw('t.tenant_id'))}) s
    WHERE t.tenant_id = ANY(${[...tenants]}::int[])`;
}

const HOUR_MS = 3_600_000;

/** SQL: the hour since 1970 a record id lies in. Whole milliseconds are divided, so nothing rounds up. */
export const hourOf = (recordId: string): string =>
  `(('x' || translate(left(${recordId}::text, 13), '-', ''))::bit(48)::bigint / ${HOUR_MS})::int`;

/** SQL: the smallest record id of an hour since 1970. */
export const floorOfHour = (hour: string): string =>
  `(lpad(to_hex(${hour}::bigint * ${HOUR_MS}), 12, '0') || '80008000000000000000')::uuid`;

/** The condition that a column of bucket numbers lies in a span of them. */
export function within(column: string, { from, to }: HourSpan): Prisma.Sql {
  const name = Prisma.raw(column);
  const lower = from === null ? Prisma.sql`true` : Prisma.sql`${name} >= ${from}::int`;
  const upper = to === null ? Prisma.sql`true` : Prisma.sql`${name} < ${to}::int`;
  return Prisma.sql`${lower} AND ${upper}`;
}
