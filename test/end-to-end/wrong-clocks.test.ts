import { EVENT_TIME_MIN, LIMITS } from '../../src/limits';
import { runCli } from '../support/cli';
import { ENGINES } from '../support/engines';
import { anEvent, type IngestedEvent } from '../support/events';
import { until } from '../support/until';
import { QUICK_LOG, useLimits } from '../support/use-limits';
import { type TestTenant, World } from '../support/world';

const DAY_MS = 86_400_000;
const realNow = Date.now;
const at = (ms: number) => `${new Date(ms).toISOString().slice(0, -1)}1234Z`;

describe.each(ENGINES)('events whose time cannot be right, on %s', (engine) => {
  useLimits(QUICK_LOG);
  let world: World;
  /** How far the clock of the service is ahead. */
  let ahead = 0;
  beforeAll(async () => {
    jest.spyOn(Date, 'now').mockImplementation(() => realNow() + ahead);
    world = await World.open(engine);
  });
  afterEach(() => {
    ahead = 0;
  });
  afterAll(async () => {
    await world.close();
    jest.restoreAllMocks();
  });

  const listed = async (tenant: TestTenant, query = {}) => {
    const { body } = await tenant.get('/audit-activity', { pageSize: 100, ...query });
    return { total: body.meta.totalCount, items: body.data as { recordId: string; eventTime: string }[] };
  };
  const detailOf = async (tenant: TestTenant, recordId: string) =>
    (
      await world.graphql(
        tenant.key,
        `{ auditEvent(recordId: "${recordId}") { eventTime statement additional } }`,
      )
    ).body.data.auditEvent;
  const sequenced = (tenant: TestTenant, size: number) =>
    until(
      async () => (await tenant.get('/audit-log')).body.data,
      (log) => log.size === size && log.checkpoint !== null,
    );
  /** Every way of reading shows exactly these events, and the operator's and the holder's check find them sound. */
  const expectSound = async (tenant: TestTenant, sent: readonly IngestedEvent[]) => {
    const times = sent.map(({ eventTime }) => eventTime).sort();
    const { total, items } = await listed(tenant, { sortDirection: 'asc' });
    expect([total, items.map(({ eventTime }) => eventTime)]).toEqual([sent.length, times]);
    const exported = await world.fetch('/api/v1/public/audit-activity/export', {
      headers: { 'X-Api-Key': tenant.key },
    });
    const lines = exported.text.trim().split('\n');
    expect(lines.filter((line) => line.includes('"eventTime"'))).toHaveLength(sent.length);
    await sequenced(tenant, sent.length);
    const checked = await runCli(['verify', '--service', world.service.url], {
      AUDIT_ACTIVITY_API_KEY: tenant.key,
    });
    expect(checked.error).toBeNull();
    const { body } = await tenant.get('/audit-activity/tail', { from: 'beginning', limit: 100 });
    expect(body.data.map(({ eventTime }: IngestedEvent) => eventTime).sort()).toEqual(times);
  };

  it('are stored with the time that they state and a mark, when the clock of SQL Server is three days ahead', async () => {
    const tenant = await world.tenant();
    const now = Date.now();
    const right = Array.from({ length: 10 }, (_, i) => anEvent({ eventTime: at(now - 60_000 + i) }));
    const wrong = Array.from({ length: 20 }, (_, i) =>
      anEvent({ eventTime: at(now + 3 * DAY_MS + i), statement: 'SELECT wrongclock' }),
    );
    expect(await tenant.ingest([...right, ...wrong])).toEqual({ accepted: 30, duplicates: 0, rejected: [] });
    expect(await tenant.ingest(wrong)).toEqual({ accepted: 0, duplicates: 20, rejected: [] });
    await expectSound(tenant, [...right, ...wrong]);
    const { total, items } = await listed(tenant, { search: 'wrongclock', startTime: at(now + 2 * DAY_MS) });
    expect(total).toBe(20);
    const { additional } = await detailOf(tenant, items[0]?.recordId ?? '');
    const { clock, ...others } = typeof additional === 'string' ? JSON.parse(additional) : additional;
    expect(Math.abs(Date.parse(clock) - Date.now())).toBeLessThan(60_000);
    expect(others).toMatchObject({ sessionId: 55, classType: 'U' });
  });

  it('are stored when the clock of the service is three days behind', async () => {
    const tenant = await world.tenant();
    const now = Date.now();
    const sent = Array.from({ length: 60 }, (_, i) => anEvent({ eventTime: at(now + i) }));
    ahead = -3 * DAY_MS;
    expect(await tenant.ingest(sent)).toEqual({ accepted: 60, duplicates: 0, rejected: [] });
    ahead = 0;
    expect(await tenant.ingest(sent)).toEqual({ accepted: 0, duplicates: 60, rejected: [] });
    await expectSound(tenant, sent);
  });

  it('may be of any year, and an earlier one than 1970 is stated beside the mark', async () => {
    const tenant = await world.tenant();
    const times = [
      '1970-01-01T00:00:00.0000001Z',
      '1989-12-31T23:59:59.9999999Z',
      EVENT_TIME_MIN,
      '2049-12-31T23:59:59.9999999Z',
      '2099-06-01T00:00:00.0000000Z',
      '9999-12-31T23:59:59.9999999Z',
    ];
    const sent = times.map((eventTime) => anEvent({ eventTime, additional: { clock: 'own' } }));
    const early = anEvent({ eventTime: '1601-01-01T00:00:00.0000000Z', statement: 'SELECT early' });
    expect(await tenant.ingest([...sent, early])).toMatchObject({ accepted: 7, rejected: [] });
    await expectSound(tenant, [...sent, { ...early, eventTime: '1970-01-01T00:00:00.0000000Z' }]);
    const [found] = (await listed(tenant, { search: 'early' })).items;
    const { additional } = await detailOf(tenant, found?.recordId ?? '');
    const values = typeof additional === 'string' ? JSON.parse(additional) : additional;
    expect(values).toMatchObject({
      'event.eventTime': early.eventTime,
      clock: expect.stringMatching(/^\d{4}-/),
    });
    const [last] = (await listed(tenant)).items;
    const own = (await detailOf(tenant, last?.recordId ?? '')).additional;
    expect(typeof own === 'string' ? JSON.parse(own) : own).toMatchObject({
      clock: 'own',
      'event.clock': expect.any(String),
    });
    const late = at(Date.now() + LIMITS.eventFutureMaxMs);
    expect((await listed(tenant, { startTime: late })).total).toBe(3);
  });
});
