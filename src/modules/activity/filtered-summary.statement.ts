import { Prisma } from '../../database/clients';
import type { AuditEventFilter } from '../../event/query';
import { countedOf, DIMENSIONS } from '../../trail/counts/dimensions';
import { type EachTenant, IN_BOUNDS, withBounds } from '../../trail/counts/scope';
import { segmentsOf } from '../../trail/counts/segments';
import { whereOf } from '../../trail/event-rows';

const { database, principal } = DIMENSIONS;

/** As `summaryStatement`, of the events that a filter leaves, which are read in the hours that have some. */
export function filteredSummary(each: EachTenant, filter: AuditEventFilter): Prisma.Sql {
  const segments = segmentsOf(each, filter, countedOf(filter, 'recordId'));
  const distinct = (column: string) => Prisma.raw(`count(DISTINCT nullif(f.${column}, ''))::float8`);
  const hits = Prisma.sql`SELECT s.lo, s.hi FROM (${segments}) s GROUP BY s.lo, s.hi HAVING sum(s.n) > 0`;
  return Prisma.sql`
    WITH hit AS MATERIALIZED (${withBounds(hits)})
    SELECT max(f.record_id::text) AS latest, count(*)::float8 AS total, count(*) FILTER (WHERE f.succeeded)::float8 AS ok,
      ${distinct(database.column)} AS databases, ${distinct(principal.column)} AS principals
    FROM (${each(
      (tenant) => Prisma.sql`
      SELECT e.record_id, e.succeeded, ${Prisma.raw(`e.${database.column}, e.${principal.column}`)}
      FROM hit h JOIN audit_event e ON ${IN_BOUNDS}
      WHERE e.tenant_id = ${tenant} AND ${whereOf(filter)}`,
    )}) f`;
}
