import { Prisma } from '../../database/clients';
import type { EachTenant } from '../../database/each-tenant';
import { DAY_MS, HOUR_MS } from '../../event/event-time';
import { FILTER_SPECS } from '../../event/filters';
import { type AuditEventFilter, onlyFilters } from '../../event/query';
import { countedOf, cutRange, isHourly } from '../../store/counts/dimensions';
import { segmentsOf, wordSegmentsOf } from '../../store/counts/segments';
import { planOf } from '../../store/plan';
import { whereOf, windowOf } from '../../store/rows/event-rows';

/**
 * One row for each bucket with events: its number (`bucket`), events (`n`) and succeeded events (`ok`).
 * @param filter has a range with both ends
 */
export function histogramStatement(each: EachTenant, filter: AuditEventFilter, widthMs: number): Prisma.Sql {
  const { by } = planOf({ kind: 'histogram', filter, widthMs });
  const spans =
    by === 'events'
      ? each((tenant) => read(filter, widthMs, tenant))
      : by === 'words'
        ? // By outcome, because the search index alone counts events, but not how many of them succeeded.
          wordSegmentsOf(each, filter, countedOf(filter, 'succeeded'))
        : countedSpans(each, filter, widthMs);
  // No span is wider than its bucket: days are used only where whole days make a bucket.
  const perBucket = Prisma.raw(by === 'events' ? '1' : String(widthMs / HOUR_MS));
  return Prisma.sql`
    SELECT s.lo / ${perBucket} AS bucket, sum(s.n)::float8 AS n, sum(s.ok)::float8 AS ok
    FROM (${spans}) s GROUP BY 1 HAVING sum(s.n) > 0`;
}

/** Counts events one by one. The number of its bucket stands in place of an hour. */
function read(filter: AuditEventFilter, widthMs: number, tenant: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`
    SELECT ${Prisma.raw(windowOf('e.record_id', widthMs))} AS lo, count(*) AS n, count(*) FILTER (WHERE e.succeeded) AS ok
    FROM audit_event e WHERE e.tenant_id = ${tenant} AND ${whereOf(filter)} GROUP BY 1`;
}

function countedSpans(each: EachTenant, filter: AuditEventFilter, widthMs: number): Prisma.Sql {
  const counted = countedOf(filter, 'recordId');
  const pieces = cutRange(filter, isHourly(counted));
  const { days, hours, direct } = pieces;
  if (!days || widthMs % DAY_MS === 0) return segmentsOf(each, filter, counted, pieces);
  return segmentsOf(each, filter, counted, { days: null, hours: [...hours, days], direct });
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
