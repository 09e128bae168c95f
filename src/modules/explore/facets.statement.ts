import { Prisma } from '../../database/clients';
import { toSnakeCase } from '../../event/fields';
import type { AuditEventFilter } from '../../event/query';
import { countedOf, isCountable, isHourly } from '../../trail/counts/dimensions';
import { cutRange } from '../../trail/counts/pieces';
import { type EachTenant, IN_BOUNDS, withBounds } from '../../trail/counts/scope';
import { segmentsOf } from '../../trail/counts/segments';
import { whereOf } from '../../trail/event-where';
import { searchSegments } from '../../trail/search-segments';
import type { FacetField } from './explorer';
import { readableEvents } from './readable';

/** Fields of no count: their events are read. */
const READ_FIELD = 'serverInstanceName';
export const TOTAL = 'total';

/**
 * One statement, hence one snapshot, for all facets: rows of a facet (`facet`), a value of it (`v`), its events (`n`),
 * those that succeeded (`ok`) and how many values the facet has (`distinct_n`); and one row of all events, `TOTAL`.
 * @param readMax the field of no count is left out when more events than these would be read for it
 */
export function facetsStatement(
  each: EachTenant,
  filter: AuditEventFilter,
  limit: number,
  readMax: number,
): Prisma.Sql {
  const isRead = !isCountable(filter);
  return Prisma.sql`
    WITH ${isRead ? found(each, filter) : Prisma.sql`readable AS MATERIALIZED (${readableEvents(each, filter)})`},
    part AS MATERIALIZED (${isRead ? ofFound() : ofCounts(each, filter, readMax)})
    SELECT r.facet, r.v, r.n, r.ok, r.distinct_n::float8 AS distinct_n FROM (
      SELECT p.facet, p.v, p.n::float8 AS n, p.ok::float8 AS ok, count(*) OVER (PARTITION BY p.facet) AS distinct_n,
        row_number() OVER (PARTITION BY p.facet ORDER BY p.n DESC, p.v COLLATE "C") AS place
      FROM part p) r
    WHERE r.place <= ${limit}::int ORDER BY r.facet, r.place`;
}

const COUNTED_FIELDS = ['actionId', 'databaseName', 'serverPrincipalName'] as const;

function ofCounts(each: EachTenant, filter: AuditEventFilter, readMax: number): Prisma.Sql {
  const perField = COUNTED_FIELDS.map((field) => valuesOf(each, filter, field));
  return union([
    ...perField,
    Prisma.sql`SELECT ${TOTAL}::text AS facet, ''::text AS v, sum(s.n) AS n, sum(s.ok) AS ok
      FROM (${each((tenant) => segments(filter, 'recordId', tenant))}) s HAVING sum(s.n) > 0`,
    Prisma.sql`SELECT ${READ_FIELD}::text AS facet, s.v, sum(s.n) AS n, sum(s.ok) AS ok FROM (${each(
      (tenant) => Prisma.sql`
      SELECT ${column(READ_FIELD)} AS v, count(*) AS n, count(*) FILTER (WHERE e.succeeded) AS ok FROM audit_event e
      WHERE (SELECT n FROM readable) <= ${readMax}::float8 AND e.tenant_id = ${tenant} AND ${whereOf(filter)}
      GROUP BY 1`,
    )}) s GROUP BY s.v`,
  ]);
}

/** A filtered field has one value, which the counts then do not name: the caller knows it. */
function valuesOf(
  each: EachTenant,
  filter: AuditEventFilter,
  field: (typeof COUNTED_FIELDS)[number],
): Prisma.Sql {
  return Prisma.sql`SELECT ${field}::text AS facet, s.v, sum(s.n) AS n, sum(s.ok) AS ok
    FROM (${each((tenant) => segments(filter, field, tenant))}) s GROUP BY s.v HAVING sum(s.n) > 0`;
}

function segments(
  filter: AuditEventFilter,
  by: (typeof COUNTED_FIELDS)[number] | 'recordId',
  tenant: Prisma.Sql,
): Prisma.Sql {
  const counted = countedOf(filter, by);
  return segmentsOf(counted, cutRange(filter, isHourly(counted)), tenant);
}

/**
 * The events of a filter the counts do not know, in the hours the index names, by all fields at once: they are read one
 * time for all.
 */
function found(each: EachTenant, filter: AuditEventFilter): Prisma.Sql {
  const counted = countedOf(filter, 'recordId');
  const columns = Prisma.join(READ.map((field) => column(field)));
  return Prisma.sql`hit AS MATERIALIZED (${withBounds(Prisma.sql`
      SELECT s.lo, s.hi FROM (${each.dependent((tenant) => searchSegments(filter, counted, tenant, each.form))}) s
      GROUP BY s.lo, s.hi HAVING sum(s.n) > 0`)}),
    found AS MATERIALIZED (${each.isScattered ? foundOnNodes(each, filter, columns) : foundHere(each, filter, columns)})`;
}

const COUNTS = Prisma.sql`count(*) AS n, count(*) FILTER (WHERE e.succeeded) AS ok`;

const foundHere = (each: EachTenant, filter: AuditEventFilter, columns: Prisma.Sql) =>
  each(
    (tenant) => Prisma.sql`
      SELECT r.* FROM hit h CROSS JOIN LATERAL (
        SELECT ${columns}, ${COUNTS} FROM audit_event e
        WHERE e.tenant_id = ${tenant} AND ${IN_BOUNDS} AND ${whereOf(filter)} GROUP BY ${columns}) r`,
  );

/** Nodes take no counts of what a hit leads to, but count for themselves what is counted of all their events. */
const foundOnNodes = (each: EachTenant, filter: AuditEventFilter, columns: Prisma.Sql) => Prisma.sql`
      SELECT ${columns}, ${COUNTS} FROM (${each(
        (tenant) => Prisma.sql`
        SELECT ${columns}, e.succeeded FROM hit h JOIN audit_event e ON ${IN_BOUNDS}
        WHERE e.tenant_id = ${tenant} AND ${whereOf(filter)}`,
      )}) e GROUP BY ${columns}`;

function ofFound(): Prisma.Sql {
  return union([
    ...READ.map(
      (
        field,
      ) => Prisma.sql`SELECT ${field}::text AS facet, e.${column(field, '')} AS v, sum(e.n) AS n, sum(e.ok) AS ok
        FROM found e GROUP BY 2`,
    ),
    Prisma.sql`SELECT ${TOTAL}::text, '', sum(e.n), sum(e.ok) FROM found e HAVING sum(e.n) > 0`,
  ]);
}

const READ = [...COUNTED_FIELDS, READ_FIELD] as const satisfies readonly FacetField[];
const union = (selects: readonly Prisma.Sql[]) => Prisma.join([...selects], ' UNION ALL ');
const column = (field: FacetField, alias = 'e.') => Prisma.raw(`${alias}${toSnakeCase(field)}`);
