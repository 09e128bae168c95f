import { Prisma } from '../../database/clients';
import type { EachTenant, TenantLookup } from '../../database/each-tenant';
import { type AuditEventFilter, givenFilters } from '../../event/query';
import { openDays } from '../counts/by-instance';
import { type Counted, cutRange, groupDimension, type HourSpan, spanOf, within } from '../counts/dimensions';
import { hourOf, IN_BOUNDS, whereInRange, whereOf, withBounds } from '../rows/event-rows';
import { hoursOfWord, isCounted, keysOf } from './index-words';

/**
 * The segments (see `counts/segments.ts`) for conditions that the counts do not know: words, uncounted fields, and
 * instances on days that are not counted by instance. The segments are hours with the number of matching events. A
 * single word is counted by the index. For anything else the index says in which hours the words occur, and their
 * events are read. Hours whose segment does not hold are always read.
 * @param openSpan when given, only the hours of the days `open` in this span are answered, without the edges of the
 * range
 */
export function searchSegments(
  filter: AuditEventFilter,
  counted: Counted,
  tenant: Prisma.Sql,
  of: TenantLookup,
  openSpan: HourSpan | null = null,
): Prisma.Sql {
  const { days, hours, direct } = cutRange(filter, true);
  const whole = openSpan ?? spanOf([...hours, ...(days ? [days] : [])]);
  const where = whereOf(filter);
  const edges = (openSpan ? [] : direct).map((range) =>
    countEvents(counted, tenant, Prisma.sql`${whereInRange(range)} AND ${where}`),
  );
  if (!whole) return edges.length > 0 ? Prisma.join(edges, ' UNION ALL ') : NONE;
  const exact = isCounted(filter.search) && isWordsAlone(filter, counted);
  const keys = keysOf(filter);
  const inSpan = (column: string) => within(column, whole);
  const found = keys.map(
    (key, i) =>
      Prisma.sql`, ${Prisma.raw(`k${i}`)} AS MATERIALIZED (${hoursOfWord(key, tenant, inSpan('w.hour'), of)})`,
  );
  const indexed = exact
    ? Prisma.sql`SELECT ''::text AS v, k.hour AS lo, k.hour + 1 AS hi, k.n::bigint AS n, 0::bigint AS ok
        FROM k0 k JOIN sound s ON s.hour = k.hour UNION ALL`
    : Prisma.empty;
  // Hours with events, without those that the index answers.
  const missing = exact
    ? Prisma.sql`NOT EXISTS (SELECT FROM sound s WHERE s.hour = a.hour)`
    : Prisma.sql`NOT EXISTS (SELECT FROM sound s WHERE s.hour = a.hour AND NOT (${allOf(keys)}))`;
  return Prisma.sql`
    SELECT q.* FROM (
      WITH stored AS MATERIALIZED (
        SELECT u.hour, sum(u.n) AS n, max(u.held) AS held FROM (
          SELECT o.hour, o.n, NULL::bigint AS held FROM (${storedHours(tenant, whole, openSpan !== null)}) o
          UNION ALL SELECT s.hour, 0, s.n FROM audit_segment s WHERE s.tenant_id = ${tenant} AND ${inSpan('s.hour')}) u
        GROUP BY u.hour HAVING sum(u.n) > 0),
      sound AS MATERIALIZED (SELECT a.hour FROM stored a WHERE a.held = a.n)
      ${found.length > 0 ? Prisma.join(found, ' ') : Prisma.empty},
      unread AS MATERIALIZED (${withBounds(
        Prisma.sql`SELECT a.hour AS lo, a.hour + 1 AS hi FROM stored a WHERE ${missing}`,
      )})
      ${indexed}
      SELECT r.* FROM unread h CROSS JOIN LATERAL (${countEvents(
        counted,
        tenant,
        Prisma.sql`${IN_BOUNDS} AND ${where}`,
      )}) r
      ${edges.length > 0 ? Prisma.sql`UNION ALL ${Prisma.join(edges, ' UNION ALL ')}` : Prisma.empty}) q`;
}

/** Hours with their numbers of events: from counts, and from deltas that are not folded yet. */
export function storedHours(tenant: Prisma.Sql, span: HourSpan, isOpen = false): Prisma.Sql {
  const counts = (besides: Prisma.Sql) => Prisma.sql`
    SELECT c.bucket AS hour, c.n FROM audit_count c
    WHERE c.tenant_id = ${tenant} AND c.grain = 1 AND c.a = 0 AND c.d = 0 AND c.p = 0 AND ${within('c.bucket', span)} ${besides}`;
  const deltas = (besides: Prisma.Sql) => Prisma.sql`
    SELECT x.hour, x.n FROM audit_delta x WHERE x.tenant_id = ${tenant} AND ${within('x.hour', span)} ${besides}`;
  if (!isOpen) return Prisma.sql`${counts(Prisma.empty)} UNION ALL ${deltas(Prisma.empty)}`;
  const inDay = (column: string) => Prisma.raw(`AND ${column} >= o.lo AND ${column} < o.hi`);
  return Prisma.sql`
    SELECT w.* FROM open o CROSS JOIN LATERAL (${counts(inDay('c.bucket'))} UNION ALL ${deltas(inDay('x.hour'))}) w`;
}

/** SQL: how many events (`n`) lie in days that are not counted by instance. */
export const openEvents = (each: EachTenant, span: HourSpan): Prisma.Sql => Prisma.sql`
  WITH ${openDays(each, span)}
  SELECT coalesce(sum(q.n), 0)::float8 AS n FROM (${each.dependent((tenant) => storedHours(tenant, span, true))}) q`;

/** SQL: how many events (`n`) lie in the hours that hold all words of a filter, which are the events that are read. */
export const eventsBesideWords = (each: EachTenant, filter: AuditEventFilter): Prisma.Sql => {
  const { days, hours } = cutRange(filter, true);
  const whole = spanOf([...hours, ...(days ? [days] : [])]);
  if (!whole) return Prisma.sql`SELECT 0::float8 AS n`;
  const held = (tenant: Prisma.Sql) =>
    keysOf(filter).map(
      (key) =>
        Prisma.sql`a.hour IN (SELECT k.hour FROM (${hoursOfWord(key, tenant, within('w.hour', whole), each)}) k)`,
    );
  return Prisma.sql`
    SELECT coalesce(sum(q.n), 0)::float8 AS n FROM (${each.dependent(
      (tenant) => Prisma.sql`
      SELECT a.n FROM (${storedHours(tenant, whole)}) a WHERE ${Prisma.join([Prisma.sql`true`, ...held(tenant)], ' AND ')}`,
    )}) q`;
};

/** Whether the filter asks for nothing but words: the index knows the hours of a word, and nothing else. */
const isWordsAlone = (filter: AuditEventFilter, { group }: Counted) =>
  filter.expression === null && givenFilters(filter).length === 0 && group === null;

export const NONE = Prisma.sql`SELECT ''::text AS v, 0 AS lo, 0 AS hi, 0::bigint AS n, 0::bigint AS ok WHERE false`;

function allOf(keys: readonly string[]): Prisma.Sql {
  if (keys.length === 0) return Prisma.sql`true`;
  const conditions = keys.map((_, i) => Prisma.raw(`EXISTS (SELECT FROM k${i} k WHERE k.hour = a.hour)`));
  return Prisma.join(conditions, ' AND ');
}

function countEvents(counted: Counted, tenant: Prisma.Sql, where: Prisma.Sql): Prisma.Sql {
  const dimension = groupDimension(counted);
  const value = Prisma.raw(dimension ? `e.${dimension.column}` : `''::text`);
  return Prisma.sql`
    SELECT f.v, f.lo, f.lo + 1 AS hi, f.n, f.ok FROM (
      SELECT ${value} AS v, ${Prisma.raw(hourOf('e.record_id'))} AS lo, count(*) AS n,
        count(*) FILTER (WHERE e.succeeded) AS ok
      FROM audit_event e WHERE e.tenant_id = ${tenant} AND ${where} GROUP BY 1, 2) f`;
}
