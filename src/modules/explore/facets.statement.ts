import { Prisma } from '../../database/clients';
import type { EachTenant } from '../../database/each-tenant';
import { COLUMN_OF } from '../../event/fields';
import type { CountedField } from '../../event/filters';
import type { AuditEventFilter } from '../../event/query';
import { countedOf, cutRange, DIMENSIONS } from '../../store/counts/dimensions';
import { segmentsOf, wholeSpanOf, wordSegmentsOf } from '../../store/counts/segments';
import { planOf } from '../../store/plan';
import { IN_BOUNDS, whereOf, withBounds } from '../../store/rows/event-rows';
import { openEvents } from '../../store/words/search-segments';
import type { FacetField, FacetQuestion } from './explorer';

export const TOTAL = 'total';

/**
 * All facets in one statement, and therefore in one snapshot. A row has the facet (`facet`), a value (`v`), its events
 * (`n`), its succeeded events (`ok`) and the number of the facet's values (`distinct_n`). The row `TOTAL` counts all
 * events.
 * @param readMax a facet that needs more events to be read is left out
 */
export function facetsStatement(
  each: EachTenant,
  filter: AuditEventFilter,
  asked: Pick<FacetQuestion, 'fields' | 'limit'>,
  readMax: number,
): Prisma.Sql {
  const { limit } = asked;
  // Every facet's rows already distinguish the outcome.
  const fields = asked.fields.filter((field) => field !== 'succeeded');
  const isRead = planOf({ kind: 'facets', filter, fields }).by === 'words';
  return Prisma.sql`
    WITH ${isRead ? found(each, filter, fields) : Prisma.sql`open_events AS MATERIALIZED (${ofOpenDays(each, filter)})`},
    part AS MATERIALIZED (${isRead ? ofFound(fields) : ofCounts(each, filter, fields as readonly CountedField[], readMax)})
    SELECT r.facet, r.v, r.n, r.ok, r.distinct_n::float8 AS distinct_n FROM (
      SELECT p.facet, p.v, p.n::float8 AS n, p.ok::float8 AS ok, count(*) OVER (PARTITION BY p.facet) AS distinct_n,
        row_number() OVER (PARTITION BY p.facet ORDER BY p.n DESC, p.v COLLATE "C") AS place
      FROM part p) r
    WHERE r.place <= ${limit}::int ORDER BY r.facet, r.place`;
}

function ofCounts(
  each: EachTenant,
  filter: AuditEventFilter,
  fields: readonly CountedField[],
  readMax: number,
): Prisma.Sql {
  return union([
    ...fields.map((field) => valuesOf(each, filter, field, readMax)),
    Prisma.sql`SELECT ${TOTAL}::text AS facet, ''::text AS v, sum(s.n) AS n, sum(s.ok) AS ok
      FROM (${segmentsOf(each, filter, countedOf(filter, 'recordId'))}) s HAVING sum(s.n) > 0`,
  ]);
}

/** A filtered field has one value. The counts do not name it, but the caller knows it. */
function valuesOf(
  each: EachTenant,
  filter: AuditEventFilter,
  field: CountedField,
  readMax: number,
): Prisma.Sql {
  const counted = countedOf(filter, field);
  // A facet reads all events of open days, while a filter by instance reads only those of the instance's hours.
  const mayRead =
    counted.group === DIMENSIONS.instance
      ? Prisma.sql`(SELECT n FROM open_events) <= ${readMax}::float8`
      : Prisma.sql`true`;
  return Prisma.sql`SELECT ${field}::text AS facet, s.v, sum(s.n) AS n, sum(s.ok) AS ok
    FROM (${segmentsOf(each, filter, counted)}) s WHERE ${mayRead} GROUP BY s.v HAVING sum(s.n) > 0`;
}

/** The number of events in days without counts by instance. */
function ofOpenDays(each: EachTenant, filter: AuditEventFilter): Prisma.Sql {
  const span = wholeSpanOf(cutRange(filter, true));
  return span ? openEvents(each, span) : Prisma.sql`SELECT 0::float8 AS n`;
}

/**
 * The events of a filter that the counts do not cover, in the hours that the index names. They are read once for all
 * fields.
 */
function found(each: EachTenant, filter: AuditEventFilter, fields: readonly FacetField[]): Prisma.Sql {
  const counted = countedOf(filter, 'recordId');
  // For a total alone, the outcome is enough.
  const columns = Prisma.join((fields.length > 0 ? fields : ALONE).map((field) => column(field)));
  return Prisma.sql`hit AS MATERIALIZED (${withBounds(Prisma.sql`
      SELECT s.lo, s.hi FROM (${wordSegmentsOf(each, filter, counted)}) s
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

/** Nodes cannot use counts of the hits, so each node counts its own events of them. */
const foundOnNodes = (each: EachTenant, filter: AuditEventFilter, columns: Prisma.Sql) => Prisma.sql`
      SELECT ${columns}, ${COUNTS} FROM (${each(
        (tenant) => Prisma.sql`
        SELECT ${columns}, e.succeeded FROM hit h JOIN audit_event e ON ${IN_BOUNDS}
        WHERE e.tenant_id = ${tenant} AND ${whereOf(filter)}`,
      )}) e GROUP BY ${columns}`;

const ALONE: readonly FacetField[] = ['succeeded'];

function ofFound(fields: readonly FacetField[]): Prisma.Sql {
  return union([
    ...fields.map(
      (
        field,
      ) => Prisma.sql`SELECT ${field}::text AS facet, (e.${column(field, '')})::text COLLATE "C" AS v, sum(e.n) AS n, sum(e.ok) AS ok
        FROM found e GROUP BY 2`,
    ),
    Prisma.sql`SELECT ${TOTAL}::text, '', sum(e.n), sum(e.ok) FROM found e HAVING sum(e.n) > 0`,
  ]);
}

const union = (selects: readonly Prisma.Sql[]) => Prisma.join([...selects], ' UNION ALL ');
const column = (field: FacetField, alias = 'e.') => Prisma.raw(`${alias}${COLUMN_OF[field]}`);
