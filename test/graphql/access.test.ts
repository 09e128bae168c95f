import { GraphQLObjectType, GraphQLSchema, GraphQLString } from 'graphql';
import { SCOPE_NAMES, SCOPES } from '../../src/caller/scopes';
import { accessRuleOf, assertEveryRootFieldHasRule } from '../../src/graphql/access';
import { describeSchema } from '../../src/schema';
import { accessLog, type LoggedAccess } from '../support/access-log';
import { ANY_ENGINE } from '../support/engines';
import { until } from '../support/until';
import { useWorld } from '../support/use-world';

const ACTIVE = SCOPE_NAMES.filter((name) => SCOPES[name].status === 'Active');
const UUID = '00000000-0000-8000-8000-000000000000';
/** Each root field with the kind of principal that may use it. A new field without a row fails the test. */
const MATRIX = {
  'Query.auditEvents': ['public', '{ auditEvents { totalCount } }'],
  'Query.auditEvent': ['public', `{ auditEvent(recordId: "${UUID}") { recordId } }`],
  'Query.auditEventUsual': ['public', `{ auditEventUsual(recordId: "${UUID}") { recordId } }`],
  'Query.auditSummary': ['public', '{ auditSummary { totalCount } }'],
  // Fields for sessions of the dashboard are called in test/explore/explore.test.ts.
  'Query.auditHistogram': ['session', '{ auditHistogram { bucketSeconds } }'],
  'Query.auditFacets': ['session', '{ auditFacets { totalCount } }'],
  'Query.auditRows': ['session', '{ auditRows { responseRows affectedRows } }'],
  'Query.auditGroups': ['session', '{ auditGroups { totalCount } }'],
  'Query.auditGroupsOverTime': ['session', '{ auditGroupsOverTime { totalCount } }'],
  'Query.auditGroupGrid': ['session', '{ auditGroupGrid { totalCount } }'],
  'Query.auditWeekHours': ['session', '{ auditWeekHours { startTime } }'],
  'Query.complianceFrameworks': ['public', '{ complianceFrameworks { totalCount } }', 'read:compliance'],
  'Query.complianceControls': ['public', '{ complianceControls { totalCount } }', 'read:compliance'],
  'Query.complianceControl': [
    'public',
    '{ complianceControl(controlId: "5.4") { title } }',
    'read:compliance',
  ],
  'Query.complianceSummary': ['public', '{ complianceSummary { pass } }', 'read:compliance'],
  'Query.reports': ['public', '{ reports { totalCount } }', 'read:reports'],
  'Query.reportRun': ['public', `{ reportRun(runId: "${UUID}") { title } }`, 'read:reports'],
  'Query.alerts': ['public', '{ alerts { totalCount } }', 'read:alerts'],
  'Query.alert': ['public', `{ alert(alertId: "${UUID}") { alertId } }`, 'read:alerts'],
  'Query.alertCounts': ['session', '{ alertCounts { alerts } }', 'read:alerts'],
  'Query.findingCounts': ['session', '{ findingCounts { findings } }', 'read:findings'],
  'Query.findings': ['public', '{ findings { totalCount } }', 'read:findings'],
  'Query.finding': ['public', `{ finding(findingId: "${UUID}") { findingId } }`, 'read:findings'],
  'Query.alertRoutes': ['operator', '{ alertRoutes(tenantId: "1") { routeId } }'],
  'Mutation.createAlertRoute': [
    'operator',
    'mutation { createAlertRoute(tenantId: "1", name: "x") { routeId } }',
  ],
  'Mutation.removeAlertRoute': [
    'operator',
    `mutation { removeAlertRoute(tenantId: "1", routeId: "${UUID}") }`,
  ],
  'Query.alertSuppressions': [
    'session or operator',
    '{ alertSuppressions(tenantId: "1") { reason } }',
    'read:alerts',
  ],
  'Mutation.endAlertSuppression': [
    'public or operator',
    `mutation { endAlertSuppression(tenantId: "1", suppressionId: "${UUID}") }`,
    'work:alerts',
  ],
  'Query.incidents': ['public', '{ incidents { totalCount } }', 'read:alerts'],
  'Query.incident': ['public', `{ incident(incidentId: "${UUID}") { incidentId } }`, 'read:alerts'],
  'Query.tenantIncidents': ['operator', '{ tenantIncidents { totalCount } }'],
  'Query.tenantIncident': ['operator', `{ tenantIncident(incidentId: "${UUID}") { incidentId } }`],
  'Query.incidentChanges': [
    'session or operator',
    `{ incidentChanges(incidentId: "${UUID}") { changeId } }`,
    'read:alerts',
  ],
  'Mutation.acknowledgeIncidents': [
    'public or operator',
    `mutation { acknowledgeIncidents(incidentIds: ["${UUID}"]) }`,
    'work:alerts',
  ],
  'Mutation.resolveIncidents': [
    'public or operator',
    `mutation { resolveIncidents(incidentIds: ["${UUID}"], verdict: expected) }`,
    'work:alerts',
  ],
  'Mutation.assignIncidents': [
    'public or operator',
    `mutation { assignIncidents(incidentIds: ["${UUID}"]) }`,
    'work:alerts',
  ],
  'Mutation.acknowledgeIncident': [
    'public or operator',
    `mutation { acknowledgeIncident(incidentId: "${UUID}") { incidentId } }`,
    'work:alerts',
  ],
  'Mutation.resolveIncident': [
    'public or operator',
    `mutation { resolveIncident(incidentId: "${UUID}", verdict: expected) { incidentId } }`,
    'work:alerts',
  ],
  'Mutation.assignIncident': [
    'public or operator',
    `mutation { assignIncident(incidentId: "${UUID}") { incidentId } }`,
    'work:alerts',
  ],
  'Mutation.commentIncident': [
    'public or operator',
    `mutation { commentIncident(incidentId: "${UUID}", comment: "x") { incidentId } }`,
    'work:alerts',
  ],
  'Mutation.moveAlert': [
    'public or operator',
    `mutation { moveAlert(alertId: "${UUID}") { incidentId } }`,
    'work:alerts',
  ],
  'Mutation.setIncidentMinutes': [
    'public or operator',
    'mutation { setIncidentMinutes(tenantId: "1", minutes: 60) }',
    'work:alerts',
  ],
  'Query.tenantAlerts': ['operator', '{ tenantAlerts { totalCount } }'],
  'Query.tenantAlert': ['operator', `{ tenantAlert(alertId: "${UUID}") { alertId } }`],
  'Query.alertChanges': [
    'session or operator',
    `{ alertChanges(alertId: "${UUID}") { changeId } }`,
    'read:alerts',
  ],
  'Query.detectionRules': [
    'session or operator',
    '{ detectionRules(tenantId: "1") { ruleId } }',
    'read:alerts',
  ],
  'Query.exceptionPreview': [
    'public or operator',
    `{ exceptionPreview(alertId: "${UUID}") { text } }`,
    'work:alerts',
  ],
  'Mutation.addRuleException': [
    'public or operator',
    `mutation { addRuleException(alertId: "${UUID}", fields: ["clientIp"], verdict: expected) { resolved } }`,
    'work:alerts',
  ],
  'Query.ruleCoverage': ['session or operator', '{ ruleCoverage(tenantId: "1") { ruleId } }', 'read:alerts'],
  'Query.backtest': ['session or operator', `{ backtest(backtestId: "${UUID}") { state } }`, 'work:alerts'],
  'Mutation.acknowledgeAlert': [
    'public or operator',
    `mutation { acknowledgeAlert(alertId: "${UUID}") { alertId } }`,
    'work:alerts',
  ],
  'Mutation.resolveAlert': [
    'public or operator',
    `mutation { resolveAlert(alertId: "${UUID}", verdict: expected) { alertId } }`,
    'work:alerts',
  ],
  'Mutation.assignAlert': [
    'public or operator',
    `mutation { assignAlert(alertId: "${UUID}") { alertId } }`,
    'work:alerts',
  ],
  'Mutation.commentAlert': [
    'public or operator',
    `mutation { commentAlert(alertId: "${UUID}", comment: "x") { alertId } }`,
    'work:alerts',
  ],
  'Mutation.suppressAlert': [
    'public or operator',
    `mutation { suppressAlert(alertId: "${UUID}", until: "x", reason: "x") { alertId } }`,
    'work:alerts',
  ],
  'Mutation.importRules': [
    'public or operator',
    'mutation { importRules(tenantId: "1", source: "x") { ruleId } }',
    'work:alerts',
  ],
  'Mutation.removeRule': [
    'public or operator',
    `mutation { removeRule(tenantId: "1", ruleId: "${UUID}") { ruleId } }`,
    'work:alerts',
  ],
  'Mutation.setRuleEnabled': [
    'public or operator',
    `mutation { setRuleEnabled(tenantId: "1", ruleId: "${UUID}", enabled: true) { ruleId } }`,
    'work:alerts',
  ],
  'Mutation.tuneRule': [
    'public or operator',
    `mutation { tuneRule(tenantId: "1", ruleId: "${UUID}") { ruleId } }`,
    'work:alerts',
  ],
  'Mutation.testRule': [
    'public or operator',
    'mutation { testRule(tenantId: "1", source: "x") { state } }',
    'work:alerts',
  ],
  'Query.destinations': ['operator', '{ destinations { destinationId } }'],
  'Query.destinationTypes': ['operator', '{ destinationTypes { type } }'],
  'Query.destinationSetAside': [
    'operator',
    `{ destinationSetAside(first: 1, destinationId: "${UUID}") { position } }`,
  ],
  'Mutation.createDestination': [
    'operator',
    `mutation { createDestination(tenantId: "1", name: "x", type: "webhook", url: "https://example.com", from: "now",
       filter: "", format: "native") { destinationId } }`,
  ],
  'Mutation.updateDestination': [
    'operator',
    `mutation { updateDestination(destinationId: "${UUID}", name: "x") { destinationId } }`,
  ],
  'Mutation.testDestination': [
    'operator',
    `mutation { testDestination(destinationId: "${UUID}") { __typename } }`,
  ],
  'Mutation.tryDestination': [
    'operator',
    `mutation { tryDestination(tenantId: "1", type: "webhook", url: "ftp://x") { accepted } }`,
  ],
  'Mutation.tryDestinationChange': [
    'operator',
    `mutation { tryDestinationChange(destinationId: "${UUID}", format: "ocsf") { accepted } }`,
  ],
  'Mutation.pauseDestination': [
    'operator',
    `mutation { pauseDestination(destinationId: "${UUID}") { destinationId } }`,
  ],
  'Mutation.finishRestore': ['operator', 'mutation { finishRestore(go: true) { epoch } }'],
  'Mutation.resumeDestination': [
    'operator',
    `mutation { resumeDestination(destinationId: "${UUID}") { destinationId } }`,
  ],
  'Mutation.replayDestination': [
    'operator',
    `mutation { replayDestination(destinationId: "${UUID}") { destinationId } }`,
  ],
  'Mutation.rotateDestinationSecret': [
    'operator',
    `mutation { rotateDestinationSecret(destinationId: "${UUID}", overlapMinutes: 1) { __typename } }`,
  ],
  'Mutation.removeDestination': [
    'operator',
    `mutation { removeDestination(destinationId: "${UUID}") { destinationId } }`,
  ],
  'Query.auditSourceItems': ['public', '{ auditSourceItems { totalCount } }'],
  'Query.auditFilter': ['session', '{ auditFilter { words } }'],
  'Query.auditCoverage': ['session', '{ auditCoverage { __typename } }'],
  'Query.entity': ['session', '{ entity(kind: "login", value: "x") { events } }'],
  'Query.overview': ['session', '{ overview { startTime } }'],
  'Query.savedSearches': ['session', '{ savedSearches { searchId } }'],
  'Mutation.saveSearch': [
    'session',
    'mutation { saveSearch(tenantId: "1", name: "x", filter: "x", isShared: false) { searchId } }',
  ],
  'Mutation.removeSavedSearch': [
    'session',
    `mutation { removeSavedSearch(searchId: "${UUID}") { searchId } }`,
  ],
  'Query.eventNotes': ['session', `{ eventNotes(recordIds: ["${UUID}"]) { noteId } }`],
  'Mutation.addEventNote': [
    'session',
    `mutation { addEventNote(recordId: "${UUID}", note: "x") { noteId } }`,
    'work:alerts',
  ],
  'Mutation.removeEventNote': [
    'session',
    `mutation { removeEventNote(recordId: "${UUID}", noteId: "${UUID}") { noteId } }`,
    'work:alerts',
  ],
  'Query.incidentEvents': ['session', `{ incidentEvents(incidentId: "${UUID}") { recordId } }`],
  'Query.eventIncidents': ['session', `{ eventIncidents(recordId: "${UUID}") { incidentId } }`],
  'Query.incidentChoices': [
    'session',
    `{ incidentChoices(recordId: "${UUID}") { incidentId } }`,
    'work:alerts',
  ],
  'Mutation.addToIncident': [
    'session',
    `mutation { addToIncident(incidentId: "${UUID}", recordId: "${UUID}") { incidentId } }`,
    'work:alerts',
  ],
  'Mutation.takeOutOfIncident': [
    'session',
    `mutation { takeOutOfIncident(incidentId: "${UUID}", recordId: "${UUID}") { incidentId } }`,
    'work:alerts',
  ],
  'Query.auditLog': ['public', '{ auditLog { size } }'],
  'Query.auditLogCheck': ['operator', '{ auditLogCheck(tenantId: "1") { next } }'],
  'Query.auditLogs': ['operator', '{ auditLogs { size } }'],
  'Query.auditLogCheckpoints': ['public', '{ auditLogCheckpoints { checkpoints } }'],
  'Query.auditLogEntries': ['public', '{ auditLogEntries { count } }'],
  'Query.auditLogConsistency': ['public', '{ auditLogConsistency { hashes } }'],
  'Query.auditLogRemovals': ['public', '{ auditLogRemovals { removals { events } } }'],
  'Query.tenants': ['operator', '{ tenants { tenantId } }'],
  'Query.explainFilter': ['operator', '{ explainFilter(tenantId: "1") { by } }'],
  'Query.retentionPreview': ['operator', '{ retentionPreview(tenantId: "1", days: 1) { events } }'],
  'Query.erasurePreview': [
    'operator',
    '{ erasurePreview(tenantId: "1", erased: { filter: "actionId:X" }) { events } }',
  ],
  'Query.erasures': ['operator', '{ erasures(tenantId: "1") { events } }'],
  'Mutation.eraseEvents': [
    'operator',
    'mutation { eraseEvents(tenantId: "1", erased: { filter: "actionId:X" }, reason: "r", events: 1) { events } }',
  ],
  'Mutation.repeatErasures': [
    'operator',
    'mutation { repeatErasures(tenantId: "1", erasureIds: ["01964000-0000-7000-8000-000000000001"]) { events } }',
  ],
  'Query.sealedWeeks': ['operator', '{ sealedWeeks { week } }'],
  'Query.unsealedWeeks': ['operator', '{ unsealedWeeks { week } }'],
  'Mutation.sealWeek': [
    'operator',
    'mutation { sealWeek(tenantId: "1", week: "2026-01-05T00:00:00Z") { outcome } }',
  ],
  'Mutation.restoreWeek': [
    'operator',
    'mutation { restoreWeek(tenantId: "1", week: "2026-01-05T00:00:00Z") { outcome } }',
  ],
  'Query.agentGroups': ['operator', '{ agentGroups { groupId } }'],
  'Mutation.createAgentGroup': [
    'operator',
    'mutation { createAgentGroup(tenantId: "1", name: "x", hosts: ["*"]) { groupId } }',
  ],
  'Mutation.updateAgentGroup': ['operator', `mutation { updateAgentGroup(groupId: "${UUID}") { groupId } }`],
  'Mutation.deleteAgentGroup': ['operator', `mutation { deleteAgentGroup(groupId: "${UUID}") { groupId } }`],
  'Query.agentPackages': ['operator', '{ agentPackages { packageId } }'],
  'Query.agentPackagePart': ['agent', `{ agentPackagePart(packageId: "${UUID}", part: 0) { bytes } }`],
  'Mutation.offerAgentPackage': [
    'operator',
    `mutation { offerAgentPackage(groupId: "${UUID}", version: "1.0.0", build: 1, fileSize: 1, sha256: "${'0'.repeat(64)}",
       signature: "${'A'.repeat(86)}==") { packageId } }`,
  ],
  'Mutation.addAgentPackagePart': [
    'operator',
    `mutation { addAgentPackagePart(packageId: "${UUID}", part: 0, bytes: "AA==") { packageId } }`,
  ],
  'Mutation.withdrawAgentPackage': [
    'operator',
    `mutation { withdrawAgentPackage(packageId: "${UUID}") { packageId } }`,
  ],
  'Query.holds': ['operator', '{ holds { holdId } }'],
  'Mutation.createHold': ['operator', 'mutation { createHold(tenantId: "1", reason: "x") { holdId } }'],
  'Mutation.endHold': ['operator', `mutation { endHold(holdId: "${UUID}", reason: "x") { holdId } }`],
  'Query.logEpoch': ['operator', '{ logEpoch { epoch } }'],
  'Query.retentionRuns': ['operator', '{ retentionRuns { tenantId } }'],
  'Mutation.setTenantMasking': [
    'operator',
    'mutation { setTenantMasking(tenantId: "1", masksStatements: true) { tenantId } }',
  ],
  'Mutation.setTenantRetention': [
    'operator',
    'mutation { setTenantRetention(tenantId: "1", days: 30) { tenantId } }',
  ],
  'Query.complianceDeclarations': [
    'session or operator',
    '{ complianceDeclarations(tenantId: "1") { reason } }',
    'read:compliance',
  ],
  'Mutation.declareCompliance': [
    'operator',
    `mutation { declareCompliance(tenantId: "1", kind: auditor, principalName: "x", reason: "y") { reason } }`,
  ],
  'Mutation.uploadComplianceSnapshot': [
    'operator',
    'mutation { uploadComplianceSnapshot(tenantId: "1", snapshot: "{}") { reason } }',
  ],
  'Mutation.endComplianceDeclaration': [
    'operator',
    `mutation { endComplianceDeclaration(tenantId: "1", declarationId: "${UUID}") { reason } }`,
  ],
  'Query.reportChoices': ['session or operator', '{ reportChoices { reportId } }', 'read:reports'],
  'Query.reportSchedules': [
    'session or operator',
    '{ reportSchedules(tenantId: "1") { name } }',
    'read:reports',
  ],
  'Mutation.createReportSchedule': [
    'operator',
    `mutation { createReportSchedule(tenantId: "1", name: "x", reportId: "log-ons", every: "daily",
       emails: ["a@example.com"]) { name } }`,
  ],
  'Mutation.updateReportSchedule': [
    'operator',
    `mutation { updateReportSchedule(tenantId: "1", scheduleId: "${UUID}") { name } }`,
  ],
  'Mutation.pauseReportSchedule': [
    'operator',
    `mutation { pauseReportSchedule(tenantId: "1", scheduleId: "${UUID}") { name } }`,
  ],
  'Mutation.resumeReportSchedule': [
    'operator',
    `mutation { resumeReportSchedule(tenantId: "1", scheduleId: "${UUID}") { name } }`,
  ],
  'Mutation.sendReportScheduleNow': [
    'operator',
    `mutation { sendReportScheduleNow(tenantId: "1", scheduleId: "${UUID}") { name } }`,
  ],
  'Mutation.removeReportSchedule': [
    'operator',
    `mutation { removeReportSchedule(tenantId: "1", scheduleId: "${UUID}") }`,
  ],
  'Query.auditSourceList': ['operator', '{ auditSourceList { totalCount } }'],
  'Query.auditSources': ['operator', '{ auditSources { hostName gaps { gapId } } }'],
  'Mutation.removeAuditSources': [
    'operator',
    'mutation { removeAuditSources(tenantId: "1", reportedBefore: "2026-01-01") { sources } }',
  ],
  'Mutation.retireAuditSource': [
    'operator',
    'mutation { retireAuditSource(tenantId: "1", hostName: "a", reason: "b") { sources } }',
  ],
  'Mutation.reportAuditSource': [
    'agent',
    `mutation { reportAuditSource(report: { tenantId: "1", hostName: "a", databaseName: "b", agentVersion: "1",
       publishedCount: 0, waitingBytes: 0, gaps: [] }) { gapsKept } }`,
  ],
  'Query.apiKeys': ['operator', '{ apiKeys { keyId } }'],
  'Query.accessLog': ['operator', '{ accessLog { endCursor } }'],
  'Query.agentKey': ['agent', '{ agentKey { keyId } }'],
  'Mutation.renewAgentKey': ['agent', 'mutation { renewAgentKey { keyId } }'],
  'Mutation.renewAgentKeys': ['operator', 'mutation { renewAgentKeys(tenantId: "99") { asked } }'],
  'Mutation.createOperatorKey': ['operator', 'mutation { createOperatorKey(name: "x") { keyId } }'],
  'Mutation.rotateApiKey': ['operator', `mutation { rotateApiKey(keyId: "${UUID}") { keyId } }`],
  'Mutation.ingestAuditEvents': [
    'agent',
    'mutation { ingestAuditEvents(batch: { events: [] }) { accepted } }',
  ],
  'Mutation.createTenant': ['operator', 'mutation { createTenant(name: "x") { tenantId } }'],
  'Mutation.renameTenant': ['operator', 'mutation { renameTenant(tenantId: "1", name: "x") { tenantId } }'],
  'Mutation.disableTenant': [
    'operator',
    'mutation { disableTenant(tenantId: "1", reason: "x") { tenantId } }',
  ],
  'Mutation.enableTenant': ['operator', 'mutation { enableTenant(tenantId: "1") { tenantId } }'],
  'Mutation.createEnrollToken': [
    'operator',
    'mutation { createEnrollToken(name: "x", tenantId: "1", uses: 1, expiresAt: "2099-01-01") { keyId } }',
  ],
  'Mutation.enrollAgent': ['enroll', 'mutation { enrollAgent(hostName: "SQL01") { keyId } }'],
  'Mutation.createApiKey': ['operator', 'mutation { createApiKey(name: "x", tenantIds: ["1"]) { keyId } }'],
  'Mutation.createAgentKey': ['operator', 'mutation { createAgentKey(name: "x", tenantId: "1") { keyId } }'],
  'Mutation.revokeApiKey': ['operator', `mutation { revokeApiKey(keyId: "${UUID}") { keyId } }`],
} as const;
type RootField = keyof typeof MATRIX;
const FIELDS = Object.keys(MATRIX) as RootField[];

const lineOf = ({ requestId, operation, outcome }: LoggedAccess) => `${requestId} ${operation} ${outcome}`;

const schema = describeSchema();
const rootFields = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].flatMap(
  (type) =>
    Object.values(type?.getFields() ?? {}).map((field) => ({ name: `${type?.name}.${field.name}`, field })),
);

describe('the schema', () => {
  it("states an access rule on every root field, and this test's matrix has the same fields and rules", () => {
    expect(rootFields.map(({ name }) => name).sort()).toEqual([...FIELDS].sort());
    for (const { name, field } of rootFields) {
      const rule = accessRuleOf(field);
      const one = rule?.principal === 'public' ? (rule.via ?? rule.principal) : rule?.principal;
      const isShared = rule?.principal === 'public' && rule.operators === true;
      expect(isShared ? `${one} or operator` : one).toBe(MATRIX[name as RootField][0]);
    }
  });

  it('requires the specified scope for every field of public keys', () => {
    for (const { name, field } of rootFields) {
      const rule = accessRuleOf(field);
      const [, , scope = 'read:audit-activity'] = MATRIX[name as RootField] as readonly string[];
      if (rule?.principal === 'public') expect(rule.scope).toBe(scope);
    }
  });

  it.each(['query', 'mutation', 'subscription'] as const)(
    'is refused at the start when a %s has no access rule',
    (kind) => {
      const field = { type: GraphQLString };
      const ruled = { ...field, extensions: { access: { principal: 'operator' } } };
      const type = (name: string, fields: Record<string, typeof field>) =>
        new GraphQLObjectType({ name, fields });
      const others = { query: type('Query', { ruled }) };
      expect(() => assertEveryRootFieldHasRule(new GraphQLSchema(others))).not.toThrow();
      const forgotten = new GraphQLSchema({ ...others, [kind]: type('Root', { ruled, forgotten: field }) });
      expect(() => assertEveryRootFieldHasRule(forgotten)).toThrow('Root.forgotten states no access rule');
    },
  );
});

describe('each root field', () => {
  const open = useWorld(ANY_ENGINE);
  const callers = {} as Record<
    string,
    { key: string | null; passes: (kind: string) => boolean; refusal: string }
  >;
  beforeAll(async () => {
    const { world } = open;
    const acme = await world.tenant();
    const never = () => false;
    const tenantIds = [acme.tenantId];
    Object.assign(callers, {
      'no key': { key: null, passes: never, refusal: 'unauthorized' },
      'a public key': {
        key: (await world.key({ tenantIds, scopes: ACTIVE })).key,
        passes: (kind: string) => kind.startsWith('public'),
        refusal: 'forbidden',
      },
      'a public key of another scope': {
        key: (await world.keyWithoutScopes({ tenantIds })).key,
        passes: never,
        refusal: 'forbidden',
      },
      'a public key without tenants': {
        key: (await world.keyWithoutTenants()).key,
        passes: never,
        refusal: 'forbidden',
      },
      'an agent key': {
        key: acme.agentKey,
        passes: (kind: string) => kind === 'agent',
        refusal: 'forbidden',
      },
      'the operator key': {
        key: world.operatorKey,
        passes: (kind: string) => kind.endsWith('operator'),
        refusal: 'forbidden',
      },
    });
  });
  const CALLERS = ['no key', 'a public key', 'a public key of another scope', 'a public key without tenants'];

  describe.each([...CALLERS, 'an agent key', 'the operator key'])('with %s', (who) => {
    it.each(FIELDS)('%s', async (name) => {
      const [kind, document] = MATRIX[name];
      const caller = callers[who];
      const { body } = await open.world.graphql(caller?.key ?? null, document);
      const codes = (body.errors ?? []).map(
        (error: { extensions: { code: string } }) => error.extensions.code,
      );
      if (caller?.passes(kind)) {
        expect(codes).not.toContain('forbidden');
        expect(codes).not.toContain('unauthorized');
      } else {
        expect(codes).toEqual([caller?.refusal]);
        expect(Object.values(body.data ?? {}).filter((value) => value !== null)).toEqual([]);
      }
    });
  });

  it('leaves an entry in the access log for every caller, except for accepted batches and reports of agents', async () => {
    const { world } = open;
    const expected: string[] = [];
    for (const { key } of Object.values(callers).filter((caller) => caller.key)) {
      for (const name of FIELDS) {
        const { headers, body } = await world.graphql(key, MATRIX[name][1]);
        const outcome = body.errors?.[0].extensions.code ?? 'ok';
        if (MATRIX[name][0] === 'agent' && outcome === 'ok') continue;
        expected.push(`${headers.get('X-Request-Id')} ${name.split('.')[1]} ${outcome}`);
      }
    }
    const requests = new Set(expected.map((line) => line.split(' ')[0]));
    const written = async () =>
      (await accessLog(world)).filter(({ requestId }) => requests.has(requestId)).map(lineOf);
    const found = await until(written, (lines) => lines.length >= expected.length);
    expect(found.sort()).toEqual(expected.sort());
  });

  it('is hidden from a caller without a key, and so is the schema', async () => {
    for (const document of ['{ __typename }', '{ __schema { queryType { name } } }', 'not even GraphQL']) {
      const { status, body } = await open.world.graphql(null, document);
      expect([status, body.errors[0].extensions.code]).toEqual([401, 'unauthorized']);
    }
  });

  it('is refused before its arguments are checked', async () => {
    const { world } = open;
    const wrong = `{ auditEvents(page: 0) { page } auditEvent(recordId: "x") { recordId } }`;
    for (const { key } of [await world.keyWithoutTenants(), await world.key({ scopes: [] })]) {
      const { body } = await world.graphql(key, wrong);
      for (const { extensions } of body.errors) expect(extensions.code).toBe('forbidden');
    }
  });

  it('is refused beside a permitted field, and the answer has no data of the refused field', async () => {
    const acme = await open.world.tenant();
    const { body } = await open.world.graphql(
      acme.key,
      '{ auditSummary { totalCount } tenants { tenantId } }',
    );
    expect(body.errors[0].extensions.code).toBe('forbidden');
    expect(JSON.stringify(body.data ?? null)).not.toContain('tenantId');
  });
});
