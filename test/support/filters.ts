import type { AuditEventFilter } from '../../src/event/query';

/** All events. */
export const NO_FILTER: AuditEventFilter = {
  from: null,
  to: null,
  actionId: null,
  databaseName: null,
  principalName: null,
  serverInstanceName: null,
  succeeded: null,
  search: [],
};
