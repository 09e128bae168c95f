import { ENGINES } from '../support/engines';
import { anEvent, type IngestedEvent } from '../support/events';
import { useWorld } from '../support/use-world';
import type { TestTenant } from '../support/world';

const DAY_MS = 86_400_000;
const T0 = Date.parse('2026-03-01T00:00:00Z');
const DAYS = 20;
const QUERY = `query($id: String!) { auditEventUsual(recordId: $id) { historyDays hasHistory nth startTime endTime
  objectCount othersCount objectFilter notes { kind fields text count of filter startTime endTime }
  logins { serverPrincipalName count filter startTime endTime } } }`;
const LOGINS = ['CORP\\ana', 'web "quoted"', 'etl', 'ben'];

const event = (ms: number, login: string, others: Partial<IngestedEvent> = {}) =>
  anEvent({
    eventTime: new Date(ms).toISOString().replace('Z', '0000Z'),
    serverPrincipalName: login,
    actionId: 'SL',
    databaseName: 'Payroll',
    schemaName: 'dbo',
    objectName: 'Employee',
    applicationName: 'App',
    clientIp: '10.0.0.1',
    ...others,
  });

/** Days that are alike: each login reads its object each hour, from its program and address. */
const usualDays = (): IngestedEvent[] =>
  Array.from({ length: DAYS * 24 }, (_, hour) => hour).flatMap((hour) =>
    LOGINS.map((login, i) => event(T0 + hour * 3_600_000 + i * 1_000, login)),
  );
const LAST = T0 + DAYS * DAY_MS;
const PLANTED = {
  login: event(LAST + 1_000, 'stranger'),
  object: event(LAST + 2_000, 'etl', { objectName: 'Salaries' }),
  action: event(LAST + 3_000, 'etl', { actionId: 'DL' }),
  program: event(LAST + 4_000, 'ben', { applicationName: 'sqlcmd' }),
  address: event(LAST + 5_000, 'CORP\\ana', { clientIp: '172.16.0.9' }),
  database: event(LAST + 6_000, 'ben', { databaseName: 'HR', objectName: null, schemaName: null }),
  uncommon: event(LAST + 7_000, 'etl', { objectName: 'Salaries', schemaName: null }),
};
const BURST = Array.from({ length: 25 }, (_, i) => event(LAST + 3_600_000 + i * 1_000, 'web "quoted"'));

/** An hour with 20 events, and one with twice as many and one more. */
const GROWING = [20, 41].flatMap((n, hour) =>
  Array.from({ length: n }, (_, i) =>
    event(LAST + (hour + 2) * 3_600_000 + i * 1_000, 'growing', { objectName: 'Grown' }),
  ),
);

describe.each(ENGINES.slice(-1))('who normally does this, on %s', (engine) => {
  const at = useWorld(engine);
  let tenant: TestTenant;
  beforeAll(async () => {
    tenant = await at.world.tenant();
    await tenant.ingest([...usualDays(), ...Object.values(PLANTED), ...BURST, ...GROWING.slice(0, -1)]);
  }, 60_000);

  const idOf = async (wanted: IngestedEvent) => {
    const from = new Date(Date.parse(wanted.eventTime)).toISOString();
    const { body } = await tenant.get('/audit-activity', {
      startTime: from,
      endTime: new Date(Date.parse(from) + 1).toISOString(),
    });
    return body.data[0].recordId as string;
  };
  const usualOf = async (wanted: IngestedEvent, key = tenant.key) => {
    const { body } = await at.world.graphql(key, QUERY, { id: await idOf(wanted) });
    expect(body.errors).toBeUndefined();
    return body.data.auditEventUsual;
  };
  const totalOf = async ({ filter, startTime, endTime }: Record<string, string>) => {
    const query = { filter: filter ?? '', startTime: startTime ?? '', endTime: endTime ?? '', pageSize: 1 };
    return (await tenant.get('/audit-activity', query)).body.meta.totalCount;
  };
  // biome-ignore lint/suspicious/noExplicitAny: an answer of GraphQL
  const named = ({ notes }: any) => notes.filter((note: any) => note.kind !== null);

  it.each([
    ['login', 'FirstSeen', ['serverPrincipalName']],
    ['object', 'FirstSeen', ['serverPrincipalName', 'databaseName', 'schemaName', 'objectName']],
    ['action', 'FirstSeen', ['serverPrincipalName', 'databaseName', 'schemaName', 'objectName', 'actionId']],
    ['program', 'FirstSeen', ['serverPrincipalName', 'applicationName']],
    ['address', 'FirstSeen', ['serverPrincipalName', 'clientIp']],
    ['database', 'FirstSeen', ['serverPrincipalName', 'databaseName']],
  ] as const)('names a planted %s, and each count is the total of its filter', async (name, kind, fields) => {
    const usual = await usualOf(PLANTED[name]);
    expect(usual.hasHistory).toBe(true);
    expect(named(usual)).toContainEqual(expect.objectContaining({ kind, fields, count: 0 }));
    if (name !== 'login') expect(named(usual)).toHaveLength(1);
    for (const note of usual.notes) expect([note.text, await totalOf(note)]).toEqual([note.text, note.count]);
    for (const login of usual.logins) expect(await totalOf(login)).toBe(login.count);
    if (usual.objectFilter) {
      const of = { filter: usual.objectFilter, startTime: usual.startTime, endTime: usual.endTime };
      expect(await totalOf(of)).toBe(usual.objectCount);
    }
  });

  it('names nothing where all is usual, and tells the three usual logins', async () => {
    for (const [i, login] of LOGINS.entries()) {
      const usual = await usualOf(event(T0 + (DAYS - 1) * DAY_MS + i * 1_000, login));
      expect([login, named(usual)]).toEqual([login, []]);
      expect(usual).toMatchObject({ hasHistory: true, historyDays: DAYS - 1, nth: 24 * (DAYS - 1) + 1 });
      expect(usual.logins).toHaveLength(3);
      expect(usual.othersCount).toBe(usual.objectCount - 24 * (DAYS - 1));
    }
  });

  it('names an hour with many more events than any before', async () => {
    const usual = await usualOf(BURST[20] as IngestedEvent);
    expect(named(usual)).toEqual([
      expect.objectContaining({
        kind: 'HighVolume',
        fields: ['serverPrincipalName', 'hour'],
        count: 25,
        of: 1,
      }),
    ]);
    expect(await totalOf(usual.notes[0])).toBe(25);
  });

  it('names an hour with more than twice as many events as any before, and not with twice as many', async () => {
    const last = GROWING.at(-1) as IngestedEvent;
    const volumeOf = async () => {
      const { notes } = await usualOf(GROWING.at(-2) as IngestedEvent);
      return notes.find(({ fields }: { fields: string[] }) => fields.includes('hour'));
    };
    expect(await volumeOf()).toMatchObject({ kind: null, count: 40, of: 20 });
    await tenant.ingest([last]);
    expect(await volumeOf()).toMatchObject({ kind: 'HighVolume', count: 41, of: 20 });
  });

  it('judges nothing within the first 14 days', async () => {
    const usual = await usualOf(event(T0 + 13 * DAY_MS, LOGINS[0] as string));
    expect(usual).toMatchObject({ hasHistory: false, historyDays: 13 });
    expect(named(usual)).toEqual([]);
    expect((await usualOf(event(T0 + 14 * DAY_MS, LOGINS[0] as string))).hasHistory).toBe(true);
  });

  it('gives ranges that the API takes for an event of the last hour that texts can state', async () => {
    const last = event(Date.parse('9999-12-31T23:10:00Z'), 'etl');
    await tenant.ingest([last]);
    const { notes } = await usualOf(last);
    expect(notes).toContainEqual(
      expect.objectContaining({ fields: ['serverPrincipalName', 'hour'], count: 1 }),
    );
    for (const note of notes) expect([note.text, await totalOf(note)]).toEqual([note.text, note.count]);
  });

  it('counts only events of the tenant of the event, and names it where the caller reads several', async () => {
    const other = await at.world.tenant();
    await other.ingest(usualDays());
    const both = await at.world.key({ tenantIds: [tenant.tenantId, other.tenantId] });
    const own = await usualOf(PLANTED.program);
    const usual = await usualOf(PLANTED.program, both.key);
    expect(usual.notes.map(({ count }: { count: number }) => count)).toEqual(
      own.notes.map(({ count }: { count: number }) => count),
    );
    const [{ filter, startTime, endTime, count }] = usual.logins;
    const answer = await at.world.get('/audit-activity', both.key, { query: { filter, startTime, endTime } });
    expect(answer.body.meta.totalCount).toBe(count);
    const { body } = await at.world.graphql(other.key, QUERY, { id: await idOf(PLANTED.program) });
    expect(body.data.auditEventUsual).toBeNull();
  });

  it('stands in the answer of an assistant about one event', async () => {
    const { body } = await at.world.fetch('/mcp', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Api-Key': tenant.key },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'get_event', arguments: { event: await idOf(PLANTED.program) } },
      }),
    });
    expect(body.result.structuredContent.usual).toMatchObject({
      notes: expect.arrayContaining([expect.objectContaining({ kind: 'FirstSeen', count: 0 })]),
    });
  });
});
