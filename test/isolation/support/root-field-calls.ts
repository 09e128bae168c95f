import { randomUUID } from 'node:crypto';
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLOutputType,
  getNamedType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { FILTER_NAMES } from '../../../src/event/filters';
import { accessRuleOf } from '../../../src/graphql/access';
import { describeSchema } from '../../../src/schema';
import type { Actor, Call } from './actors';
import { type MarkedTenant, OUTGOING_ACCESS } from './marked-tenant';

type RootField = GraphQLField<unknown, unknown>;

export interface RootFieldCase {
  readonly field: RootField;
  readonly operation: 'query' | 'mutation';
}

const schema = describeSchema();

export const ROOT_FIELDS: readonly RootFieldCase[] = [
  ...Object.values(schema.getQueryType()?.getFields() ?? {}).map((field) => ({
    field,
    operation: 'query' as const,
  })),
  ...Object.values(schema.getMutationType()?.getFields() ?? {}).map((field) => ({
    field,
    operation: 'mutation' as const,
  })),
];

const BEFORE = '2026-01-01T00:00:00Z';
const AFTER = '2026-02-01T00:00:00Z';

/** The values of arguments that reach a tenant. `field.argument` comes before `argument`; undefined leaves it out. */
const ARGUMENTS: Readonly<Record<string, (target: MarkedTenant) => unknown>> = {
  tenantId: ({ tenant }) => tenant.tenantId,
  tenantIds: ({ tenant }) => [tenant.tenantId],
  recordId: ({ recordIds }) => recordIds[0],
  alertId: ({ alertIds }) => alertIds[0],
  runId: ({ runId }) => runId,
  incidentId: ({ incidentIds }) => incidentIds[0],
  incidentIds: ({ incidentIds }) => incidentIds.slice(0, 1),
  'exceptionPreview.fields': () => [],
  'addRuleException.fields': () => ['serverInstanceName'],
  escalateMinutes: () => 15,
  'incidents.sortBy': () => 'lastEventTime',
  'incidents.severity': () => undefined,
  findingId: ({ findingIds }) => findingIds[0],
  status: () => 'new',
  severity: () => 'medium',
  ruleId: () => OUTGOING_ACCESS,
  framework: () => 'cis',
  asOf: () => '2026-01-06T00:00:00Z',
  controlId: () => '5.4',
  'complianceControls.status': () => 'unknown',
  'complianceControls.format': () => 'oscal',
  'complianceFrameworks.format': () => 'csv',
  'complianceDeclarations.asOf': () => undefined,
  snapshot: ({ marks }) => JSON.stringify({ serverInstanceName: marks.event }),
  kind: () => 'sensitive',
  'declareCompliance.principalName': () => undefined,
  'declareCompliance.applicationName': () => undefined,
  'declareCompliance.workingHours': () => undefined,
  validFrom: () => BEFORE,
  validUntil: () => AFTER,
  'entity.kind': () => 'login',
  'entity.value': ({ marks }) => `${marks.event} serverPrincipalName`,
  declarationId: () => '00000000-0000-8000-8000-000000000000',
  'alerts.sortBy': () => 'lastEventTime',
  'findings.sortBy': () => 'lastEventTime',
  keyId: ({ keyIds }) => keyIds[1],
  name: ({ marks }) => `${marks.admin} made`,
  scopes: () => ['read:audit-activity'],
  search: ({ marks }) => marks.event,
  databaseName: ({ marks }) => `${marks.event} databaseName`,
  principalName: ({ marks }) => `${marks.event} serverPrincipalName`,
  serverInstanceName: ({ marks }) => `${marks.event} serverInstanceName`,
  schemaName: ({ marks }) => `${marks.event} schemaName`,
  objectName: ({ marks }) => `${marks.event} objectName`,
  databasePrincipalName: ({ marks }) => `${marks.event} databasePrincipalName`,
  applicationName: ({ marks }) => `${marks.event} applicationName`,
  hostName: ({ marks }) => `${marks.event} hostName`,
  clientIp: ({ marks }) => `${marks.event} clientIp`,
  sourceType: ({ marks }) => marks.event,
  filter: ({ marks }) => `databaseName:"${marks.event} databaseName" OR ${marks.event}`,
  isShared: () => true,
  view: () => 'range=7d',
  searchId: () => randomUUID(),
  succeeded: () => true,
  actionId: ({ marks }) => marks.event,
  startTime: () => BEFORE,
  endTime: () => AFTER,
  batch: ({ events, tenant }) => ({ tenantId: tenant.tenantId, events }),
  report: ({ report }) => report,
  fields: () => ['objectName', 'clientIp', 'tenantId'],
  'auditSourceList.state': () => undefined,
  // A disabled tenant would be refused what its other calls must be answered.
  'disableTenant.tenantId': () => '2000000000',
  'auditGroupsOverTime.buckets': () => 30,
  'auditGroupsOverTime.groups': () => 5,
  'auditGroupGrid.values': () => 7,
  'auditGroupGrid.sumOf': () => 'responseRows',
  'eventNotes.recordIds': ({ recordIds }) => recordIds.slice(0, 2),
  'addEventNote.note': ({ marks }) => `${marks.admin} note`,
  'addToIncident.note': ({ marks }) => `${marks.admin} note`,
  'removeEventNote.noteId': () => '00000000-0000-8000-8000-000000000000',
  'auditGroups.fields': () => ['objectName', 'tenantId'],
  'auditGroups.sortBy': () => 'objectName',
  'auditGroups.sumOf': () => 'responseRows',
  'auditGroupsOverTime.sortBy': () => 'objectName',
  'auditGroupsOverTime.sumOf': () => 'responseRows',
  reportedBefore: () => BEFORE,
  groupId: () => '00000000-0000-8000-8000-000000000000',
  hosts: ({ marks }) => [`${marks.admin}*`],
  pollIntervalMs: () => 2_000,
  batchMaxEvents: () => 500,
  logLevel: () => 'warn',
  databasesOn: ({ marks }) => [`${marks.admin} on`],
  databasesOff: ({ marks }) => [`${marks.admin} off`],
  unset: () => ['LogLevel'],
  'createAgentGroup.position': () => 1,
  'updateAgentGroup.position': () => 1,
  packageId: ({ packageId }) => packageId,
  // The package stays for the calls of others.
  'withdrawAgentPackage.packageId': () => '00000000-0000-8000-8000-000000000000',
  part: () => 0,
  bytes: () => 'AA==',
  version: () => '1.0.0',
  build: () => 1,
  fileSize: () => 1,
  sha256: () => '0'.repeat(64),
  signature: () => `${'A'.repeat(86)}==`,
  window: () => '02:00-04:00',
  allowsOlder: () => true,
  withGaps: () => false,
  beforeStartTime: () => BEFORE,
  beforeEndTime: () => AFTER,
  contains: ({ marks }) => marks.event,
  pageSize: () => 100,
  limit: () => 100,
  first: () => 100,
  from: () => 1,
  to: ({ events }) => events.length,
  page: () => 1,
  emails: () => undefined,
  'createAlertRoute.destinationId': () => undefined,
  'createAlertRoute.format': () => undefined,
  'createAlertRoute.ruleId': () => undefined,
  suppressionId: () => '00000000-0000-8000-8000-000000000000',
  routeId: () => '00000000-0000-8000-8000-000000000000',
  scheduleId: () => '00000000-0000-8000-8000-000000000000',
  reportId: () => 'log-ons',
  every: () => 'monthly',
  cron: () => undefined,
  timeZone: () => 'UTC',
  period: () => undefined,
  parameters: () => undefined,
  formats: () => undefined,
  attach: () => undefined,
  keepDays: () => 5,
  'tenantAlerts.sortBy': () => 'lastEventTime',
  'tenantIncidents.sortBy': () => 'lastEventTime',
  minutes: () => 90,
  backtestId: ({ backtestId }) => backtestId,
  verdict: () => 'expected',
  'commentAlert.comment': () => 'tried',
  'commentIncident.comment': () => 'tried',
  comment: () => undefined,
  assignee: () => undefined,
  'suppressAlert.fields': () => ['serverInstanceName'],
  until: () => new Date(Date.now() + 86_400_000).toISOString(),
  reason: () => 'tried',
  source: () => 'title: x',
  enabled: () => true,
  threshold: () => undefined,
  timespan: () => undefined,
  'tuneRule.severity': () => undefined,
  dedupMinutes: () => undefined,
  exceptions: () => undefined,
  'testRule.days': () => 1,
  'testRule.tuning': () => undefined,
  'auditLogEntries.start': () => 0,
  'auditLogCheck.start': () => 0,
  'auditLogCheckpoints.after': () => 0,
  // The answer repeats the question, so it asks for no mark.
  ...Object.fromEntries(
    ['search', 'filter', ...FILTER_NAMES].map((name) => [
      `auditFilter.${name}`,
      () => (name === 'filter' ? 'objectName:*' : undefined),
    ]),
  ),
  'auditHistogram.buckets': () => 10,
  'accessLog.from': () => undefined,
  'accessLog.to': () => undefined,
  'accessLog.after': () => undefined,
  'accessLog.outcome': () => 'ok',
  operation: () => undefined,
  destinationId: ({ destinationId }) => destinationId,
  holdId: ({ holdId }) => holdId,
  type: () => 'webhook',
  url: () => 'https://siem.invalid',
  format: () => 'native',
  settings: () => undefined,
  secrets: () => undefined,
  position: () => '0',
  'createDestination.from': () => 'now',
  'replayDestination.from': () => undefined,
  sortBy: () => 'databaseName',
  sortDirection: () => 'asc',
  expiresAt: () => undefined,
  'createEnrollToken.expiresAt': () => AFTER,
  allowedAddresses: () => undefined,
  rateLimitPerMinute: () => undefined,
  overlapMinutes: () => 5,
  uses: () => 1,
  keyDays: () => undefined,
  // The sealed week stays as it is.
  week: () => AFTER,
  retentionDays: () => undefined,
  'retentionPreview.days': () => 1,
  // Nothing is held back, and so nothing changes.
  'finishRestore.go': () => true,
  'finishRestore.keepEpoch': () => false,
  'setTenantRetention.days': () => undefined,
  masksStatements: () => false,
  // It finds nothing, and another number is refused: the events of the other calls stay.
  erased: () => ({ filter: 'objectName:"nothing"' }),
  'eraseEvents.events': () => 1,
  erasureIds: () => ['01964000-0000-7000-8000-000000000001'],
};

const givenTo = ({ name: field }: RootField, { name }: GraphQLArgument) =>
  ARGUMENTS[`${field}.${name}`] ?? ARGUMENTS[name];

/** @returns the arguments that have no value here */
export const unknownArguments = (): string[] =>
  ROOT_FIELDS.flatMap(({ field }) =>
    field.args.filter((arg) => !givenTo(field, arg)).map((arg) => `${field.name}.${arg.name}`),
  );

/** A call of a root field that selects everything, with the required arguments or with all. */
export function rootFieldCall(
  { field, operation }: RootFieldCase,
  target: MarkedTenant,
  withAll: boolean,
): Call {
  const args = field.args.filter(
    (arg) => withAll || (isNonNullType(arg.type) && arg.defaultValue === undefined),
  );
  const values = args.flatMap((arg) => {
    const value = givenTo(field, arg)?.(target);
    return value === undefined ? [] : [{ arg, value }];
  });
  const declared = values.map(({ arg }) => `$${arg.name}: ${arg.type}`).join(', ');
  const given = values.map(({ arg }) => `${arg.name}: $${arg.name}`).join(', ');
  const query =
    `${operation}${declared && `(${declared})`} ` +
    `{ ${field.name}${given && `(${given})`} ${selectionOf(field.type)} }`;
  const variables = Object.fromEntries(values.map(({ arg, value }) => [arg.name, value]));
  return {
    method: 'POST',
    path: '/graphql',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  };
}

/** A selection of all fields, also of nested types. */
function selectionOf(output: GraphQLOutputType): string {
  const type = getNamedType(output);
  if (!isObjectType(type)) return '';
  const fields = Object.values(type.getFields()).map((field) => `${field.name} ${selectionOf(field.type)}`);
  return `{ ${fields.join(' ')} }`;
}

/** Whether the rule of a field permits an actor. */
export function mayUse(field: RootField, { kind, refusal }: Actor): boolean {
  const rule = accessRuleOf(field);
  if (!rule || refusal) return false;
  if (rule.principal === 'operator') return kind === 'operator' || kind === 'operator session';
  if (rule.principal === 'agent') return kind === 'agent';
  if (rule.principal === 'enroll') return false;
  if (rule.operators && (kind === 'operator' || kind === 'operator session')) return true;
  return kind === 'session' || (kind === 'public' && rule.via !== 'session');
}
