import { FILTER_NAMES, type FilterValues } from '../../src/event/filters';
import type { AuditEventFilter } from '../../src/event/query';

/** All events. */
export const NO_FILTER: AuditEventFilter = {
  from: null,
  to: null,
  ...(Object.fromEntries(FILTER_NAMES.map((name) => [name, null])) as FilterValues),
  search: [],
};
