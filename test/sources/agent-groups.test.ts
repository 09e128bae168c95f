import { randomUUID } from 'node:crypto';
import { LIMITS } from '../../src/limits';
import { aReport } from '../support/audit-sources';
import { ENGINES } from '../support/engines';
import { useWorld } from '../support/use-world';
import type { TestTenant } from '../support/world';

const GROUP = 'groupId tenantId name position hosts version';
const SETTINGS = 'settings { pollIntervalMs batchMaxEvents logLevel databasesOn databasesOff }';
const CREATE = `mutation($tenantId: String!, $name: String!, $hosts: [String!]!, $position: Int, $pollIntervalMs: Int,
  $batchMaxEvents: Int, $logLevel: AgentLogLevel, $databasesOn: [String!], $databasesOff: [String!]) {
  createAgentGroup(tenantId: $tenantId, name: $name, hosts: $hosts, position: $position, pollIntervalMs: $pollIntervalMs,
    batchMaxEvents: $batchMaxEvents, logLevel: $logLevel, databasesOn: $databasesOn, databasesOff: $databasesOff) {
    ${GROUP} ${SETTINGS} } }`;
const UPDATE = `mutation($groupId: String!, $name: String, $hosts: [String!], $position: Int, $pollIntervalMs: Int,
  $databasesOn: [String!], $databasesOff: [String!], $unset: [String!]) {
  updateAgentGroup(groupId: $groupId, name: $name, hosts: $hosts, position: $position, pollIntervalMs: $pollIntervalMs,
    databasesOn: $databasesOn, databasesOff: $databasesOff, unset: $unset) { ${GROUP} ${SETTINGS} } }`;
const DELETE = 'mutation($groupId: String!) { deleteAgentGroup(groupId: $groupId) { name } }';
const REPORT = `mutation($report: AuditSourceReport!) { reportAuditSource(report: $report) {
  gapsKept settingsVersion ${SETTINGS} } }`;
const SOURCES = `query($tenantId: String) { auditSources(tenantId: $tenantId) {
  hostName agentGroup wantedVersion runningVersion refusedSettings followsSettings
  running { version pollIntervalMs batchMaxEvents logLevel isOn refused { setting reason } } } }`;
const RUNNING = {
  pollIntervalMs: 1_000,
  batchMaxEvents: 500,
  logLevel: 'info',
  isOn: true,
  refused: [],
};

describe.each(ENGINES)('groups of agents on %s', (engine) => {
  const open = useWorld(engine);
  let acme: TestTenant;
  beforeEach(async () => {
    acme = await open.world.tenant();
  });
  const create = async (asked: object) => {
    const given = { tenantId: acme.tenantId, name: 'Group', hosts: ['*'], ...asked };
    return (await open.world.operate(CREATE, given)).createAgentGroup;
  };
  const refusedBy = (query: string, asked: object) =>
    open.world.operate(query, asked).then(
      () => 'not refused',
      (error: Error) => error.message,
    );
  const update = async (asked: object) => (await open.world.operate(UPDATE, asked)).updateAgentGroup;
  const report = async (hostName: string, change: object = {}, tenant = acme) => {
    const given = { report: aReport({ tenantId: tenant.tenantId, hostName, ...change }) };
    const { body } = await open.world.graphql(tenant.agentKey, REPORT, given);
    return body.data?.reportAuditSource ?? body.errors;
  };
  const sources = async () => (await open.world.operate(SOURCES, { tenantId: acme.tenantId })).auditSources;

  it('give a report the settings of the first group that names the host', async () => {
    const all = await create({ name: 'All', pollIntervalMs: 2_000 });
    const prod = await create({ name: 'Production', hosts: ['db1', 'SQL*'], position: 1, logLevel: 'warn' });
    expect([all.position, prod.version]).toEqual([1, all.version + 1]);
    await update({ groupId: all.groupId, position: 2 });
    const none = { batchMaxEvents: null, databasesOn: null, databasesOff: null };
    expect(await report('sqlprod01')).toEqual({
      gapsKept: 0,
      settingsVersion: prod.version,
      settings: { ...none, pollIntervalMs: null, logLevel: 'warn' },
    });
    expect(await report('web')).toEqual({
      gapsKept: 0,
      settingsVersion: prod.version + 1,
      settings: { ...none, pollIntervalMs: 2_000, logLevel: null },
    });
  });

  it('give nothing to a host of no group, or of another tenant', async () => {
    await create({ hosts: ['sql*'] });
    const other = await open.world.tenant('Other');
    const nothing = { gapsKept: 0, settingsVersion: null, settings: null };
    expect(await report('web')).toEqual(nothing);
    expect(await report('sql1', {}, other)).toEqual(nothing);
  });

  it('get a version with each change that no group had before, also after one is deleted', async () => {
    const first = await create({});
    const second = await create({ name: 'Second' });
    await open.world.operate(DELETE, { groupId: second.groupId });
    const third = await create({ name: 'Third' });
    const changed = await update({ groupId: first.groupId, name: 'Renamed' });
    const versions = [first, second, third, changed].map(({ version }) => version);
    expect(versions).toEqual([1, 2, 3, 4]);
  });

  it('change what is given only, and unset settings by their names', async () => {
    const made = await create({ pollIntervalMs: 300, databasesOff: ['Ledger'], batchMaxEvents: 7 });
    const { groupId } = made;
    const moved = await update({ groupId, hosts: ['a*'] });
    expect(moved).toEqual({ ...made, hosts: ['a*'], version: made.version + 1 });
    const unset = await update({ groupId, unset: ['Databases', 'BatchSize'], pollIntervalMs: 400 });
    expect(unset.settings).toEqual({
      pollIntervalMs: 400,
      batchMaxEvents: null,
      logLevel: null,
      databasesOn: null,
      databasesOff: null,
    });
  });

  it('refuse what is out of bounds with all problems at once', async () => {
    const refused = await refusedBy(CREATE, {
      tenantId: acme.tenantId,
      name: ' ',
      hosts: ['', 'x'.repeat(256)],
      position: 0,
      pollIntervalMs: 9,
      batchMaxEvents: LIMITS.ingestBatchEventsMax + 1,
      databasesOff: ['a\u0007'],
    });
    for (const field of ['name', 'hosts[0]', 'hosts[1]', 'position', 'pollIntervalMs', 'batchMaxEvents'])
      expect(refused).toContain(`${field} must`);
    expect(refused).toContain('databasesOff[0] must not have control characters');
    const patterns = Array.from({ length: LIMITS.agentGroupHostsMax + 1 }, (_, i) => `h${i}`);
    for (const hosts of [[], patterns])
      expect(await refusedBy(CREATE, { tenantId: acme.tenantId, name: 'x', hosts })).toContain('hosts must');
  });

  it('refuse a database that is both on and off, also across two changes', async () => {
    const both = {
      tenantId: acme.tenantId,
      name: 'x',
      hosts: ['*'],
      databasesOn: ['A'],
      databasesOff: ['a'],
    };
    expect(await refusedBy(CREATE, both)).toContain('databasesOn[0] is in databasesOff too');
    const { groupId } = await create({ databasesOff: ['Ledger'] });
    expect(await refusedBy(UPDATE, { groupId, databasesOn: ['LEDGER'] })).toContain('both on and off');
  });

  it('are limited in number for each tenant', async () => {
    const limit = jest.replaceProperty(LIMITS as { agentGroupsMax: number }, 'agentGroupsMax', 1);
    await create({});
    expect(await refusedBy(CREATE, { tenantId: acme.tenantId, name: 'x', hosts: ['*'] })).toContain(
      'at most 1',
    );
    limit.restore();
  });

  it('are not found by an unknown id or tenant', async () => {
    for (const groupId of [randomUUID(), 'x'])
      for (const query of [UPDATE, DELETE])
        expect(await refusedBy(query, { groupId })).toContain('no such group');
    expect(await refusedBy(CREATE, { tenantId: '999999', name: 'x', hosts: ['*'] })).toContain(
      'no such tenant',
    );
  });

  it('are for operators only, and each change is in the access log', async () => {
    const { groupId } = await create({ pollIntervalMs: 321 });
    await update({ groupId, name: 'Other' });
    await open.world.operate(DELETE, { groupId });
    const { accessLog } = await open.world.operate(
      'query($tenantId: String) { accessLog(tenantId: $tenantId, first: 10) { entries { operation subject parameters } } }',
      { tenantId: acme.tenantId },
    );
    const noted = accessLog.entries.filter(({ subject }: { subject: string }) => subject === groupId);
    expect(noted.map(({ operation }: { operation: string }) => operation)).toEqual([
      'deleteAgentGroup',
      'updateAgentGroup',
      'createAgentGroup',
    ]);
    expect(noted[2].parameters).toContain('321');
    for (const key of [acme.agentKey, (await open.world.key({ tenantIds: [acme.tenantId] })).key]) {
      const { body } = await open.world.graphql(key, '{ agentGroups { name } }');
      expect(body.errors[0].extensions.code).toBe('forbidden');
    }
  });

  it('show beside what each agent runs, and what it refuses', async () => {
    const { version } = await create({ name: 'Production', hosts: ['sql*'] });
    const refused = [
      { setting: 'Databases', reason: 'NOT_ALLOWED' },
      { setting: 'BatchSize', reason: 'OUT_OF_BOUNDS' },
    ];
    await report('old');
    await report('sql1', { running: { ...RUNNING, version: null } });
    await report('sql2', { running: { ...RUNNING, version, refused } });
    expect(await sources()).toEqual([
      {
        hostName: 'old',
        agentGroup: null,
        wantedVersion: null,
        runningVersion: null,
        refusedSettings: [],
        followsSettings: true,
        running: null,
      },
      {
        hostName: 'sql1',
        agentGroup: 'Production',
        wantedVersion: version,
        runningVersion: null,
        refusedSettings: [],
        followsSettings: false,
        running: { ...RUNNING, version: null },
      },
      {
        hostName: 'sql2',
        agentGroup: 'Production',
        wantedVersion: version,
        runningVersion: version,
        refusedSettings: ['Databases: NOT_ALLOWED', 'BatchSize: OUT_OF_BOUNDS'],
        followsSettings: false,
        running: { ...RUNNING, version, refused },
      },
    ]);
  });

  it('refuse a report with impossible running settings, all problems at once', async () => {
    const [{ message }] = await report('sql1', {
      running: { ...RUNNING, version: 0, pollIntervalMs: 1, batchMaxEvents: 0 },
    });
    for (const field of ['version', 'pollIntervalMs', 'batchMaxEvents'])
      expect(message).toContain(`running.${field} must`);
  });
});
