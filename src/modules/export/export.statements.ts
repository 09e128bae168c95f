import { Prisma } from '../../database/clients';
import type { EachTenant } from '../../database/each-tenant';
import type { AnyField, LiftedName } from '../../event/fields';
import { FILTER_SPECS } from '../../event/filters';
import { type AuditEventFilter, givenFilters } from '../../event/query';
import { countedOf } from '../../store/counts/dimensions';
import { segmentsOf, wordSegmentsOf } from '../../store/counts/segments';
import { planOf } from '../../store/plan';
import {
  EVENT_BYTES,
  MARKED_COLUMNS,
  markedColumns,
  valueColumns,
  valuesSql,
  whereOf,
} from '../../store/rows/event-rows';
import type { IdSpan, PageLimits } from './export-source';

/** The spans of hours [lo, hi) with matching events, in order, with the number of events (`n`). */
export function spansStatement(each: EachTenant, filter: AuditEventFilter): Prisma.Sql {
  const segments = (planOf({ kind: 'export', filter }).by === 'words' ? wordSegmentsOf : segmentsOf)(
    each,
    filter,
    countedOf(filter, 'recordId'),
  );
  return Prisma.sql`
    SELECT s.lo, s.hi, sum(s.n)::float8 AS n FROM (${segments}) s
    GROUP BY s.lo, s.hi HAVING sum(s.n) > 0 ORDER BY s.lo, s.hi`;
}

const within = ({ after, upTo }: IdSpan) =>
  Prisma.sql`e.record_id > ${after}::uuid AND e.record_id <= ${upTo}::uuid`;

/**
 * Whole events, limited in number and in bytes; the first event may exceed the bytes. Each row has the number of events
 * before the cut (`matched`).
 * @param lifted the fields that are read from \`additional\`; not given: all of it is read
 */
export function exportPageStatement(
  each: EachTenant,
  filter: AuditEventFilter,
  span: IdSpan,
  limits: PageLimits,
  lifted?: readonly LiftedName[],
): Prisma.Sql {
  const columns = lifted ? markedColumns(lifted) : MARKED_COLUMNS;
  return Prisma.sql`
    SELECT r.* FROM ${pageSql(each, filter, span, limits, columns)} ORDER BY r.record_id, r.tenant_id`;
}

/**
 * The values of the same events in one row (`EventValues`), with the last record id (`last`) and the number of events before the
 * cut (`matched`).
 */
export const exportValuesStatement = (
  each: EachTenant,
  filter: AuditEventFilter,
  span: IdSpan,
  limits: PageLimits,
  fields: readonly AnyField[],
): Prisma.Sql => Prisma.sql`
  SELECT coalesce(json_agg(${valuesSql(fields)} ORDER BY r.record_id, r.tenant_id)::text, '[]') AS json,
    count(*)::int AS length, max(r.record_id::text) AS last, max(r.matched) AS matched
  FROM ${pageSql(each, filter, span, limits, valueColumns(fields))}`;

/** The rows `r` of a page, with `matched`. */
const pageSql = (
  each: EachTenant,
  filter: AuditEventFilter,
  span: IdSpan,
  { events, bytes }: PageLimits,
  columns: Prisma.Sql,
): Prisma.Sql => Prisma.sql`(
    SELECT c.* FROM (
      SELECT u.*, count(*) OVER ()::int AS matched,
        sum(u.size) OVER (ORDER BY u.record_id, u.tenant_id) - u.size AS before
      FROM (${each(
        (tenant) => Prisma.sql`
        SELECT ${columns}, ${Prisma.raw(EVENT_BYTES)} AS size FROM audit_event e
        WHERE e.tenant_id = ${tenant} AND ${within(span)} AND ${whereOf(filter)}
        ORDER BY e.record_id LIMIT ${events}::int`,
      )}) u
      ORDER BY u.record_id, u.tenant_id LIMIT ${events}::int) c
    WHERE c.before <= ${bytes}::bigint) r`;

/**
 * Whether events must be read to see if they match. An index finds those of a time range, and of some filters in it. A page
 * of such a filter reads a stretch of the span at most: of a rare match, it would else read the span to its end, for
 * longer than a statement may take.
 */
export const isRead = (filter: AuditEventFilter) =>
  filter.search.length > 0 ||
  filter.expression !== null ||
  givenFilters(filter).some((name) => !FILTER_SPECS[name].isIndexed);

/** The record id before which there are this many events, matching or not; no row if there are fewer. */
export function sliceEndStatement(each: EachTenant, span: IdSpan, events: number): Prisma.Sql {
  return Prisma.sql`
    SELECT s.record_id FROM (${each(
      (tenant) => Prisma.sql`
      SELECT e.record_id FROM audit_event e WHERE e.tenant_id = ${tenant} AND ${within(span)}
      ORDER BY e.record_id OFFSET ${events}::int LIMIT 1`,
    )}) s ORDER BY s.record_id LIMIT 1`;
}
