import { FILTER_NAMES, type FilterValues } from '../../src/event/filters';
import type { AuditEventFilter } from '../../src/event/query';
import { DEFAULT_FACET_FIELDS, type FacetQuestion } from '../../src/modules/explore/explorer';

/** The filter that matches all events. */
export const NO_FILTER: AuditEventFilter = {
  from: null,
  to: null,
  ...(Object.fromEntries(FILTER_NAMES.map((name) => [name, null])) as FilterValues),
  search: [],
  expression: null,
};

/** The facets that are counted by default. */
export const usualFacets = (limit: number): FacetQuestion => ({
  fields: DEFAULT_FACET_FIELDS,
  limit,
  contains: null,
});
