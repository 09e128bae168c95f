import { filterSpec, givenFilters } from '../../event/filters';
import type { AuditEventFilter } from '../../event/query';

/**
 * Whether columns answer for a filter sooner than anything else: it asks for more than counts and the search index know.
 * Words alone, and words beside counted values, are the index's.
 */
export const isForColumns = (filter: AuditEventFilter): boolean =>
  filter.expression !== null || givenFilters(filter).some((name) => filterSpec(name).countedBy === null);
