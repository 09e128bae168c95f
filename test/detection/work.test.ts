import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { accessLog } from '../support/access-log';
import { runCli } from '../support/cli';
import { ANY_ENGINE } from '../support/engines';
import { anEvent } from '../support/events';
import { until } from '../support/until';
import { useWorld } from '../support/use-world';
import type { TestTenant } from '../support/world';

describe('the command line', () => {
  const open = useWorld(ANY_ENGINE);
  let tenant: TestTenant;
  let key: string;

  async function run(...args: string[]) {
    const { world } = open;
    const done = await runCli([
      ...args,
      '--service',
      world.service.url,
      '--operator-key',
      world.operatorKey,
      '--json',
    ]);
    if (done.error !== null) throw new Error(done.error);
    return JSON.parse(done.lines[0] ?? '');
  }
  const role = (login: string, change: object = {}) =>
    anEvent({
      actionId: 'APRL',
      objectName: 'sysadmin',
      serverPrincipalName: login,
      additional: { classType: 'SG', targetServerPrincipalName: 'eve' },
      ...change,
    });
  const alerts = (count: number) =>
    until(
      () => run('alert', 'list', '--tenant', tenant.tenantId),
      (found) => found.length >= count,
    );

  beforeAll(async () => {
    tenant = await open.world.tenant();
    const scopes = ['read:alerts', 'work:alerts'];
    key = (await open.world.key({ tenantIds: [tenant.tenantId], scopes })).key;
  });

  it('changes alerts, and each change is in the access log', async () => {
    await tenant.ingest([role('CORP\\dba')]);
    const [alert] = await alerts(1);
    expect(alert).toMatchObject({ status: 'new', severity: 'high' });
    expect(await run('alert', 'acknowledge', alert.alertId, '--comment', 'looking')).toMatchObject({
      status: 'acknowledged',
      assignee: null,
    });
    await run('alert', 'assign', alert.alertId, '--assignee', 'ada');
    const resolved = await run('alert', 'resolve', alert.alertId, '--verdict', 'true_positive');
    expect(resolved).toMatchObject({ status: 'resolved', verdict: 'true_positive', assignee: 'ada' });
    const { changes } = await run('alert', 'show', alert.alertId);
    expect(changes.map(({ kind }: { kind: string }) => kind)).toEqual([
      'acknowledged',
      'assigned',
      'resolved',
    ]);
    const entries = await accessLog(open.world);
    for (const operation of ['acknowledgeAlert', 'assignAlert', 'resolveAlert'])
      expect(entries).toContainEqual(expect.objectContaining({ operation, outcome: 'ok' }));
    // A resolved alert has ended: a later finding makes a new alert.
    await tenant.ingest([role('CORP\\dba')]);
    expect(await alerts(2)).toHaveLength(2);
  });

  it('suppresses alerts with the same values until a time', async () => {
    const [alert] = await alerts(2);
    const until_ = new Date(Date.now() + 3_600_000).toISOString();
    await run(
      'alert',
      'suppress',
      alert.alertId,
      '--until',
      until_,
      '--reason',
      'a drill',
      '--fields',
      'serverPrincipalName',
    );
    await tenant.ingest([role('corp\\DBA', { serverInstanceName: 'SQLPROD02' }), role('CORP\\eve')]);
    const found = await alerts(4);
    const statusOf = (login: string, instance: string) =>
      found.find(
        ({ group }: { group: Record<string, string> }) =>
          group.serverPrincipalName === login && group.serverInstanceName === instance,
      )?.status;
    expect(statusOf('corp\\DBA', 'SQLPROD02')).toBe('suppressed');
    expect(statusOf('CORP\\eve', 'SQLPROD01')).toBe('new');
  });

  it('lists suppressions, and ends one before its time', async () => {
    const [suppression] = await run('alert', 'suppressions', '--tenant', tenant.tenantId);
    expect(suppression).toMatchObject({
      reason: 'a drill',
      createdBy: expect.any(String),
      tenantId: tenant.tenantId,
      fields: { serverPrincipalName: 'CORP\\dba' },
    });
    const { suppressionId } = suppression;
    await run('alert', 'unsuppress', suppressionId, '--tenant', tenant.tenantId);
    expect(await run('alert', 'suppressions', '--tenant', tenant.tenantId)).toEqual([]);
    await expect(run('alert', 'unsuppress', suppressionId, '--tenant', tenant.tenantId)).rejects.toThrow(
      'not_found',
    );
    const entries = await accessLog(open.world);
    expect(entries).toContainEqual(
      expect.objectContaining({ operation: 'endAlertSuppression', subject: suppressionId, outcome: 'ok' }),
    );
    // The alert that was kept quiet stays so. A finding that would have been added to it makes another one.
    const again = ['SQLPROD02', 'SQLPROD03'].map((serverInstanceName) =>
      role('CORP\\dba', { serverInstanceName }),
    );
    await tenant.ingest(again);
    const found = await alerts(6);
    const states = found.map(
      ({
        group,
        status,
        findingCount,
      }: {
        group: Record<string, string>;
        status: string;
        findingCount: number;
      }) => `${group.serverInstanceName} ${status} ${findingCount}`,
    );
    expect(states).toEqual(
      expect.arrayContaining(['SQLPROD02 suppressed 1', 'SQLPROD02 new 1', 'SQLPROD03 new 1']),
    );
  });

  it('removes the verdict of an alert that is suppressed or reopened, and puts later findings into a new alert', async () => {
    await tenant.ingest([role('CORP\\max')]);
    const ofMax = async (count: number) =>
      (
        await until(
          () => run('alert', 'list', '--tenant', tenant.tenantId, '--principal', 'corp\\MAX'),
          (some) => some.length >= count,
        )
      ).map(({ alertId, status, verdict, findingCount }: Record<string, unknown>) => ({
        alertId,
        status,
        verdict,
        findingCount,
      }));
    const [{ alertId }] = await ofMax(1);
    await run('alert', 'resolve', alertId, '--verdict', 'expected');
    await tenant.ingest([role('CORP\\max')]);
    const both = await ofMax(2);
    expect(both).toEqual([
      expect.objectContaining({ status: 'new', findingCount: 1 }),
      { alertId, status: 'resolved', verdict: 'expected', findingCount: 1 },
    ]);
    const again = await run('alert', 'acknowledge', alertId, '--assignee', 'ada');
    expect(again).toMatchObject({ status: 'acknowledged', verdict: null, assignee: 'ada' });
    await run('alert', 'resolve', alertId, '--verdict', 'false_positive');
    const until_ = new Date(Date.now() + 3_600_000).toISOString();
    const quiet = await run(
      'alert',
      'suppress',
      alertId,
      '--until',
      until_,
      '--reason',
      'x',
      '--fields',
      'serverPrincipalName',
    );
    expect(quiet).toMatchObject({ status: 'suppressed', verdict: null });
    const { world } = open;
    const none = await world.graphql(
      key,
      `mutation { suppressAlert(alertId: "${alertId}", fields: [], until: "${until_}", reason: "x") { alertId } }`,
    );
    expect(none.body.errors[0].message).toBe('fields must name at least one.');
  });

  it('defines the routes on which alerts are told', async () => {
    const of = ['--tenant', tenant.tenantId];
    const made = await run(
      'alert',
      'route',
      'create',
      ...of,
      '--name',
      'soc',
      '--email',
      'a@example.com',
      'b@example.com',
      '--severity',
      'high',
    );
    expect(made).toMatchObject({
      name: 'soc',
      kind: 'email',
      severity: 'high',
      emails: ['a@example.com', 'b@example.com'],
    });
    expect(await run('alert', 'route', 'list', ...of)).toEqual([made]);
    await expect(run('alert', 'route', 'create', ...of, '--name', 'none')).rejects.toThrow(
      'give either emails or destinationId',
    );
    await run('alert', 'route', 'remove', made.routeId, ...of);
    expect(await run('alert', 'route', 'list', ...of)).toEqual([]);
    // The test has one tenant, so no other tenant is needed here.
    expect(await run('alert', 'route', 'list')).toEqual([]);
  });

  it('refuses a route that would tell nobody, or not as it says', async () => {
    const { world } = open;
    const other = await world.tenant();
    const { createDestination: foreign } = await world.operate(
      'mutation($t: String!) { createDestination(tenantId: $t, name: "siem", type: "webhook", url: "https://siem.example/") { destinationId } }',
      { t: other.tenantId },
    );
    const create = (...options: string[]) =>
      run('alert', 'route', 'create', '--tenant', tenant.tenantId, '--name', 'soc', ...options);
    const none = '00000000-0000-4000-8000-000000000000';
    await expect(create('--destination', foreign.destinationId)).rejects.toThrow('no such destination');
    await expect(create('--destination', none)).rejects.toThrow('no such destination');
    await expect(create('--email', 'a@example.com', '--rule', none)).rejects.toThrow('not_found');
    await expect(create('--email', 'a@example.com', '--format', 'ocsf')).rejects.toThrow('e-mail has none');
    expect(await run('alert', 'route', 'list', '--tenant', tenant.tenantId)).toEqual([]);
  });

  it('lists, tunes, enables and disables rules of a tenant', async () => {
    const rules = await run('rule', 'list', '--tenant', tenant.tenantId);
    expect(rules.length).toBeGreaterThanOrEqual(40);
    expect(
      rules.every(({ enabled, shipped }: { enabled: boolean; shipped: boolean }) => enabled && shipped),
    ).toBe(true);
    const tuned = await run(
      'rule',
      'tune',
      'Many denials',
      '--tenant',
      tenant.tenantId,
      '--threshold',
      '3',
      '--severity',
      'critical',
    );
    expect(tuned).toMatchObject({ severity: 'critical', version: 2 });
    await tenant.ingest(Array.from({ length: 3 }, () => anEvent({ actionId: 'SL', succeeded: false })));
    const found = await until(
      () => run('alert', 'list', '--tenant', tenant.tenantId, '--severity', 'critical'),
      (some) => some.length > 0,
    );
    expect(found[0].title).toMatch(/^Many denials/);
    expect(await run('rule', 'disable', 'sa used', '--tenant', tenant.tenantId)).toMatchObject({
      enabled: false,
    });
    expect(await run('rule', 'enable', 'sa used', '--tenant', tenant.tenantId)).toMatchObject({
      enabled: true,
    });
  });

  it('tests a rule with the settings that are given, and tells which settings a rule has', async () => {
    const { world } = open;
    const t = tenant.tenantId;
    const rules = await run('rule', 'list', '--tenant', t);
    const named = (begin: string) => rules.find(({ title }: { title: string }) => title.startsWith(begin));
    const of = (begin: string) => run('rule', 'show', named(begin).ruleId, '--tenant', t);
    expect((await of('sa used')).settings).toEqual(['severity', 'dedupMinutes', 'exceptions']);
    expect((await of('Trail unhealthy')).settings).toEqual(['severity', 'dedupMinutes']);
    const { ruleId: r, settings, tuning: saved } = await of('Many denials');
    expect(settings).toEqual(['threshold', 'timespan', 'severity', 'dedupMinutes', 'exceptions']);
    expect(JSON.parse(saved)).toMatchObject({ threshold: 3 });
    const TEST = `mutation($t: String!, $r: String, $source: String, $tuning: RuleTuning) {
      testRule(tenantId: $t, ruleId: $r, source: $source, days: 2, tuning: $tuning) { backtestId } }`;
    const found = async (tuning?: object) => {
      const { testRule } = await world.operate(TEST, { t, r, tuning });
      const state = `{ backtest(backtestId: "${testRule.backtestId}") { state findingCount } }`;
      const { backtest } = await until(
        () => world.operate(state),
        (now) => now.backtest.state === 'done',
      );
      return backtest.findingCount;
    };
    expect(await found()).toBe(1);
    expect(await found({ threshold: 2 })).toBe(1);
    expect(await found({ threshold: 4 })).toBe(0);
    // No setting is given: all are as in the file, whose threshold is higher than the saved one.
    expect(await found({})).toBe(0);
    expect(await found({ threshold: 3, exceptions: ['{"actionId":"SL"}'] })).toBe(0);
    expect(JSON.parse((await of('Many denials')).tuning)).toMatchObject({ threshold: 3 });
    const refusal = async (variables: object) =>
      (await world.graphql(world.operatorKey, TEST, { t, ...variables })).body.errors[0].message;
    const noThreshold = { r: named('sa used').ruleId, tuning: { threshold: 7 } };
    expect(await refusal(noThreshold)).toMatch('it has no threshold');
    const wrong = { r, tuning: { threshold: 0, timespan: 'soon' } };
    expect(await refusal(wrong)).toMatch('tuning.threshold must be 1 or more; tuning.timespan must be');
    expect(await refusal({ source: 'x', tuning: {} })).toBe('tuning is of a rule: give it with ruleId.');
  });

  it('takes a whole title for its rule, where another one begins so, and refuses a file that is not UTF-8', async () => {
    const of = ['--tenant', tenant.tenantId];
    const folder = mkdtempSync(path.join(os.tmpdir(), 'rules-'));
    const imported = async (title: string, encoding: BufferEncoding = 'utf8') => {
      const file = path.join(folder, 'rule.yml');
      const rule = `title: ${title}\nlogsource: {product: sqlserver}\ndetection: {s: {actionId: LGIF}, condition: s}\n`;
      writeFileSync(file, rule, encoding);
      return (await run('rule', 'import', file, ...of))[0];
    };
    try {
      const failed = await imported('Failed Logon');
      await imported('Failed Logon From Outside');
      await expect(run('rule', 'show', 'Failed', ...of)).rejects.toThrow('2 rules begin with Failed');
      expect(await run('rule', 'disable', 'failed logon', ...of)).toMatchObject({
        ruleId: failed.ruleId,
        enabled: false,
      });
      await expect(imported('Müller', 'latin1')).rejects.toThrow('cannot be read');
      for (const title of ['Failed Logon From Outside', 'Failed Logon'])
        await run('rule', 'remove', title, ...of);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it.each([
    ['sa used', ['--threshold', '5', '--timespan', '5m'], 'it has no threshold; it has no timespan'],
    ['Success after failures', ['--threshold', '5'], 'it has no threshold'],
    ['New principal', ['--timespan', '5m'], 'it has no timespan'],
    ['Trail unhealthy', ['--exception', '{"clientIp":"10.0.0.1"}'], 'it is not about events'],
    ['Brute force', ['--threshold', '10001'], 'the number must be from 1 to 10000'],
    [
      'Brute force',
      ['--exception', `{"clientIp":"${'1'.repeat(16_384)}"}`],
      'at most 16384 characters in all',
    ],
  ])('refuses to tune %s with %j: %s', async (title, options, reason) => {
    await expect(run('rule', 'tune', title, '--tenant', tenant.tenantId, ...options)).rejects.toThrow(reason);
  });

  it('names the argument that is not a valid id', async () => {
    const removal = `mutation { removeRule(tenantId: "${tenant.tenantId}", ruleId: "x") { ruleId } }`;
    const { body } = await open.world.graphql(open.world.operatorKey, removal);
    expect(body.errors[0].message).toBe('ruleId must be a UUID.');
  });

  it('imports Sigma files, reports a mistake with its line, and tests a rule on stored events', async () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'rules-'));
    const file = path.join(folder, 'own.yml');
    const text = (field: string) =>
      `title: Own rule\nlogsource:\n  product: sqlserver\ndetection:\n  s:\n    ${field}: sysadmin\n  condition: s\nlevel: low\n`;
    writeFileSync(file, text('Image'));
    await expect(run('rule', 'import', file, '--tenant', tenant.tenantId)).rejects.toThrow(
      'Line 6: events have no field Image',
    );
    writeFileSync(file, text('objectName'));
    const test = await run('rule', 'test', file, '--tenant', tenant.tenantId, '--days', '2');
    expect(test).toMatchObject({ state: 'done', findingCount: 8 });
    expect(test.examples).toHaveLength(8);
    writeFileSync(file, `${text('schemaName').replace('Own', 'No')}---\n${text('objectName')}`);
    expect(await run('rule', 'test', file, '--tenant', tenant.tenantId, '--days', '2')).toMatchObject({
      title: 'No rule, and 1 more',
      findingCount: 8,
    });
    writeFileSync(file, text('objectName'));
    const [own] = await run('rule', 'import', file, '--tenant', tenant.tenantId);
    expect(own).toMatchObject({ title: 'Own rule', shipped: false, enabled: true, severity: 'low' });
    await tenant.ingest([role('CORP\\zoe')]);
    await until(
      () => run('alert', 'list', '--tenant', tenant.tenantId, '--rule', own.ruleId),
      (some) => some.length === 1,
    );
    expect((await run('rule', 'show', 'Own rule', '--tenant', tenant.tenantId)).source).toContain(
      'objectName: sysadmin',
    );
    rmSync(folder, { recursive: true });
  });

  it('lets only a key with the right scope work on alerts, and only on those of its tenants', async () => {
    const { world } = open;
    const [alert] = await alerts(1);
    const acknowledge = `mutation { acknowledgeAlert(alertId: "${alert.alertId}") { status } }`;
    expect((await world.graphql(key, acknowledge)).body.data.acknowledgeAlert.status).toBe('acknowledged');
    const codeOf = async (one: string) =>
      (await world.graphql(one, acknowledge)).body.errors[0].extensions.code;
    expect(await codeOf(tenant.key)).toBe('forbidden');
    const other = await world.tenant();
    const foreign = await world.key({ tenantIds: [other.tenantId], scopes: ['work:alerts'] });
    expect(await codeOf(foreign.key)).toBe('not_found');
  });

  it('suppresses alerts without a value like the others', async () => {
    const other = await open.world.tenant();
    const nobody = (change: object) => role('', { serverPrincipalName: null, ...change });
    const listed = (count: number) =>
      until(
        () => run('alert', 'list', '--tenant', other.tenantId),
        (found) => found.length >= count,
      );
    await other.ingest([nobody({})]);
    const [alert] = await listed(1);
    const until_ = new Date(Date.now() + 3_600_000).toISOString();
    await run('alert', 'suppress', alert.alertId, '--until', until_, '--reason', 'a drill');
    const later = { eventTime: '2026-01-06T08:00:00Z' };
    await other.ingest([nobody(later), role('CORP\\eve', later)]);
    const found = await listed(3);
    expect(
      found.map(({ group, status }: { group: Record<string, string | null>; status: string }) => [
        group.serverPrincipalName,
        status,
      ]),
    ).toEqual(
      expect.arrayContaining([
        ['CORP\\eve', 'new'],
        [null, 'suppressed'],
        [null, 'suppressed'],
      ]),
    );
  });

  it('tunes a rule from an alert: what would be gone is told before, and the open alerts are resolved', async () => {
    const { world } = open;
    const own = await world.tenant();
    const given = { tenantIds: [own.tenantId], scopes: ['read:alerts', 'work:alerts'] };
    const { key: worker } = await world.key(given);
    const failure = (clientIp: string, hostName: string, change: object = {}) =>
      anEvent({
        actionId: 'LGIF',
        succeeded: false,
        serverPrincipalName: 'monitor',
        clientIp,
        hostName,
        applicationName: 'Probe',
        statement: "Login failed for user 'monitor'.",
        ...change,
      });
    await own.ingest([
      failure('203.0.113.11', 'PROBE01'),
      failure('203.0.113.12', 'PROBE01'),
      failure('203.0.113.13', 'PROBE01'),
      failure('203.0.113.14', 'PROBE02'),
      // Of this alert, only a part of the events is from the probe.
      failure('203.0.113.15', 'PROBE01'),
      failure('203.0.113.15', 'KALI', { serverPrincipalName: 'sa' }),
    ]);
    const { body } = await until(
      () => world.get('/alerts', worker, { query: { pageSize: 100 } }),
      (answer) => answer.body.data.length >= 5,
    );
    const byAddress = new Map<string, string>(
      body.data.map((one: { alertId: string; group: { clientIp: string } }) => [
        one.group.clientIp,
        one.alertId,
      ]),
    );
    const ask = async (text: string, variables: object, by = worker) =>
      (await world.graphql(by, text, variables)).body;
    const preview = `query ($alertId: String!, $fields: [String!]) {
      exceptionPreview(alertId: $alertId, fields: $fields) {
        choices { field value } alerts removed truePositives open text
      }
    }`;
    const alertId = byAddress.get('203.0.113.11');
    const none = await ask(preview, { alertId, fields: [] });
    expect(none.data.exceptionPreview).toMatchObject({ alerts: 5, removed: 0, open: 0 });
    expect(none.data.exceptionPreview.choices).toEqual(
      expect.arrayContaining([
        { field: 'serverPrincipalName', value: 'monitor' },
        { field: 'clientIp', value: '203.0.113.11' },
        { field: 'hostName', value: 'PROBE01' },
        { field: 'applicationName', value: 'Probe' },
      ]),
    );
    // One was found to be an attack, another is already done.
    const resolve = (id: string | undefined, verdict: string) =>
      ask(`mutation { resolveAlert(alertId: "${id}", verdict: ${verdict}) { status } }`, {});
    await resolve(byAddress.get('203.0.113.12'), 'true_positive');
    const fields = ['hostName', 'serverPrincipalName'];
    const told = await ask(preview, { alertId, fields });
    expect(told.data.exceptionPreview).toMatchObject({
      alerts: 5,
      removed: 3,
      truePositives: 1,
      open: 2,
      text: 'would remove 3 of 5 alerts of the last 30 days, 1 of them true positives',
    });
    const strange = await ask(preview, { alertId, fields: ['statement'] });
    expect(strange.errors[0].message).toContain('Choose among');
    const other = await world.key({ tenantIds: [tenant.tenantId], scopes: given.scopes });
    expect((await ask(preview, { alertId, fields }, other.key)).errors[0].extensions.code).toBe('not_found');

    const add = `mutation ($alertId: String!, $fields: [String!]!) {
      addRuleException(alertId: $alertId, fields: $fields, verdict: false_positive, comment: "our probe") {
        resolved tuning text
      }
    }`;
    const added = await ask(add, { alertId, fields });
    expect(added.data.addRuleException.resolved).toBe(2);
    expect(JSON.parse(added.data.addRuleException.tuning)).toEqual({
      exceptions: [{ hostName: 'PROBE01', serverPrincipalName: 'monitor' }],
    });
    // The same once more adds nothing.
    const again = await ask(add, { alertId, fields: fields.toReversed() });
    expect(again.data.addRuleException).toMatchObject({ resolved: 0 });
    expect(JSON.parse(again.data.addRuleException.tuning).exceptions).toHaveLength(1);
    const now = (await world.get('/alerts', worker, { query: { pageSize: 100 } })).body.data;
    const states = Object.fromEntries(
      now.map((one: { group: { clientIp: string }; status: string; verdict: string | null }) => [
        one.group.clientIp,
        one.verdict ?? one.status,
      ]),
    );
    expect(states).toEqual({
      '203.0.113.11': 'false_positive',
      '203.0.113.12': 'true_positive',
      '203.0.113.13': 'false_positive',
      '203.0.113.14': 'new',
      '203.0.113.15': 'new',
    });
    // The rule leaves such events out from now on.
    await own.ingest([failure('203.0.113.16', 'PROBE01'), failure('203.0.113.17', 'KALI')]);
    const later = await until(
      () => world.get('/alerts', worker, { query: { pageSize: 100 } }),
      (answer) => answer.body.data.length > now.length,
    );
    expect(later.body.data.map((one: { group: { clientIp: string } }) => one.group.clientIp)).not.toContain(
      '203.0.113.16',
    );
  });
});
