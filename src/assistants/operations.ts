import type { Operation } from '../../rest-facade/route';
import { AUDIT_EVENT_DETAIL } from '../event/answers';
import { FILTER_PARAMETERS, LIST_PARAMETERS, RECORD_PARAMETERS } from '../event/parameters';
import { selectionOf } from '../event/shape';
import { ALERTS_PARAMETERS } from '../modules/detection/base/answers';
import { GROUP_PARAMETERS, HISTOGRAM_PARAMETERS } from '../modules/explore/parameters';
import { COVERAGE_PARAMETERS } from '../modules/sources/answers';

/** Operations of the schema that tools run. A tool that needs a field more adds it here. */
const operation = (
  name: string,
  rootField: string,
  query: Operation['query'],
  fields: readonly string[],
  envelope: Operation['envelope'] = 'item',
): Operation => ({
  operationId: `assistant${name}`,
  rootField,
  query,
  fields,
  envelope,
  pathParameters: {},
});

export const EVENT_ROW_FIELDS = [
  ...['recordId', 'eventTime', 'actionId', 'succeeded', 'serverPrincipalName', 'serverInstanceName'],
  ...['databaseName', 'schemaName', 'objectName', 'hostName'],
];
export const SEARCH = operation('Events', 'auditEvents', LIST_PARAMETERS, EVENT_ROW_FIELDS, 'list');
export const FIND = operation('EventIds', 'auditEvents', LIST_PARAMETERS, ['recordId'], 'list');
export const DETAIL = operation('Event', 'auditEvent', RECORD_PARAMETERS, selectionOf(AUDIT_EVENT_DETAIL));
export const USUAL = operation('Usual', 'auditEventUsual', RECORD_PARAMETERS, [
  'historyDays hasHistory nth startTime endTime objectCount othersCount',
  'notes { kind text count filter startTime endTime } logins { serverPrincipalName count filter }',
]);
export const GROUPS = operation('Groups', 'auditGroups', GROUP_PARAMETERS, [
  ...['totalCount', 'groupCount', 'first', 'second', 'third', 'succeeded', 'failed', 'sum'],
]);
export const TIMELINE = operation('Timeline', 'auditHistogram', HISTOGRAM_PARAMETERS, [
  'startTime endTime bucketSeconds buckets { start succeeded failed }',
]);
export const EXPLAIN = operation('Filter', 'auditFilter', FILTER_PARAMETERS, [
  'filter words plans { question by events waits because }',
]);
export const COVERAGE = operation('Coverage', 'auditCoverage', COVERAGE_PARAMETERS, [
  'sourceCount otherSourceCount gapCount',
  'sources { hostName databaseName completeThrough lastEventTime lastReported hasProblem retiredAt standbySince }',
  'gaps { hostName databaseName reason afterTime beforeTime detectedAt }',
]);
export const ALERTS = operation(
  'Alerts',
  'alerts',
  ALERTS_PARAMETERS,
  [...['alertId', 'title', 'severity', 'status', 'group', 'firstEventTime', 'lastEventTime', 'eventCount']],
  'list',
);
