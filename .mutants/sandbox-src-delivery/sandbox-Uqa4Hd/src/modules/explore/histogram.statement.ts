import { Prisma } from '../../database/clients';
import { DAY_MS, HOUR_MS } from '../../event/event-time';
import { FILTER_SPECS } from '../../event/filters';
import { type AuditEventFilter, isCountable, onlyFilters } from '../../event/query';
import { type Counted, countedOf, isHourly } from '../../trail/counts/dimensions';
import { cutRange, type EachTenant, type Pieces, windowOf } from '../../trail/counts/scope';
import { segmentsOf } from '../../trail/counts/segments';
import { whereOf } from '../../trail/event-rows';

/**
 * One row for each bucket with events: its number (`bucket`), events (`n`) and succeeded events (`ok`).
 * @param filter has a range with both ends
 */
export function histogramStatement(each: EachTenant, filter: AuditEventFilter, widthMs: number): Prisma.Sql {
  const spans =
    widthMs < HOUR_MS
      ? each((tenant) => read(filter, widthMs, tenant))
      : segmentsOf(each, filter, ...by(filter, widthMs));
  // No span is wider than its bucket: days are used only where whole days make a bucket.
  const perBucket = Prisma.raw(String(Math.max(1, widthMs / HOUR_MS)));
  return Prisma.sql`
    SELECT s.lo / ${perBucket} AS bucket, sum(s.n)::float8 AS n, sum(s.ok)::float8 AS ok
    FROM (${spans}) s GROUP BY 1 HAVING sum(s.n) > 0`;
}

/** Whether counts give the buckets without reading events, except at the edges of the range. */
export const isCountedBy = (filter: AuditEventFilter, widthMs: number): boolean =>
  isCountable(filter) &&
  (widthMs % DAY_MS === 0 || (widthMs % HOUR_MS === 0 && isHourly(countedOf(filter, 'recordId'))));

/** For windows shorter than an hour, events are counted one by one. */
function read(filter: AuditEventFilter, widthMs: number, tenant: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`
    SELECT ${Prisma.raw(windowOf('e.record_id', widthMs))} AS lo, count(*) AS n, count(*) FILTER (WHERE e.succeeded) AS ok
    FROM audit_event e WHERE e.tenant_id = ${tenant} AND ${whereOf(filter)} GROUP BY 1`;
}

function by(filter: AuditEventFilter, widthMs: number): [Counted, Pieces?] {
  // By outcome, because the search index alone counts events, but not how many of them succeeded.
  if (!isCountable(filter)) return [countedOf(filter, 'succeeded')];
  const counted = countedOf(filter, 'recordId');
  return [counted, piecesOf(filter, counted, widthMs)];
}

function piecesOf(filter: AuditEventFilter, by: Counted, widthMs: number): Pieces {
  const pieces = cutRange(filter, isHourly(by));
  if (!pieces.days || widthMs % DAY_MS === 0) return pieces;
  return isHourly(by)
    ? { days: null, hours: [...pieces.hours, pieces.days], direct: pieces.direct }
    : { days: null, hours: [], direct: [filter] };
}

/** The first and the last hour that have events. */
export function extentStatement(each: EachTenant): Prisma.Sql {
  return Prisma.sql`
    SELECT min(x.first) AS first, max(x.last) AS last FROM (${each(
      (tenant) => Prisma.sql`
      SELECT min(c.bucket) AS first, max(c.bucket) AS last FROM audit_count c
      WHERE c.tenant_id = ${tenant} AND c.grain = 1 AND c.a = 0 AND c.d = 0 AND c.p = 0 AND c.n > 0
      UNION ALL
      SELECT min(d.hour), max(d.hour) FROM audit_delta d WHERE d.tenant_id = ${tenant}`,
    )}) x`;
}

/**
 * SQL for the number (`n`) of events that the database reads to find those of a filter, counted without reading them.
 * An index leads to the events of some filters. Any other filter reads the whole time range.
 */
export function readableEvents(each: EachTenant, filter: AuditEventFilter): Prisma.Sql {
  const indexed = {
    ...onlyFilters(filter, (name) => FILTER_SPECS[name].isIndexed === true),
    search: [],
    expression: null,
  };
  const segments = segmentsOf(each, indexed, countedOf(indexed, 'recordId'));
  return Prisma.sql`SELECT coalesce(sum(s.n), 0)::float8 AS n FROM (${segments}) s`;
}
