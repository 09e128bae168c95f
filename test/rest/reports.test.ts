import { createHash } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { liftedValue } from '../../src/event/lifted';
import { shippedReports } from '../../src/modules/reports/declarations';
import { REPORT_FORMAT_NAMES } from '../../src/modules/reports/files';
import { isSignedBy } from '../../src/store/log/evidence/signed-note';
import { textsOf } from '../reports/support/pdf-texts';
import { runCli } from '../support/cli';
import { DashboardSession } from '../support/dashboard-session';
import { ONE_ENGINE, temporaryFolder } from '../support/engines';
import { anEvent, type IngestedEvent } from '../support/events';
import { until } from '../support/until';
import { useWorld } from '../support/use-world';
import { expectError } from './support/operations';

const PERIOD = { startTime: '2026-01-05T00:00:00Z', endTime: '2026-01-08T00:00:00Z' };
const HOSTILE = '=HYPERLINK("http://evil.example")';
const SPECIAL = '管理员 \u202e 😀 <script>alert(1)</script>';
const pick = <T>(from: readonly T[], at: number) => from[at % from.length] as T;
const LONG = `SELECT '${'x'.repeat(100_000)}' -- ${SPECIAL}`;
const HUGE = `SELECT '${'y'.repeat(300_000)}'`;

const KINDS: readonly (readonly [string, string])[] = [
  ...([
    ['LGIS', 'LX'],
    ['LGIF', 'LX'],
    ['SL', 'U'],
    ['UP', 'U'],
    ['EX', 'P'],
    ['G', 'OB'],
  ] as const),
  ...([
    ['CR', 'LX'],
    ['AL', 'U'],
    ['CR', 'SA'],
    ['AUSC', 'A'],
    ['BA', 'DB'],
    ['PWC', 'LX'],
  ] as const),
  ...([
    ['ALST', 'SR'],
    ['DL', 'U'],
    ['DPRL', 'RL'],
    ['SVSD', 'SR'],
    ['DBCC', 'DB'],
  ] as const),
];

const RENAMED_AT = '2026-01-06T12:00:00.0000000Z';
/** Events of three days and one of a day later, with CORP\ana a member of sysadmin from the second day to the third. */
const EVENTS: readonly IngestedEvent[] = [
  ...Array.from({ length: 340 }, (_, i) => {
    const [actionId, classType] = pick(KINDS, i);
    return anEvent({
      eventTime: new Date(Date.parse(PERIOD.startTime) + i * 760_000).toISOString().replace('Z', '1234Z'),
      actionId,
      succeeded: i % 5 !== 0 && actionId !== 'LGIF',
      serverPrincipalName: pick(['sa', 'CORP\\ana', HOSTILE, SPECIAL], i),
      databasePrincipalName: 'guest',
      objectName: pick(['Employees', 'Orders', null], i),
      databaseName: pick(['Payroll', 'Shop'], i),
      applicationName: pick(['Web', 'SSMS'], i * 3),
      statement: i === 20 ? LONG : i === 37 ? HUGE : `SELECT ${i}`,
      additional: { classType, ...(i % 2 === 0 && { responseRows: i }) },
    });
  }),
  ...[
    ['2026-01-06T00:00:00.0000000Z', 'APRL'],
    ['2026-01-07T00:00:00.0000000Z', 'DPRL'],
  ].map(([eventTime = '', actionId = '']) =>
    anEvent({
      eventTime,
      actionId,
      objectName: 'sysadmin',
      serverPrincipalName: 'boss',
      databasePrincipalName: null,
      additional: { classType: 'SG', targetServerPrincipalName: 'corp\\ANA' },
    }),
  ),
  anEvent({ eventTime: '2026-01-09T00:00:00.0000000Z', actionId: 'LGIS', additional: { classType: 'LX' } }),
  // sa gets another name, which somebody else had before.
  ...[
    ['2026-01-06T11:00:00.0000000Z', 'SL', 'root', 'SELECT 1'],
    [RENAMED_AT, 'LGNM', 'boss', 'ALTER LOGIN sa WITH NAME = root'],
    ['2026-01-06T13:00:00.0000000Z', 'SL', 'ROOT', 'SELECT 2'],
  ].map(([eventTime = '', actionId = '', serverPrincipalName = '', statement = '']) =>
    anEvent({
      ...{ eventTime, actionId, serverPrincipalName, statement },
      ...{ databasePrincipalName: null, objectName: null, additional: { classType: 'LX' } },
    }),
  ),
];

const is =
  (...codes: readonly string[]) =>
  ({ actionId }: IngestedEvent) =>
    codes.includes(actionId);
const classOf = ({ additional }: IngestedEvent) => String(additional?.classType);
const isMade = is('CR', 'AL', 'DR');
const wasMember = ({ eventTime, serverPrincipalName }: IngestedEvent) =>
  serverPrincipalName === 'CORP\\ana' &&
  eventTime >= '2026-01-06' &&
  eventTime <= '2026-01-07T00:00:00.0000000Z';
const wasSa = ({ eventTime, serverPrincipalName }: IngestedEvent) =>
  serverPrincipalName === 'ROOT' && eventTime >= RENAMED_AT;
/** The rows of each report by hand. */
const WANTED: Readonly<Record<string, (event: IngestedEvent) => boolean>> = {
  'log-ons': is('LGIS', 'LGIF', 'DBAS', 'DBAF'),
  'privileged-activity': (event) => event.serverPrincipalName === 'sa' || wasMember(event) || wasSa(event),
  'permission-changes': is('G', 'GWG', 'D', 'DWC', 'R', 'RWG', 'RWC', 'APRL', 'DPRL'),
  accounts: (event) =>
    (isMade(event) && ['LX', 'SL', 'SG', 'US', 'RL', 'AR'].includes(classOf(event))) ||
    is('PWC', 'LGNM')(event),
  'schema-changes': (event) => isMade(event) && ['U', 'P', 'OB', 'DB'].includes(classOf(event)),
  'sensitive-access': (event) => is('SL', 'EX')(event) && event.objectName === 'Employees',
  'data-changes': is('IN', 'UP', 'DL'),
  refusals: (event) => !event.succeeded && event.actionId !== 'LGIF',
  'configuration-changes': (event) =>
    is('ALST', 'AUSC')(event) || (isMade(event) && ['A', 'SA', 'DA'].includes(classOf(event))),
  backups: is('BA', 'BAL', 'RS', 'DBCC', 'SVSD'),
  activity: ({ applicationName }) => applicationName === 'SSMS',
};
const PARAMETERS: Readonly<Record<string, Record<string, string>>> = {
  'sensitive-access': { objectName: 'Employees' },
  activity: { applicationName: 'SSMS' },
};

const ALL = '/reports/activity/content';
const clientIp = '10.20.30.40';

const CHANGED = 'The report is not as it was signed.';
const flipped = (bytes: Buffer, at: number) => {
  const other = Buffer.from(bytes);
  other[at] = (other[at] as number) ^ 1;
  return other;
};

describe.each(ONE_ENGINE)('reports on %s', (engine) => {
  const at = useWorld(engine);
  let tenantId: string;
  let key: string;
  let foreign: string;
  beforeAll(async () => {
    const { world } = at;
    const [tenant, other] = [await world.tenant(), await world.tenant()];
    const scopes = ['read:reports'];
    tenantId = tenant.tenantId;
    key = (await world.key({ tenantIds: [tenantId], scopes, name: 'auditor' } as never)).key;
    foreign = (await world.key({ tenantIds: [other.tenantId], scopes })).key;
    await tenant.ingest(EVENTS);
    await other.ingest([anEvent({ objectName: 'Foreign' })]);
  });
  const get = (path: string, query: Record<string, string | number> = {}, by = key) =>
    at.world.get(path, by, { query });
  const make = (reportId: string, format: string, more: Record<string, string> = {}) =>
    get(`/reports/${reportId}/content`, { ...PERIOD, ...PARAMETERS[reportId], format, ...more });
  const inPeriod = EVENTS.filter(({ eventTime }) => eventTime < PERIOD.endTime);

  it.each(Object.keys(WANTED))('%s has the rows of a count by hand', async (reportId) => {
    const { status, body, text } = await make(reportId, 'json');
    expect([status, text.slice(0, 300)]).toEqual([200, expect.stringContaining(reportId)]);
    const wanted = inPeriod
      .filter(WANTED[reportId] as never)
      .toSorted((a, b) => (a.eventTime < b.eventTime ? -1 : 1));
    expect(body.rows.map(({ eventTime }: { eventTime: string }) => eventTime)).toEqual(
      wanted.map(({ eventTime }) => eventTime),
    );
    expect(body.end.rows).toBe(wanted.length);
    expect(wanted.length).toBeGreaterThan(5);
    for (const row of body.rows) {
      const event = wanted.find(({ eventTime }) => eventTime === row.eventTime) as IngestedEvent;
      expect(row.serverPrincipalName).toBe(event.serverPrincipalName);
      if ('statement' in row) expect(row.statement === event.statement).toBe(true);
      if ('responseRows' in row) expect(row.responseRows).toBe(liftedValue('responseRows', event as never));
    }
    for (const section of body.sections) {
      const bars = section.kind === 'chart' ? section.bars : section.rows;
      if (section.title.startsWith('Outside')) continue;
      const failed = bars.reduce((sum: number, bar: { failed: number }) => sum + bar.failed, 0);
      expect([section.title, failed]).toEqual([
        section.title,
        wanted.filter(({ succeeded }) => !succeeded).length,
      ]);
    }
  });

  it('have the same bytes for ever, with the hashes that are signed', async () => {
    const made = await make('sensitive-access', 'csv');
    const runId = made.headers.get('X-Report-Run') ?? '';
    const { data } = (await get(`/reports/runs/${runId}`)).body;
    const manifest = JSON.parse(data.manifest);

    expect(manifest).toMatchObject({ runId, reportId: 'sensitive-access', tenantId, createdBy: 'auditor' });
    expect(isSignedBy(data.publicKey, data.note)).toBe(true);
    expect(data.note).toContain(`sha256 ${createHash('sha256').update(data.manifest).digest('hex')}`);
    expect(data.files).toEqual(manifest.files);
    expect(manifest.files.map(({ format }: { format: string }) => format)).toEqual(REPORT_FORMAT_NAMES);
    for (const { format, bytes, sha256 } of manifest.files) {
      const { content, headers } = await get(`/reports/runs/${runId}/content`, { format });
      expect(content).toHaveLength(bytes);
      expect(headers.get('Content-Length')).toBe(String(bytes));
      expect(createHash('sha256').update(content).digest('hex')).toBe(sha256);
      if (format === 'csv') expect(content.equals(made.content)).toBe(true);
    }
    expect(manifest.number).toBeGreaterThan(1);
    expect(manifest.previous).toMatch(/^[0-9a-f]{64}$/);
  });

  it('are the same for a session of the dashboard, and for no other tenant', async () => {
    const { world } = at;
    const session = await DashboardSession.signIn(world, key);
    const path = '/dashboard/api/reports';
    const made = await session.fetch(
      `${path}/refusals/content?${new URLSearchParams({ ...PERIOD, format: 'csv' })}`,
    );
    const runId = made.headers.get('X-Report-Run') ?? '';
    const file = (by: { fetch: typeof session.fetch }) =>
      by.fetch(`${path}/runs/${runId}/content?format=csv`);

    expect([made.status, made.text]).toEqual([
      200,
      (await get(`/reports/runs/${runId}/content`, { format: 'csv' })).text,
    ]);
    expect((await file(session)).text).toBe(made.text);
    expect((await file(await DashboardSession.signIn(world, foreign))).status).toBe(404);
    expect((await file(await DashboardSession.signIn(world, world.operatorKey))).status).toBe(403);
    expect((await world.fetch(`${path}/runs/${runId}/content`)).status).toBe(401);
  });

  it('are verified offline, where a flipped byte shows', async () => {
    const made = await make('refusals', 'csv');
    const runId = made.headers.get('X-Report-Run') ?? '';
    const folder = await temporaryFolder();
    const run = path.join(folder, 'run.json');
    const answer = (await get(`/reports/runs/${runId}`)).body;
    await writeFile(run, JSON.stringify(answer));
    const { files, publicKey } = answer.data;
    for (const { format, name } of files)
      await writeFile(
        path.join(folder, name),
        (await get(`/reports/runs/${runId}/content`, { format })).content,
      );
    const verify = async (file = run) =>
      runCli(['verify', '--report', file, '--public-key', publicKey, '--json'], {});
    const whole = await verify();
    const found = JSON.parse(whole.lines[0] ?? '');
    expect([whole.error, found]).toMatchObject([null, { problems: [], absent: [] }]);
    expect(found.checked).toHaveLength(files.length);

    for (const { name } of files) {
      const content = await readFile(path.join(folder, name));
      for (const at of [0, content.length >> 1, content.length - 1]) {
        await writeFile(path.join(folder, name), flipped(content, at));
        expect([name, at, (await verify()).error]).toEqual([name, at, expect.stringContaining(CHANGED)]);
      }
      await writeFile(path.join(folder, name), content);
    }
    for (const part of ['manifest', 'note']) {
      const text = Buffer.from(answer.data[part]);
      for (let at = 0; at < text.length; at += 37) {
        const data = { ...answer.data, [part]: flipped(text, at).toString('latin1') };
        await writeFile(run, JSON.stringify({ data }));
        expect([part, at, (await verify()).error === null]).toEqual([part, at, false]);
      }
    }
    await writeFile(run, '{}');
    expect((await verify()).error).toContain('it is not an answer of GET /reports/runs/{runId}');
    await rm(folder, { recursive: true });
  });

  it('carry hostile texts as texts', async () => {
    const { text: html, headers } = await get(ALL, { ...PERIOD, clientIp, format: 'html' });
    const { text: csv } = await get(ALL, { ...PERIOD, clientIp, format: 'csv' });

    expect(headers.get('Content-Type')).toBe('text/html; charset=utf-8');
    expect(html).not.toMatch(/<script|\u202e/);
    expect(html).toContain('管理员 ⟦U+202E⟧ 😀 &lt;script&gt;');
    expect(html).toContain('(cut; CSV and JSON have the whole statement)');
    expect(csv.includes(`"'=HYPERLINK(""http://evil.example"")"`)).toBe(true);
    expect(/(^|,)"[=+@-]/m.exec(csv)).toBeNull();
    expect(csv).toMatch(/\n"#rows",\d+\r\n/);
  });

  it('have a PDF that is asked for, and that names what its fonts cannot show', async () => {
    const { status, headers, content } = await get(ALL, { ...PERIOD, clientIp, format: 'pdf' });
    const runId = headers.get('X-Report-Run') ?? '';
    const again = await get(`/reports/runs/${runId}/content`, { format: 'pdf' });

    expect([status, headers.get('Content-Type')]).toEqual([200, 'application/pdf']);
    expect(again.content.equals(content)).toBe(true);
    expect(content.subarray(0, 5).toString()).toBe('%PDF-');
    expect(content.toString('latin1').trimEnd().endsWith('%%EOF')).toBe(true);
    const shown = textsOf(content).replace(/\s/g, '');
    for (const part of ['⟦U+7BA1U+7406U+5458⟧', '⟦U+202E⟧', '<script>', '(cut;CSVandJSON', 'Page1of'])
      expect(shown).toContain(part);
  });

  it.each([
    ['terms', `principalName:(sa OR ${Array.from({ length: 99 }, (_, i) => `user${i}`).join(' OR ')})`],
    ['parentheses', `${'('.repeat(20)}principalName:sa OR principalName:user1${')'.repeat(20)}`],
  ])('take a filter with as many %s as lists do', async (_, filter) => {
    const { status, body } = await make('data-changes', 'json', { filter });
    const wanted = inPeriod.filter((event) => is('UP', 'DL')(event) && event.serverPrincipalName === 'sa');
    expect([status, body.end?.rows ?? body]).toEqual([200, wanted.length]);
    expect(wanted.length).toBeGreaterThan(5);
  });

  it('show their time zone, period, filter and log', async () => {
    const { text } = await make('refusals', 'html', {
      timeZone: 'Asia/Kolkata',
      filter: 'objectName:Orders',
    });
    for (const part of [
      '2026-01-05 05:30:00.000 +05:30',
      'Asia/Kolkata',
      'objectName:Orders',
      'Evidence log',
    ])
      expect(text).toContain(part);
  });

  it('are listed with their newest runs', async () => {
    const { body } = await get('/reports', { pageSize: 100 });
    const item = body.data.find(({ reportId }: { reportId: string }) => reportId === 'log-ons');

    expect(body.meta.totalCount).toBe(shippedReports().length);
    expect(item.runs[0]).toMatchObject({
      tenantId,
      createdBy: 'auditor',
      startTime: '2026-01-05T00:00:00.0000000Z',
    });
    expect(
      (await get('/reports', {}, foreign)).body.data.flatMap(({ runs }: { runs: unknown[] }) => runs),
    ).toEqual([]);
  });

  it.each(['trail-health', 'controls'])('%s states what the service knows', async (reportId) => {
    const { status, body } = await make(reportId, 'json');
    expect([status, body.report.reportId, body.end.recordIdsRoot]).toEqual([200, reportId, null]);
    expect(body.sections.length).toBeGreaterThan(0);
  });

  it('on sensitive data take what is declared sensitive, where the caller names nothing', async () => {
    const asked = { ...PERIOD, format: 'json' };
    expectError(await get('/reports/sensitive-access/content', asked), 400, 'invalid_parameter');
    await at.world.operate(
      `mutation { declareCompliance(tenantId: "${tenantId}", kind: sensitive, databaseName: "payroll",
         reason: "salaries", validFrom: "2026-01-01T00:00:00Z") { declarationId } }`,
    );
    const { status, body } = await get('/reports/sensitive-access/content', asked);
    const wanted = inPeriod.filter((event) => is('SL', 'EX')(event) && event.databaseName === 'Payroll');
    expect([status, body.end.rows]).toEqual([200, wanted.length]);
    expect(wanted.length).toBeGreaterThan(5);
    expect(body.report.question.parameters).toEqual({ declaredSensitive: 'payroll' });
    // 5 January 2026 is a Monday.
    await at.world.operate(
      `mutation { declareCompliance(tenantId: "${tenantId}", kind: workingHours, workingHours: "Mon 08:00-16:00",
         reason: "contracts", validFrom: "2026-01-01T00:00:00Z") { declarationId } }`,
    );
    const { sections } = (await get('/reports/sensitive-access/content', asked)).body;
    const outside = sections.find(({ title }: { title: string }) =>
      title.startsWith('Outside working hours'),
    );
    const inWork = ({ eventTime }: IngestedEvent) => /^2026-01-05T(0[89]|1[0-5])/.test(eventTime);
    expect(outside.title).toBe('Outside working hours (Mon 08:00-16:00)');
    expect(outside.rows.reduce((sum: number, row: { events: number }) => sum + row.events, 0)).toBe(
      wanted.filter((event) => !inWork(event)).length,
    );
    expect(wanted.some(inWork)).toBe(true);
    const named = await get('/reports/sensitive-access/content', { ...asked, objectName: 'Orders' });
    expect(named.body.report.question.parameters).toEqual({ objectName: 'Orders' });
    expectError(
      await get('/reports/sensitive-access/content', { ...asked }, foreign),
      400,
      'invalid_parameter',
    );
  });

  it.each([
    ['log-ons', '9999-12-31T23:59:59-12:00'],
    ['log-ons', '0000-01-05T00:00:00Z'],
    ['log-ons', '0000-01-01T00:00:00+12:00'],
    ['trail-health', '9999-12-31T23:59:59-12:00'],
    ['trail-health', '0000-01-05T00:00:00Z'],
    ['controls', '9999-12-31T23:59:59-12:00'],
    ['controls', '0000-01-05T00:00:00Z'],
    ['privileged-activity', '0000-01-05T00:00:00Z'],
    ['sensitive-access', '0000-01-05T00:00:00Z'],
  ])('end at the nearest time that texts can state: %s until %s', async (reportId, endTime) => {
    const more = reportId === 'sensitive-access' ? { databaseName: 'HR' } : {};
    const { status } = await until(
      () => get(`/reports/${reportId}/content`, { endTime, format: 'json', ...more }),
      (answer) => answer.status !== 503,
    );
    expect(status).toBe(200);
  });

  it('refuse what cannot be made', async () => {
    const refused = (reportId: string, more: Record<string, string>) =>
      get(`/reports/${reportId}/content`, { ...PERIOD, ...more });
    expectError(await refused('activity', {}), 400, 'invalid_parameter');
    expectError(await refused('log-ons', { timeZone: 'Mars/Olympus' }), 400, 'invalid_parameter');
    expectError(await refused('log-ons', { framework: 'cis' }), 400, 'invalid_parameter');
    expectError(await refused('controls', { framework: 'pci' }), 400, 'invalid_parameter');
    expectError(await refused('controls', { actionId: 'SL' }), 400, 'invalid_parameter');
    expectError(await refused('log-ons', { format: 'docx' }), 400, 'invalid_parameter');
    expectError(await refused('log-ons', { startTime: '1990-01-01' }), 400, 'invalid_parameter');
    expectError(await refused('nothing', {}), 404, 'not_found');
    expectError(await get('/reports/runs/none'), 400, 'invalid_parameter');
    const without = (await at.world.key({ scopes: ['read:alerts'] })).key;
    expectError(await get('/reports', {}, without), 403, 'forbidden');
    expectError(await get('/reports/log-ons/content', {}, without), 403, 'forbidden');
  });

  it("are those of the caller's tenants", async () => {
    const runId = (await make('refusals', 'csv')).headers.get('X-Report-Run') ?? '';
    expectError(await get(`/reports/runs/${runId}`, {}, foreign), 404, 'not_found');
    expectError(await get(`/reports/runs/${runId}/content`, {}, foreign), 404, 'not_found');
    expectError(await get('/reports/refusals/content', { tenantId }, foreign), 404, 'not_found');
  });

  it('leave entries in the access log, of making and of reading', async () => {
    const runId = (await make('backups', 'csv')).headers.get('X-Report-Run') ?? '';
    await get(`/reports/runs/${runId}/content`, { format: 'json' });
    const own = await until(
      async () =>
        (
          await at.world.operate('{ accessLog(first: 100) { entries { operation parameters keyName } } }')
        ).accessLog.entries.filter(({ keyName }: { keyName: string }) => keyName === 'auditor'),
      (entries) => entries.some(({ parameters }: { parameters: string }) => parameters.includes(runId)),
    );
    expect(own.map(({ operation }: { operation: string }) => operation)).toEqual(
      expect.arrayContaining(['makeReport', 'readReportFile']),
    );
  });
});
