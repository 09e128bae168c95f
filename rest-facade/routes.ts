import { DETAIL_FIELDS, LIST_FIELDS, STATEMENT_PREVIEW } from '../src/event/fields';
import { LIST_PARAMETERS, RECORD_PARAMETERS, SUMMARY_PARAMETERS } from '../src/event/parameters';
import { SUMMARY_FIELDS } from '../src/event/summary-fields';
import { EVIDENCE_ROUTES } from './evidence-routes';
import type { Route } from './route';

/** Every route of the public API. A literal path stands before the pattern it also fits. */
export const ROUTES: readonly Route[] = [
  {
    operationId: 'listAuditActivity',
    path: '/audit-activity',
    summary: 'Returns a page of events, newest first by default.',
    query: LIST_PARAMETERS,
    pathParameters: {},
    schema: 'AuditActivityListItem',
    rootField: 'auditEvents',
    fields: [...LIST_FIELDS, STATEMENT_PREVIEW.name],
    envelope: 'list',
  },
  {
    operationId: 'getAuditActivitySummary',
    path: '/audit-activity/summary',
    summary: "Returns counts for a time range, aggregated across the caller's tenants.",
    query: SUMMARY_PARAMETERS,
    pathParameters: {},
    schema: 'AuditActivitySummary',
    rootField: 'auditSummary',
    fields: Object.keys(SUMMARY_FIELDS),
    envelope: 'item',
  },
  {
    operationId: 'getAuditActivity',
    path: '/audit-activity/{recordId}',
    summary: 'Returns one event in full detail.',
    query: {},
    pathParameters: RECORD_PARAMETERS,
    schema: 'AuditActivityDetail',
    rootField: 'auditEvent',
    fields: DETAIL_FIELDS,
    envelope: 'item',
  },
  ...EVIDENCE_ROUTES,
];
