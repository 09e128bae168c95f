import { Prisma } from '../../database/clients';
import type { AuditEventFilter } from '../../event/query';
import { countedOf } from '../../trail/counts/dimensions';
import { cutRange } from '../../trail/counts/pieces';
import type { EachTenant } from '../../trail/counts/scope';
import { segmentsOf } from '../../trail/counts/segments';

/**
 * SQL: how many events (`n`) the database reads to find those of a filter, counted without reading them. An index
 * leads to a principal's events; any other filter means reading all of the time range.
 */
export function readableEvents(each: EachTenant, filter: AuditEventFilter): Prisma.Sql {
  const indexed = countedOf({ ...filter, actionId: null, databaseName: null, succeeded: null }, 'recordId');
  const pieces = cutRange(filter, true);
  return Prisma.sql`
    SELECT coalesce(sum(s.n), 0)::float8 AS n FROM (${each((tenant) => segmentsOf(indexed, pieces, tenant))}) s`;
}
