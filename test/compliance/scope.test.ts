import { LIMITS } from '../../src/limits';
import { ONE_ENGINE } from '../support/engines';
import { anEvent, type IngestedEvent } from '../support/events';
import { until } from '../support/until';
import { useWorld } from '../support/use-world';

/** One instance that records everything by one specification, from 08:00 on 5 January. */
const timeAt = (time: string) => `2026-01-05T${time}.0000000Z`;
const AS_OF = '2026-01-06T00:00:00Z';
const FROM = '2026-01-01T00:00:00Z';
const SENSITIVE = '10.2.1.1';
const AUDITORS = 'SQLI-22-004400';
const APPLICATIONS = 'SQLI-22-015500';

const event = (time: string, actionId: string, classType: string, more: Partial<IngestedEvent> = {}) =>
  anEvent({
    eventTime: timeAt(time),
    actionId,
    serverInstanceName: 'PAY01',
    serverPrincipalName: 'CORP\\dba.ali',
    applicationName: 'Payroll 7',
    databaseName: 'master',
    schemaName: null,
    objectName: 'Main',
    additional: { classType },
    ...more,
  });
const specification = (time: string, statement: string, more: Partial<IngestedEvent> = {}) =>
  event(time, statement.startsWith('CREATE') ? 'CR' : 'AL', statement.includes('DATABASE') ? 'DA' : 'SA', {
    statement,
    ...more,
  });

describe.each(ONE_ENGINE)('the scope of assessments on %s', (engine) => {
  const at = useWorld(engine);
  async function tenantWith(events: IngestedEvent[]) {
    const tenant = await at.world.tenant();
    const { tenantId } = tenant;
    await tenant.ingest(events);
    const { key } = await at.world.key({ tenantIds: [tenantId], scopes: ['read:compliance'] });
    const declare = async (values: Record<string, string>) =>
      (
        await at.world.operate(
          `mutation($tenantId: String!, $kind: ComplianceDeclarationKind!, $serverInstanceName: String,
             $databaseName: String, $schemaName: String, $objectName: String, $principalName: String,
             $applicationName: String, $workingHours: String, $reason: String!, $validFrom: String) {
           declareCompliance(tenantId: $tenantId, kind: $kind, serverInstanceName: $serverInstanceName,
             databaseName: $databaseName, schemaName: $schemaName, objectName: $objectName,
             principalName: $principalName, applicationName: $applicationName, workingHours: $workingHours, reason: $reason,
             validFrom: $validFrom) { declarationId createdBy validFrom } }`,
          { tenantId, reason: 'as agreed', validFrom: FROM, ...values },
        )
      ).declareCompliance;
    const standing = async (controlId: string, asOf = AS_OF) => {
      const { body } = await until(
        () => at.world.get(`/compliance/controls/${controlId}`, key, { query: { asOf } }),
        ({ status }) => status !== 503,
      );
      return body.data.instances[0];
    };
    return { tenantId, key, declare, standing };
  }
  const ALL = specification(
    '08:00:00',
    'CREATE SERVER AUDIT SPECIFICATION Main FOR SERVER AUDIT T ADD (AUDIT_CHANGE_GROUP), ADD (SUCCESSFUL_LOGIN_GROUP) WITH (STATE = ON)',
  );
  const onPay = (time: string, statement: string) =>
    specification(time, statement, { databaseName: 'Pay', objectName: 'D' });
  const PAY = onPay(
    '08:30:00',
    'CREATE DATABASE AUDIT SPECIFICATION D FOR SERVER AUDIT T ADD (SCHEMA_OBJECT_ACCESS_GROUP) WITH (STATE = ON)',
  );

  it('answers for sensitive objects from the specification of their database', async () => {
    const { declare, standing } = await tenantWith([
      ALL,
      PAY,
      onPay('12:00:00', 'ALTER DATABASE AUDIT SPECIFICATION D DROP (SCHEMA_OBJECT_ACCESS_GROUP)'),
    ]);
    expect(await standing(SENSITIVE)).toMatchObject({ status: 'unknown' });
    expect((await standing(SENSITIVE)).reason).toContain('No object is declared sensitive.');

    await declare({ kind: 'sensitive', databaseName: 'PAY', schemaName: 'dbo', objectName: 'Salary' });

    const [before, after] = [await standing(SENSITIVE, timeAt('11:00:00')), await standing(SENSITIVE)];
    expect(before).toMatchObject({ status: 'pass', since: timeAt('08:30:00') });
    expect(before.recordIds).toHaveLength(1);
    expect(after).toMatchObject({ status: 'fail', since: timeAt('12:00:00') });
    expect(after.reason).toContain('PAY.dbo.Salary is not recorded since');
    await declare({ kind: 'sensitive', databaseName: 'Hr' });
    const other = await standing(SENSITIVE, timeAt('11:00:00'));
    expect(other).toMatchObject({
      status: 'unknown',
      reason: 'No record says that access to Hr is recorded.',
    });
  });

  it('shows an object recorded by its own events alone, and says so', async () => {
    const read = (objectName: string) =>
      event('09:00:00', 'SL', 'U', { databaseName: 'Pay', schemaName: 'dbo', objectName });
    const { declare, standing } = await tenantWith([read('Salary')]);
    await declare({ kind: 'sensitive', databaseName: 'Pay', schemaName: 'dbo', objectName: 'salary' });

    expect(await standing(SENSITIVE)).toMatchObject({ status: 'pass' });
    expect((await standing(SENSITIVE)).reason).toContain('Of Pay.dbo.salary, events alone show it.');
    await declare({ kind: 'sensitive', databaseName: 'Pay', schemaName: 'dbo', objectName: 'Bonus' });
    expect(await standing(SENSITIVE)).toMatchObject({ status: 'unknown' });
  });

  it('judges who changed what is audited by the declared auditors', async () => {
    const { declare, standing } = await tenantWith([
      ALL,
      specification('10:00:00', 'ALTER SERVER AUDIT SPECIFICATION Main ADD (DBCC_GROUP)', {
        serverPrincipalName: 'CORP\\j.ortega',
      }),
    ]);
    expect((await standing(AUDITORS)).reason).toContain('CORP\\dba.ali, CORP\\j.ortega changed');

    await declare({ kind: 'auditor', principalName: 'corp\\DBA.*' });

    expect(await standing(AUDITORS, timeAt('09:00:00'))).toMatchObject({ status: 'pass' });
    const failed = await standing(AUDITORS);
    expect(failed).toMatchObject({ status: 'fail', since: timeAt('10:00:00') });
    expect(failed.recordIds).toHaveLength(1);
    expect((await standing(AUDITORS, '2026-02-04T10:00:00.0000000Z')).status).toBe('fail');
    expect((await standing(AUDITORS, '2026-02-04T10:00:00.0010000Z')).status).toBe('pass');
    await declare({ kind: 'auditor', principalName: 'CORP\\j.ortega', serverInstanceName: 'pay01' });
    expect(await standing(AUDITORS)).toMatchObject({ status: 'pass' });
  });

  it('fails log-ons by applications that are not declared, and names them', async () => {
    const logon = (time: string, applicationName: string) => event(time, 'LGIS', 'LX', { applicationName });
    const { declare, standing } = await tenantWith([
      ALL,
      logon('09:00:00', 'Payroll 7'),
      logon('11:00:00', 'sqlcmd'),
    ]);
    expect(await standing(APPLICATIONS)).toMatchObject({ status: 'unknown' });

    await declare({ kind: 'application', applicationName: 'payroll*' });

    expect(await standing(APPLICATIONS, timeAt('10:00:00'))).toMatchObject({ status: 'pass' });
    const failed = await standing(APPLICATIONS);
    expect(failed).toMatchObject({ status: 'fail', since: timeAt('11:00:00') });
    expect(failed.reason).toContain('sqlcmd (1)');
    expect(failed.recordIds).toHaveLength(1);
  });

  it('finds the records of names with tabs and line breaks', async () => {
    const odd = { serverInstanceName: 'PAY\t01' };
    const logon = (time: string, applicationName: string) =>
      event(time, 'LGIS', 'LX', { ...odd, applicationName });
    const { tenantId, declare, standing } = await tenantWith([
      specification(
        '08:00:00',
        'CREATE SERVER AUDIT SPECIFICATION Main FOR SERVER AUDIT T ADD (SUCCESSFUL_LOGIN_GROUP) WITH (STATE = ON)',
        odd,
      ),
      logon('09:00:00', 'Payroll 7'),
      logon('11:00:00', 'sql\n"cmd\\'),
    ]);
    await declare({ kind: 'application', applicationName: 'payroll*' });

    const failed = await standing(APPLICATIONS);

    expect(failed).toMatchObject({ status: 'fail', since: timeAt('11:00:00') });
    expect(failed.recordIds).toHaveLength(1);
    const { key } = await at.world.key({ tenantIds: [tenantId] });
    const { body } = await at.world.get('/audit-activity', key, {
      query: { filter: failed.groups[0].filter },
    });
    expect(body.meta.totalCount).toBe(2);
  });

  it('keeps working hours, and refuses those that are malformed', async () => {
    const { tenantId, declare } = await tenantWith([ALL]);
    await expect(declare({ kind: 'workingHours', workingHours: 'nine to five' })).rejects.toThrow(
      'Mon-Fri 07:00',
    );
    await declare({ kind: 'workingHours', workingHours: 'Mon-Fri 08:00-16:00 Europe/Berlin' });
    const { complianceDeclarations } = await at.world.operate(
      'query($id: String!) { complianceDeclarations(tenantId: $id) { kind workingHours databaseName } }',
      { id: tenantId },
    );
    expect(complianceDeclarations).toEqual([
      { kind: 'workingHours', workingHours: 'Mon-Fri 08:00-16:00 Europe/Berlin', databaseName: null },
    ]);
  });

  it('leaves out an excluded instance with its reason, and uses the scope of the moment', async () => {
    const { tenantId, key, declare, standing } = await tenantWith([ALL]);
    const made = await declare({
      kind: 'excluded',
      serverInstanceName: 'PAY01',
      reason: 'a test server',
      validFrom: timeAt('10:00:00'),
    });

    expect(await standing('5.4', timeAt('09:00:00'))).toMatchObject({ status: 'unknown' });
    const out = await standing('5.4');
    expect(out).toMatchObject({ status: 'not_applicable' });
    expect(out.reason).toContain('a test server');
    const { body } = await at.world.get('/compliance/summary', key, { query: { asOf: AS_OF } });
    expect(body.data).toMatchObject({ pass: 0, fail: 0, unknown: 0 });

    const end = (until: string | null) =>
      at.world.graphql(
        at.world.operatorKey,
        `mutation($tenantId: String!, $id: String!, $until: String) {
          endComplianceDeclaration(tenantId: $tenantId, declarationId: $id, validUntil: $until) { validUntil } }`,
        { tenantId, id: made.declarationId, until },
      );
    for (const until of [timeAt('13:00:00'), timeAt('12:00:00')])
      expect((await end(until)).body.data.endComplianceDeclaration.validUntil).toBe(
        new Date(until).toISOString(),
      );
    for (const later of ['2026-01-05T12:00:00.001Z', timeAt('13:00:00'), null])
      expect((await end(later)).body.errors).toMatchObject([
        {
          message: 'validUntil is after the end that the declaration has: declare it anew.',
          extensions: { code: 'invalid_parameter' },
        },
      ]);
    expect(await standing('5.4', timeAt('11:00:00'))).toMatchObject({ status: 'not_applicable' });
    expect(await standing('5.4', timeAt('12:30:00'))).toMatchObject({ status: 'unknown' });
    expect(await standing('5.4')).toMatchObject({ status: 'unknown' });
    const { accessLog } = await at.world.operate(
      '{ accessLog(first: 100) { entries { operation subject outcome } } }',
    );
    const entries = accessLog.entries.filter(
      ({ subject }: { subject: string }) => subject === made.declarationId,
    );
    const oks = entries.filter(({ outcome }: { outcome: string }) => outcome === 'ok');
    expect(oks.map(({ operation }: { operation: string }) => operation)).toEqual([
      ...['endComplianceDeclaration', 'endComplianceDeclaration'],
      'declareCompliance',
    ]);
  });

  it('keeps so many declarations of a tenant, those too that ended as they began, which were a mistake', async () => {
    const { tenantId, declare } = await tenantWith([]);
    const limit = jest.replaceProperty(LIMITS, 'declarationsMax', 2 as never);
    const end = (declarationId: string, validUntil: string) =>
      at.world.graphql(
        at.world.operatorKey,
        `mutation($tenantId: String!, $id: String!, $validUntil: String) {
          endComplianceDeclaration(tenantId: $tenantId, declarationId: $id, validUntil: $validUntil) { validUntil } }`,
        { tenantId, id: declarationId, validUntil },
      );
    try {
      const validFrom = timeAt('10:00:00');
      const auditor = { kind: 'auditor', principalName: 'ana', validFrom };
      const made = await declare(auditor);
      expect((await end(made.declarationId, '2026-01-05T09:59:59.999Z')).body.errors).toMatchObject([
        { message: 'validUntil is before the declaration begins.' },
      ]);
      expect((await end(made.declarationId, validFrom)).body.data.endComplianceDeclaration.validUntil).toBe(
        new Date(validFrom).toISOString(),
      );
      await declare(auditor);
      await expect(declare(auditor)).rejects.toThrow('A tenant has at most 2 declarations.');
    } finally {
      limit.restore();
    }
  });

  it('takes what is configured from an uploaded snapshot, and keeps its hash', async () => {
    const { tenantId, standing } = await tenantWith([event('07:00:00', 'LGO', 'LX')]);
    const rows = ['AUDIT_CHANGE_GROUP', 'FAILED_LOGIN_GROUP', 'SUCCESSFUL_LOGIN_GROUP'].map((action) => ({
      specification: 'Main',
      database: null,
      audit: 'T',
      auditIsOn: true,
      isOn: true,
      action,
    }));
    const upload = (takenAt: string, details: object[]) => {
      const snapshot = JSON.stringify({
        serverInstanceName: 'PAY01',
        takenAt,
        databaseName: 'master',
        details,
      });
      return at.world.graphql(
        at.world.operatorKey,
        `mutation($tenantId: String!, $snapshot: String!) {
           uploadComplianceSnapshot(tenantId: $tenantId, snapshot: $snapshot) { sha256 declarationId validFrom } }`,
        { tenantId, snapshot },
      );
    };
    const { body } = await upload('2026-01-05T08:00:00', rows);
    await upload('2026-01-05T12:00:00', rows.slice(0, 2));

    expect(body.data.uploadComplianceSnapshot).toMatchObject({
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      validFrom: '2026-01-05T08:00:00.000Z',
    });
    const asked = '5.4';
    expect((await standing(asked, timeAt('07:30:00'))).groups[0].state).toBe('silent');
    expect(
      (await standing(asked, timeAt('09:00:00'))).groups.map(({ state }: { state: string }) => state),
    ).toEqual(Array(3).fill('configured'));
    const failed = await standing(asked);
    expect(failed).toMatchObject({ status: 'fail', since: timeAt('12:00:00'), recordIds: [] });
    expect(failed.reason).toMatch(/SUCCESSFUL_LOGIN_GROUP is not recorded since .* by snapshot [0-9a-f]{12}/);
    const { accessLog } = await at.world.operate(
      '{ accessLog(first: 100, operation: "uploadComplianceSnapshot") { entries { subject } } }',
    );
    expect(accessLog.entries.map(({ subject }: { subject: string }) => subject)).toContain(
      `sha256:${body.data.uploadComplianceSnapshot.sha256}`,
    );
    for (const wrong of ['', 'now', '2999-01-01T00:00:00'])
      expect((await upload(wrong, rows)).body.errors[0].extensions.code).toBe('invalid_parameter');
    expect((await upload('2026-01-05T12:00:00', [{}])).body.errors[0].message).toContain('row 1');
  });

  it('has items of databases with specifications of their own', async () => {
    const { key, standing } = await tenantWith([ALL, PAY]);
    const { body } = await at.world.get('/compliance/controls', key, {
      query: { asOf: AS_OF, framework: 'stig-2022', pageSize: 100 },
    });
    const access = body.data.filter(({ controlId }: { controlId: string }) => controlId === 'SQLI-22-004600');

    expect(access).toMatchObject([
      { databaseName: null, status: 'unknown' },
      { databaseName: 'Pay', status: 'pass', since: timeAt('08:30:00') },
    ]);
    expect((await standing('SQLI-22-004600')).databaseName).toBeNull();
    const { data } = (await at.world.get('/compliance/frameworks', key, { query: { asOf: AS_OF } })).body;
    for (const { controlCount, pass, fail, unknown, notApplicable } of data)
      expect(pass + fail + unknown + notApplicable).toBe(controlCount);
  });

  it('refuses a declaration that lacks a part, or has one of another kind', async () => {
    const { tenantId } = await tenantWith([ALL]);
    const answer = await at.world.graphql(
      at.world.operatorKey,
      `mutation { declareCompliance(tenantId: "${tenantId}", kind: sensitive, objectName: "x",
         principalName: "y", reason: "z") { declarationId } }`,
    );
    const [error] = answer.body.errors;
    for (const name of ['databaseName', 'schemaName', 'principalName']) expect(error.message).toContain(name);
  });
});
