import { ENGINES, ONE_ENGINE } from '../../support/engines';
import { useSharedWorld } from '../../support/use-world';
import { type TestTenant } from '../../support/world';
import { expectError } from '../support/operations';

const FIELDS = [
  'totalCount',
  'successfulCount',
  'failedCount',
  'distinctDatabases',
  'distinctPrincipals',
  'latestEventTime',
];
const NOTHING = {
  totalCount: 0,
  successfulCount: 0,
  failedCount: 0,
  distinctDatabases: 0,
  distinctPrincipals: 0,
  latestEventTime: null,
};

describe.each(ENGINES)('GET /audit-activity/summary on %s', (engine) => {
  const at = useSharedWorld(engine);

  it("gives exactly the specification's fields, in its order", async () => {
    const acme = await at.world.tenant();
    await acme.audited();
    const { status, body } = await acme.get('/audit-activity/summary');
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(['data', 'meta']);
    expect(Object.keys(body.data)).toEqual(FIELDS);
    expect(Object.keys(body.meta)).toEqual(['timestamp', 'apiVersion']);
  });

  it('counts successes, failures, and distinct databases and logins', async () => {
    const acme = await at.world.tenant();
    const events = [
      ['A', 'x', true],
      ['A', 'x', false],
      ['a', 'x', true],
      ['B', 'X', true],
      ['B', 'y', false],
      ['B', 'y ', true],
    ] as const;
    for (const [databaseName, serverPrincipalName, succeeded] of events) {
      await acme.audited({ databaseName, serverPrincipalName, succeeded });
    }
    const { data } = (await acme.get('/audit-activity/summary')).body;
    expect(data).toMatchObject({
      totalCount: 6,
      successfulCount: 4,
      failedCount: 2,
      distinctDatabases: 3,
      distinctPrincipals: 4,
    });
  });

  it('counts events without a database or login, but not the absent value as a distinct one', async () => {
    const acme = await at.world.tenant();
    await acme.audited({ databaseName: null, serverPrincipalName: null });
    await acme.audited({ databaseName: 'A', serverPrincipalName: null });
    const { data } = (await acme.get('/audit-activity/summary')).body;
    expect(data).toMatchObject({ totalCount: 2, distinctDatabases: 1, distinctPrincipals: 0 });
  });

  it('gives the latest event time with all seven decimals, not the time of the event that arrived last', async () => {
    const acme = await at.world.tenant();
    await acme.audited({ eventTime: '2026-03-04T05:06:07.8901234Z' });
    await acme.audited({ eventTime: '2026-03-04T05:06:07.8901233Z' });
    const { data } = (await acme.get('/audit-activity/summary')).body;
    expect(data.latestEventTime).toBe('2026-03-04T05:06:07.8901234Z');
  });

  it('has zeros and no latest time if there are no events', async () => {
    const acme = await at.world.tenant();
    expect((await acme.get('/audit-activity/summary')).body.data).toEqual(NOTHING);
  });

  it('includes startTime and excludes endTime, to 100 ns', async () => {
    const acme = await at.world.tenant();
    const [first, second, third] = ['1', '2', '3'].map((digit) => `2026-02-01T10:00:00.000000${digit}Z`);
    for (const eventTime of [first, second, third]) await acme.audited({ eventTime: eventTime ?? '' });
    const count = async (query: object) =>
      (await acme.get('/audit-activity/summary', { ...query })).body.data.totalCount;
    expect(await count({ startTime: second })).toBe(2);
    expect(await count({ endTime: second })).toBe(1);
    expect(await count({ startTime: second, endTime: third })).toBe(1);
    expect(await count({ startTime: '2026-02-01T12:00:00.0000002+02:00', endTime: '2026-02-02' })).toBe(2);
    expect(await count({ startTime: second, endTime: second })).toBe(0);
  });

  it('ends now by default', async () => {
    const acme = await at.world.tenant();
    const inAnHour = new Date(Date.now() + 3600_000).toISOString();
    await acme.audited({ eventTime: inAnHour });
    const { body } = await acme.get('/audit-activity/summary');
    expect(body.data).toEqual(NOTHING);
    const later = new Date(Date.now() + 7200_000).toISOString();
    expect((await acme.get('/audit-activity/summary', { endTime: later })).body.data.totalCount).toBe(1);
  });

  it('covers the tenants of the key together, and no others', async () => {
    const [one, two, three] = [await at.world.tenant(), await at.world.tenant(), await at.world.tenant()];
    await one.audited({ databaseName: 'A', eventTime: '2026-01-01T00:00:00.0000001Z' });
    await two.audited({ databaseName: 'A', eventTime: '2026-01-01T00:00:00.0000002Z' });
    await three.audited({ databaseName: 'B', eventTime: '2026-01-01T00:00:00.0000003Z' });
    const { key } = await at.world.key({ tenantIds: [one.tenantId, two.tenantId] });
    const { data } = (await at.world.get('/audit-activity/summary', key)).body;
    expect(data).toMatchObject({
      totalCount: 2,
      distinctDatabases: 1,
      latestEventTime: '2026-01-01T00:00:00.0000002Z',
    });
  });

  it('counts an event once if it was sent twice', async () => {
    const acme = await at.world.tenant();
    const event = await acme.audited();
    await acme.ingest([event, event]);
    expect((await acme.get('/audit-activity/summary')).body.data.totalCount).toBe(1);
  });
});

describe.each(ONE_ENGINE)('400 of GET /audit-activity/summary on %s', (engine) => {
  const at = useSharedWorld(engine);
  let acme: TestTenant;
  beforeAll(async () => {
    acme = await at.world.tenant();
  });
  const refused = async (query: string): Promise<string> => {
    const answer = await acme.get('/audit-activity/summary', query);
    expectError(answer, 400, 'invalid_parameter');
    return answer.body.error.message;
  };

  it.each(['startTime', 'endTime'])('%s that is not a time', async (name) => {
    for (const text of ['', 'now', '2026-02-30', '2026-01-01T00:00:00+02:00']) {
      expect(await refused(`${name}=${text}`)).toContain(name);
    }
  });

  it('startTime after endTime', async () => {
    expect(await refused('startTime=2026-01-02&endTime=2026-01-01')).toMatch(/startTime.*after endTime/);
  });

  it.each(['startTime', 'endTime'])('%s given twice', async (name) => {
    expect(await refused(`${name}=2026-01-01&${name}=2026-01-02`)).toContain(`${name} must be given once`);
  });

  // These are parameters of the list. If they were ignored here, the answer would count everything.
  it.each(['page', 'pageSize', 'search', 'sortBy', 'actionId', 'databaseName', 'principalName', 'recordId'])(
    '%s, which is not a parameter here',
    async (name) => {
      expect(await refused(`${name}=1`)).toContain(`"${name}"`);
    },
  );

  it('names every problem', async () => {
    const message = await refused('startTime=x&endTime=y&databaseName=z');
    for (const name of ['startTime', 'endTime', 'databaseName']) expect(message).toContain(name);
  });
});
