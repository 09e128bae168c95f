import { Prisma } from '../../database/clients';
import type { EachTenant } from '../../database/each-tenant';
import { COLUMN_OF } from '../../event/fields';
import type { AuditEventQuery } from '../../event/query';
import { type Counted, countedOf, groupDimension, isHourly } from '../../store/counts/dimensions';
import { hoursWithin, segmentsOf, wordSegmentsOf } from '../../store/counts/segments';
import type { Access } from '../../store/plan';
import { IN_BOUNDS, listColumns, whereOf, withBounds } from '../../store/rows/event-rows';

/** From this offset on, skipping rows costs more than reading the page's rows a second time. */
export const DEEP_OFFSET = 1_000n;

/**
 * A page and its exact total in one statement, hence one snapshot. The counts or the search index tell in which stretch
 * of events the page lies. Only that stretch is read, so the cost grows with the page and not with the list.
 *
 * segment  all stretches, in order; their sum is the total
 * hit      those the page touches, each with the number of events before it
 * fine     hits cut down from days to hours, where counts by the hour exist; reading one ends with its last event that
 *          matches, since their number is known
 * page     the rows, read from the fine hits; of a deep page first their places alone, which an index tells without
 *          the rows that are passed over on the way
 * @param by what the plan of the page says: counts or words
 */
export function pageStatement(
  each: EachTenant,
  query: AuditEventQuery,
  by: Access,
  deepOffset: bigint = DEEP_OFFSET,
): Prisma.Sql {
  const { filter, sort, descending, page, pageSize } = query;
  const counted = countedOf(filter, sort);
  const direction = Prisma.raw(descending ? 'DESC' : 'ASC');
  const offset = BigInt(page - 1) * BigInt(pageSize);
  const [first, end] = [Prisma.sql`${offset}::bigint`, Prisma.sql`${offset + BigInt(pageSize)}::bigint`];
  const order = (alias: string) => orderBy(alias, [COLUMN_OF[sort], 'record_id'], descending);

  const read = (columns: Prisma.Sql, tenant: Prisma.Sql) => Prisma.sql`
        SELECT r.* FROM fine h CROSS JOIN LATERAL (
          SELECT ${columns} FROM audit_event e
          WHERE e.tenant_id = ${tenant} AND ${IN_BOUNDS} AND ${whereOf(filter)} AND ${inGroup(counted)}
          ORDER BY e.record_id ${direction} LIMIT least(${end} - h.before, h.n)) r`;
  const cut = Prisma.sql`LIMIT ${pageSize}::bigint OFFSET greatest(0, ${first} - coalesce((SELECT min(before) FROM fine), 0))`;
  const shallowPage = Prisma.sql`page AS (
      SELECT r.* FROM (${each((tenant) => read(listColumns(query), tenant))}) r ORDER BY ${order('r')} ${cut})`;
  const deepPage = Prisma.sql`place AS MATERIALIZED (
      SELECT r.* FROM (${each((tenant) =>
        read(Prisma.sql`${tenant} AS tenant_id, h.v, e.record_id`, tenant),
      )}) r
      ORDER BY ${orderBy('r', ['v', 'record_id'], descending)} ${cut}),
    page AS (${each(
      (tenant) => Prisma.sql`
      SELECT r.* FROM place k CROSS JOIN LATERAL (
        SELECT ${listColumns(query)} FROM audit_event e WHERE e.tenant_id = ${tenant} AND e.record_id = k.record_id) r
      WHERE k.tenant_id = ${tenant}`,
    )})`;

  return Prisma.sql`
    WITH ${stretches(each, query, by)},
    ${offset < deepOffset ? shallowPage : deepPage}
    SELECT c.total, p.* FROM (SELECT coalesce(sum(n), 0)::float8 AS total FROM segment) c
    LEFT JOIN page p ON true ORDER BY ${order('p')}`;
}

/** The parts `segment`, `hit` and `fine` of a statement (see `pageStatement`). */
export function stretches(each: EachTenant, query: AuditEventQuery, by: Access): Prisma.Sql {
  const { filter, sort, descending, page, pageSize } = query;
  const counted = countedOf(filter, sort);
  const isByWords = by === 'words';
  const segments = (isByWords ? wordSegmentsOf : segmentsOf)(each, filter, counted);
  const direction = Prisma.raw(descending ? 'DESC' : 'ASC');
  const first = BigInt(page - 1) * BigInt(pageSize);
  const touches = Prisma.sql`before < ${first + BigInt(pageSize)}::bigint AND before + n > ${first}::bigint`;
  const isRefined = !isByWords && isHourly(counted);
  return Prisma.sql`
    segment AS MATERIALIZED (
      SELECT v, lo, hi, sum(n)::bigint AS n FROM (${byOutcome(counted, segments)}) u
      GROUP BY v, lo, hi HAVING sum(n) > 0),
    hit AS (
      SELECT * FROM (
        SELECT v, lo, hi, n, (sum(n) OVER (ORDER BY v ${direction}, lo ${direction}) - n)::bigint AS before
        FROM segment) r
      WHERE ${touches}),
    fine AS MATERIALIZED (${withBounds(isRefined ? refined(each, counted, direction, touches) : Prisma.sql`SELECT * FROM hit`)})`;
}

/** Replaces days by the hours in them that the page touches. */
function refined(each: EachTenant, counted: Counted, direction: Prisma.Sql, touches: Prisma.Sql): Prisma.Sql {
  const n = Prisma.raw(hourlyEvents(counted));
  return Prisma.sql`
    SELECT * FROM hit WHERE hi - lo = 1
    UNION ALL
    SELECT * FROM (
      SELECT f.v, f.hour AS lo, f.hour + 1 AS hi, f.n,
        (f.before + sum(f.n) OVER (PARTITION BY f.v, f.lo ORDER BY f.hour ${direction}) - f.n)::bigint AS before
      FROM (
        SELECT u.v, u.lo, u.before, u.hour, sum(${n})::bigint AS n FROM (${each(
          (tenant) => Prisma.sql`
          SELECT h.v, h.lo, h.before, w.* FROM hit h CROSS JOIN LATERAL (${hoursWithin(counted, tenant)}) w
          WHERE h.hi - h.lo > 1`,
        )}) u
        GROUP BY u.v, u.lo, u.before, u.hour) f) r
    WHERE ${touches}`;
}

/** The events of the group in an hour `u`, of both outcomes. */
function hourlyEvents({ group, outcome }: Counted): string {
  if (group === 'outcome') return 'CASE WHEN u.v THEN u.ok ELSE u.n - u.ok END';
  return outcome === null ? 'u.n' : outcome ? 'u.ok' : 'u.n - u.ok';
}

/** Splits each segment by outcome, into failed and succeeded. */
function byOutcome(counted: Counted, segments: Prisma.Sql): Prisma.Sql {
  if (counted.group !== 'outcome') return segments;
  return Prisma.sql`SELECT o.v, s.lo, s.hi, o.n FROM (${segments}) s
    CROSS JOIN LATERAL (VALUES (false, s.n - s.ok), (true, s.ok)) AS o(v, n)`;
}

/** Only the events of the segment's own group. */
function inGroup(counted: Counted): Prisma.Sql {
  if (counted.group === 'outcome') return Prisma.sql`e.succeeded = h.v`;
  const dimension = groupDimension(counted);
  return dimension ? Prisma.sql`${Prisma.raw(`e.${dimension.column}`)} = h.v` : Prisma.sql`true`;
}

/** Column names come from the field table, and never from the caller. */
export function orderBy(alias: string, columns: readonly string[], descending: boolean): Prisma.Sql {
  const direction = descending ? 'DESC' : 'ASC';
  return Prisma.raw([...new Set(columns)].map((column) => `${alias}.${column} ${direction}`).join(', '));
}
