import { Prisma } from '../../database/clients';
import { FILTER_SPECS } from '../../event/filters';
import { type AuditEventFilter, onlyFilters } from '../../event/query';
import { countedOf } from '../../trail/counts/dimensions';
import type { EachTenant } from '../../trail/counts/scope';
import { segmentsOf } from '../../trail/counts/segments';

/**
 * SQL: how many events (`n`) the database reads to find those of a filter, counted without reading them. An index
 * leads to the events of some filters; any other one means reading all of the time range.
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
