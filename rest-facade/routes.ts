import { AUDIT_EVENT_DETAIL, AUDIT_EVENT_LIST_ITEM, AUDIT_SUMMARY } from '../src/event/answers';
import { LIST_PARAMETERS, RECORD_PARAMETERS, SUMMARY_PARAMETERS } from '../src/event/parameters';
import { selectionOf } from '../src/event/shape';
import { SOURCE_ITEM, SOURCES_PARAMETERS } from '../src/modules/sources/answers';
import { COMPLIANCE_ROUTES } from './compliance-routes';
import { DETECTION_ROUTES } from './detection-routes';
import { EVIDENCE_ROUTES } from './evidence-routes';
import { REPORT_ROUTES } from './report-routes';
import type { Route } from './route';

/** Every route of the public API. A literal path stands before a pattern that matches it too. */
export const ROUTES: readonly Route[] = [
  {
    operationId: 'listAuditActivity',
    tag: 'Audit activity',
    path: '/audit-activity',
    summary: 'Returns a page of events, newest first by default.',
    query: LIST_PARAMETERS,
    pathParameters: {},
    schema: 'AuditActivityListItem',
    rootField: 'auditEvents',
    fields: selectionOf(AUDIT_EVENT_LIST_ITEM),
    envelope: 'list',
  },
  {
    operationId: 'getAuditActivitySummary',
    tag: 'Audit activity',
    path: '/audit-activity/summary',
    summary: "Returns counts for a time range, aggregated across the caller's tenants.",
    query: SUMMARY_PARAMETERS,
    pathParameters: {},
    schema: 'AuditActivitySummary',
    rootField: 'auditSummary',
    fields: selectionOf(AUDIT_SUMMARY),
    envelope: 'item',
  },
  {
    operationId: 'getAuditActivity',
    tag: 'Audit activity',
    path: '/audit-activity/{recordId}',
    summary: 'Returns one event in full detail.',
    query: {},
    pathParameters: RECORD_PARAMETERS,
    schema: 'AuditActivityDetail',
    rootField: 'auditEvent',
    fields: selectionOf(AUDIT_EVENT_DETAIL),
    envelope: 'item',
  },
  {
    operationId: 'listAuditSources',
    tag: 'Sources',
    path: '/audit-sources',
    summary: 'Returns a page of sources, each with how far its events are complete.',
    query: SOURCES_PARAMETERS,
    pathParameters: {},
    schema: 'AuditSource',
    rootField: 'auditSourceItems',
    fields: selectionOf(SOURCE_ITEM),
    envelope: 'list',
  },
  ...EVIDENCE_ROUTES,
  ...DETECTION_ROUTES,
  ...COMPLIANCE_ROUTES,
  ...REPORT_ROUTES,
];
