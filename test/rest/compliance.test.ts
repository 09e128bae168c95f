import { readFileSync } from 'node:fs';
import path from 'node:path';
import Ajv from 'ajv';
import addFormats from 'ajv-formats';
import { LIMITS } from '../../src/limits';
import { aReport, REPORT, reportOf } from '../support/audit-sources';
import { ONE_ENGINE } from '../support/engines';
import { anEvent, type IngestedEvent } from '../support/events';
import { ROOT } from '../support/imports';
import { until } from '../support/until';
import { useWorld } from '../support/use-world';
import { expectError } from './support/operations';

const SCHEMA = path.join(ROOT, 'test/fixtures/oscal/assessment-results-schema.json');
const isOscal = addFormats(new Ajv({ strict: false, allErrors: true })).compile(
  JSON.parse(readFileSync(SCHEMA, 'utf8')),
);

/** Two instances with a known history: PAY01 loses a group at 10:00, and WEB01 has no specification at all. */
const timeAt = (time: string) => `2026-01-05T${time}.0000000Z`;
const AS_OF = '2026-01-06T00:00:00Z';
const GROUPS = ['AUDIT_CHANGE_GROUP', 'FAILED_LOGIN_GROUP', 'SUCCESSFUL_LOGIN_GROUP'];
const CIS = '5.4';

const event = (time: string, actionId: string, classType: string, more: Partial<IngestedEvent> = {}) =>
  anEvent({
    eventTime: timeAt(time),
    actionId,
    serverInstanceName: 'PAY01',
    serverPrincipalName: 'CORP\\dba.ali',
    objectName: 'Main',
    additional: { classType },
    ...more,
  });
const specification = (time: string, verb: string, rest: string) =>
  event(time, verb === 'CREATE' ? 'CR' : 'AL', 'SA', {
    statement: `${verb} /* ${'x'.repeat(300)} */ SERVER AUDIT SPECIFICATION Main ${rest}`,
  });
const login = (time: string, instance: string, succeeded: boolean) =>
  event(time, succeeded ? 'LGIS' : 'LGIF', 'LX', { serverInstanceName: instance, succeeded });

interface Finding {
  readonly target: { readonly status: { readonly state: string; readonly reason: string } };
  readonly 'related-observations': readonly { readonly 'observation-uuid': string }[];
}
interface Observation {
  readonly uuid: string;
  readonly 'relevant-evidence'?: readonly unknown[];
}

describe.each(ONE_ENGINE)('compliance by REST on %s', (engine) => {
  const at = useWorld(engine);
  let key: string;
  let foreign: string;
  let own: string;
  beforeAll(async () => {
    const { world } = at;
    const [tenant, other] = [await world.tenant(), await world.tenant()];
    own = tenant.tenantId;
    const scopes = ['read:compliance'];
    key = (await world.key({ tenantIds: [tenant.tenantId], scopes })).key;
    foreign = (await world.key({ tenantIds: [other.tenantId], scopes })).key;
    const adds = GROUPS.map((group) => `ADD (${group})`).join(', ');
    await tenant.ingest([
      specification('08:00:00', 'CREATE', `FOR SERVER AUDIT Trail ${adds} WITH (STATE = ON)`),
      login('09:00:00', 'PAY01', true),
      login('09:00:01', 'PAY01', false),
      specification('10:00:00', 'ALTER', 'DROP (FAILED_LOGIN_GROUP)'),
      login('09:30:00', 'WEB01', true),
    ]);
    await other.ingest([login('09:00:00', 'OTHER01', true)]);
  });
  const get = (path: string, query: Record<string, string | number> = {}, by = key) =>
    at.world.get(path, by, { query });
  /** The standing of a control by instance. */
  const standing = async (controlId: string, asOf: string) => {
    const { status, body } = await get(`/compliance/controls/${controlId}`, { asOf });
    expect({ status, error: body.error }).toEqual({ status: 200, error: undefined });
    return Object.fromEntries(
      body.data.instances.map((one: { serverInstanceName: string }) => [one.serverInstanceName, one]),
    );
  };

  it('passes a control by the record that configured its groups', async () => {
    const { PAY01 } = await standing(CIS, timeAt('09:59:59'));

    expect(PAY01).toMatchObject({ status: 'pass', since: timeAt('08:00:00') });
    expect(PAY01.recordIds).toHaveLength(1);
    expect(PAY01.groups.map(({ state }: { state: string }) => state)).toEqual([
      'configured',
      'configured',
      'configured',
    ]);
  });

  it('fails it from the record on that takes a group out, and names the record', async () => {
    const { PAY01 } = await standing(CIS, AS_OF);
    const records = await get('/compliance/controls', { framework: 'cis', asOf: AS_OF, status: 'fail' });

    expect(PAY01).toMatchObject({ status: 'fail', since: timeAt('10:00:00') });
    expect(PAY01.reason).toContain('FAILED_LOGIN_GROUP is not recorded since');
    expect(PAY01.reason).toContain('CORP\\dba.ali');
    expect(records.body.data).toMatchObject([
      { frameworkId: 'cis', controlId: CIS, serverInstanceName: 'PAY01', recordIds: PAY01.recordIds },
    ]);
  });

  it('leaves it unknown where nothing is known, though events of one group came', async () => {
    const { WEB01 } = await standing(CIS, AS_OF);
    const states = WEB01.groups.map(({ group, state }: { group: string; state: string }) => [group, state]);

    expect(WEB01).toMatchObject({ status: 'unknown', since: null, recordIds: [] });
    expect(Object.fromEntries(states)).toEqual({
      AUDIT_CHANGE_GROUP: 'silent',
      FAILED_LOGIN_GROUP: 'silent',
      SUCCESSFUL_LOGIN_GROUP: 'observed',
    });
  });

  it('says which rules cannot see on a server, and is silent of what is not known', async () => {
    const { world } = at;
    const { ruleCoverage } = await world.operate(
      `query ($tenantId: String!) {
        ruleCoverage(tenantId: $tenantId) { title groups sees cannotSee unknown instances { state text } }
      }`,
      { tenantId: own },
    );
    const of = (title: string) => ruleCoverage.find((one: { title: string }) => one.title.startsWith(title));

    expect(of('Failure from outside')).toMatchObject({
      groups: ['FAILED_DATABASE_AUTHENTICATION_GROUP', 'FAILED_LOGIN_GROUP'],
      sees: 0,
      cannotSee: 1,
      unknown: 1,
      instances: [
        { state: 'cannot_see', text: 'cannot see on PAY01: FAILED_LOGIN_GROUP is not recorded' },
        { state: 'unknown', text: expect.stringContaining('not known on WEB01') },
      ],
    });
    expect(of('sa used').instances[0]).toMatchObject({
      state: 'unknown',
      text: expect.stringContaining('WEB01'),
    });
    expect(of('sa used')).toMatchObject({ sees: 1, cannotSee: 0 });
  });

  it('has each control once for each instance, page by page', async () => {
    const names = [];
    let total = 0;
    for (const page of [1, 2, 3]) {
      const { body } = await get('/compliance/controls', {
        framework: 'pci-dss',
        asOf: AS_OF,
        page,
        pageSize: 7,
      });
      total = body.meta.totalCount;
      for (const one of body.data) names.push(`${one.controlId} ${one.serverInstanceName}`);
    }
    expect(new Set(names).size).toBe(names.length);
    expect(names).toHaveLength(Math.min(21, total));
  });

  it('counts the controls of each framework', async () => {
    const frameworks = (await get('/compliance/frameworks', { asOf: AS_OF })).body.data;
    const summary = (await get('/compliance/summary', { asOf: AS_OF })).body.data;

    for (const { frameworkId, controlCount, pass, fail, unknown, notApplicable } of frameworks) {
      const list = await get('/compliance/controls', { framework: frameworkId, asOf: AS_OF, pageSize: 1 });
      expect(list.body.meta.totalCount).toBe(controlCount * 2);
      expect(pass + fail + unknown + notApplicable).toBe(controlCount * 2);
    }
    expect(frameworks.map(({ frameworkId }: { frameworkId: string }) => frameworkId).sort()).toEqual([
      ...['cis', 'hipaa', 'iso-27001', 'nist-800-53', 'pci-dss', 'stig-2016', 'stig-2022'],
    ]);
    expect(summary).toMatchObject({ asOf: '2026-01-06T00:00:00.000Z', instanceCount: 2, frameworks });
  });

  it('says in the summary whether the trail of each server comes, and how far its sources were behind', async () => {
    const tenant = await at.world.tenant();
    const { key: by } = await at.world.key({ tenantIds: [tenant.tenantId], scopes: ['read:compliance'] });
    await tenant.ingest([login('09:00:00', 'PAY01', true), login('09:00:00', 'WEB01', true)]);
    const caughtUpAt = new Date().toISOString();
    const sent = (hostName: string, change: object) =>
      at.world.graphql(tenant.agentKey, REPORT, {
        report: aReport({ tenantId: tenant.tenantId, hostName, ...change }),
      });
    reportOf((await sent('PAY01', { caughtUpAt })).body);
    reportOf((await sent('WEB01', { caughtUpAt, problem: 'The disk is full' })).body);
    const { data } = (await get('/compliance/summary', {}, by)).body;

    expect(data.trails).toMatchObject([
      { serverInstanceName: 'PAY01', state: 'quiet', lastEventTime: timeAt('09:00:00') },
      {
        serverInstanceName: 'WEB01',
        state: 'broken',
        reason: 'The agent on WEB01 runs and cannot publish, or several agents report its source.',
      },
    ]);
    expect(data.trails[0].reason).toContain('Healthy, quiet');
    expect(data.lags).toMatchObject([{ minutes: 1 }, { minutes: 1 }]);
    expect(Date.parse(data.asOf) - Date.parse(data.startTime)).toBe(30 * 86_400_000);
    expect((await get('/compliance/summary', { asOf: AS_OF }, by)).body.data).toMatchObject({
      trails: [{ state: 'unknown' }, { state: 'unknown' }],
      lags: [{ minutes: 0, worstSeconds: null }, { minutes: 0 }],
    });
    expectError(
      await get('/compliance/summary', { asOf: AS_OF, startTime: '2026-02-01T00:00:00Z' }, by),
      400,
      'invalid_parameter',
    );
    expect((await get('/compliance/summary', {}, foreign)).body.data.lags).toEqual([]);
  });

  it('shows a tenant its own instances only', async () => {
    const { body } = await get('/compliance/controls', { asOf: AS_OF, pageSize: 100 }, foreign);

    expect([
      ...new Set(body.data.map((one: { serverInstanceName: string }) => one.serverInstanceName)),
    ]).toEqual(['OTHER01']);
  });

  it('refuses more server instances than an agent may invent, and answers for one of them', async () => {
    const tenant = await at.world.tenant();
    await tenant.ingest(Array.from({ length: 601 }, (_, i) => login('09:00:00', `INVENTED${i}`, true)));
    const { key: many } = await at.world.key({ tenantIds: [tenant.tenantId], scopes: ['read:compliance'] });
    const one = { serverInstanceName: 'invented600', framework: 'cis', asOf: AS_OF };

    expectError(await get('/compliance/summary', { asOf: AS_OF }, many), 400, 'invalid_parameter');
    expect((await get('/compliance/controls', one, many)).body.meta.totalCount).toBe(4);
  });

  it('judges applications by the newest others where there are too many to count, and all else as ever', async () => {
    const { world } = at;
    const tenant = await world.tenant();
    const most = 60;
    const program = (instance: string, applicationName: string) => ({
      ...login('09:00:00', instance, true),
      applicationName,
    });
    await tenant.ingest([
      ...Array.from({ length: most + 1 }, (_, i) => program('MANY01', `Random ${i}`)),
      program('FEW01', 'ssms'),
      program('MANY01', 'Payroll'),
    ]);
    const { key: reader } = await world.key({ tenantIds: [tenant.tenantId], scopes: ['read:compliance'] });
    const judged = async () => {
      const { status, body } = await get('/compliance/controls', { asOf: AS_OF, pageSize: 100 }, reader);
      expect([status, body.error]).toEqual([200, undefined]);
      const ofOne = await get('/compliance/controls/SQLI-22-015500', { asOf: AS_OF }, reader);
      return Object.fromEntries(
        ofOne.body.data.instances.map((one: Record<string, unknown>) => [one.serverInstanceName, one]),
      );
    };
    const counted = jest.replaceProperty(LIMITS, 'groupsCountedMax', most as never);
    const before = await judged();
    await world.operate(
      `mutation($tenantId: String!) {
         declareCompliance(tenantId: $tenantId, kind: application, applicationName: "random*", reason: "test",
           validFrom: "2026-01-01") { declarationId } }`,
      { tenantId: tenant.tenantId },
    );
    const after = await judged();
    counted.restore();

    expect([before.MANY01.reason, before.FEW01.reason]).toEqual([
      'No application is declared. In 30 days, log-ons came from more applications than can be counted.',
      'No application is declared. In 30 days, log-ons came from ssms (1).',
    ]);
    expect([after.MANY01.status, after.MANY01.recordIds.length]).toEqual(['fail', 1]);
    expect(after.FEW01.reason).toBe('Log-ons came from applications that are not declared: ssms (1).');
  });

  it('judges readers of audit files by the newest others where there are too many to count', async () => {
    const { world } = at;
    const tenant = await world.tenant();
    const most = 60;
    const reads = (instance: string, serverPrincipalName: string, time = '09:00:00') =>
      event(time, 'EX', 'IF', {
        ...{ serverInstanceName: instance, serverPrincipalName, objectName: 'fn_get_audit_file' },
      });
    await tenant.ingest([
      ...Array.from({ length: most + 1 }, (_, i) => reads('MANY01', `Random ${i}`)),
      ...['08:00:00', '10:00:00'].map((time) => reads('FEW01', 'Auditor', time)),
      reads('FEW01', 'eve'),
      reads('MANY01', 'mallory'),
    ]);
    await world.operate(
      `mutation($tenantId: String!, $from: String) {
         a: declareCompliance(tenantId: $tenantId, kind: auditor, principalName: "random*", reason: "test",
           validFrom: $from) { declarationId }
         b: declareCompliance(tenantId: $tenantId, kind: auditor, principalName: "auditor", reason: "test",
           validFrom: $from) { declarationId } }`,
      { tenantId: tenant.tenantId, from: '2026-01-01' },
    );
    const { key: reader } = await world.key({ tenantIds: [tenant.tenantId], scopes: ['read:compliance'] });
    const counted = jest.replaceProperty(LIMITS, 'groupsCountedMax', most as never);
    const list = await get('/compliance/controls', { asOf: AS_OF, pageSize: 100 }, reader);
    const { body } = await get('/compliance/controls/SQLI-22-006300', { asOf: AS_OF }, reader);
    counted.restore();

    expect([list.status, list.body.error]).toEqual([200, undefined]);
    const { MANY01, FEW01 } = Object.fromEntries(
      body.data.instances.map((one: Record<string, unknown>) => [one.serverInstanceName, one]),
    );
    expect([MANY01.status, MANY01.recordIds.length, MANY01.reason]).toEqual([
      ...['fail', 1],
      'In 30 days, more logins than can be counted read audit files on the server, also such as are no declared auditors.',
    ]);
    expect([FEW01.status, FEW01.recordIds.length, FEW01.since]).toEqual(['fail', 1, timeAt('09:00:00')]);
  });

  it('has the whole list as CSV, whatever the page', async () => {
    const asked = { framework: 'pci-dss', asOf: AS_OF };
    const { headers, text } = await get('/compliance/controls', { ...asked, format: 'csv', pageSize: 3 });
    const { body } = await get('/compliance/controls', { ...asked, pageSize: 100 });
    const frameworks = await get('/compliance/frameworks', { asOf: AS_OF, format: 'csv' });

    const cell = (value: unknown) =>
      value === null ? '' : `"${[value].flat().join(' ').replaceAll('"', '""')}"`;
    const rows = body.data.map((one: object) => Object.values(one).map(cell).join(','));
    expect(headers.get('Content-Type')).toBe('text/csv; charset=utf-8');
    expect(text.split('\r\n').slice(1, -1)).toEqual(rows);
    expect(text.split('\r\n')[0]).toBe(Object.keys(body.data[0]).map(cell).join(','));
    expect(frameworks.text.split('\r\n')).toHaveLength(1 + 7 + 1);
  });

  it('has the list as OSCAL assessment results by the official schema', async () => {
    const asked = { asOf: AS_OF, format: 'oscal' };
    const list = await get('/compliance/controls', asked);
    const again = await get('/compliance/controls', asked);
    const documents = [
      list,
      await get('/compliance/frameworks', asked),
      await get('/compliance/controls', { ...asked, framework: 'cis', status: 'fail' }),
      await get('/compliance/controls', { ...asked, serverInstanceName: 'none' }),
    ];

    expect(list.headers.get('Content-Type')).toBe('application/json; charset=utf-8');
    for (const { body } of documents) expect(isOscal(body) || isOscal.errors).toBe(true);
    const withoutTime = (text: string) => text.replace(/"last-modified":"[^"]*"/, '');
    expect(withoutTime(again.text)).toBe(withoutTime(list.text));
    const { results, metadata } = list.body['assessment-results'];
    expect(metadata['oscal-version']).toBe('1.2.2');
    expect(results).toHaveLength(7);
  });

  it('states in OSCAL an unknown control as not satisfied, for another reason, with an observation', async () => {
    const { body } = await get('/compliance/controls', { framework: 'cis', asOf: AS_OF, format: 'oscal' });
    const [{ findings, observations }] = body['assessment-results'].results;
    const statuses = (findings as Finding[]).map(({ target, ...one }) => {
      const uuid = one['related-observations'][0]?.['observation-uuid'];
      const seen = (observations as Observation[]).find((observation) => observation.uuid === uuid);
      return [target.status.state, target.status.reason, seen?.['relevant-evidence']?.length ?? 0];
    });

    expect(statuses.toSorted()).toEqual([
      ['not-satisfied', 'fail', 1],
      ...Array(7).fill(['not-satisfied', 'other', 0]),
    ]);
    expect(findings[0]).toMatchObject({ title: expect.stringContaining('5.1: ') });
  });

  const EARLIEST = '0000-01-01T00:00:00+12:00';
  it.each(['9999-12-31T23:59:59.9999999Z', '9999-12-31T23:59:59-12:00', EARLIEST, '0000-01-05T00:00:00Z'])(
    'is that of the first or the last moment, where times can state no other one: %s',
    async (asOf) => {
      const statusOf = async (path: string, query: Record<string, string>) => {
        const { status } = await until(
          () => get(`/compliance/${path}`, query),
          (answer) => answer.status !== 503,
        );
        return [path, status];
      };
      for (const path of ['frameworks', 'controls', `controls/${CIS}`, 'summary'])
        expect(await statusOf(path, { asOf })).toEqual([path, 200]);
      expect(await statusOf('summary', { asOf, startTime: EARLIEST })).toEqual(['summary', 200]);
    },
  );

  it('refuses a format and a framework that there is not, whatever the format', async () => {
    expectError(await get('/compliance/controls', { format: 'xml' }), 400, 'invalid_parameter');
    expectError(await get('/compliance/frameworks', { format: 'CSV' }), 400, 'invalid_parameter');
    for (const format of ['json', 'csv', 'oscal']) {
      const refused = await get('/compliance/controls', { framework: 'pci', format });
      expectError(refused, 400, 'invalid_parameter');
      expect(refused.body.error.message).toMatch(/framework must be one of cis, .*pci-dss/);
    }
    expectError(await get('/compliance/summary', { format: 'csv' }), 400, 'invalid_parameter');
  });

  it('refuses a key without the scope, and what is not there', async () => {
    const without = (await at.world.key({ scopes: ['read:alerts'] })).key;

    expectError(await get('/compliance/summary', {}, without), 403, 'forbidden');
    expectError(await get('/compliance/controls/none'), 404, 'not_found');
    expectError(await get('/compliance/controls', { status: 'green' }), 400, 'invalid_parameter');
  });
});
