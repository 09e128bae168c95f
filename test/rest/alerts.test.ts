import { ONE_ENGINE } from '../support/engines';
import { anEvent } from '../support/events';
import { until } from '../support/until';
import { useWorld } from '../support/use-world';
import type { Query } from '../support/world';
import { expectError } from './support/operations';

const SCOPES = ['read:alerts', 'read:findings'];
const UNKNOWN = '00000000-0000-4000-8000-000000000000';
const role = (login: string, instance: string, second: number) =>
  anEvent({
    actionId: 'APRL',
    objectName: 'sysadmin',
    additional: { classType: 'SG' },
    serverPrincipalName: login,
    serverInstanceName: instance,
    eventTime: `2026-01-05T08:00:${String(second).padStart(2, '0')}.0000000Z`,
  });

describe.each(ONE_ENGINE)('alerts and findings by REST on %s', (engine) => {
  const at = useWorld(engine);
  let key: string;
  beforeAll(async () => {
    const { world } = at;
    const [tenant, other] = [await world.tenant(), await world.tenant()];
    key = (await world.key({ tenantIds: [tenant.tenantId], scopes: SCOPES })).key;
    await tenant.ingest([
      ...[role('CORP\\a', 'SQL01', 10), role('CORP\\b', 'SQL01', 20), role('CORP\\b', 'SQL02', 30)],
      anEvent({
        actionId: 'TASP',
        serverPrincipalName: 'CORP\\a',
        eventTime: '2026-01-05T08:00:40.0000000Z',
      }),
    ]);
    await other.ingest([role('CORP\\a', 'SQL01', 10)]);
    await until(
      () => world.get('/alerts', key),
      ({ body }) => body.meta.totalCount === 4,
    );
  });
  const get = (path: string, query: Query | string = {}) => at.world.get(path, key, { query });
  const count = async (path: string, query: Query) => (await get(path, query)).body.meta.totalCount;

  it.each(['/alerts', '/findings'])(
    '%s filters by severity, rule, login, server instance and time',
    async (path) => {
      expect(await count(path, {})).toBe(4);
      expect(await count(path, { severity: 'high' })).toBe(3);
      expect(await count(path, { severity: 'low' })).toBe(0);
      const { ruleId } = (await get(path, { severity: 'medium' })).body.data[0];
      expect(await count(path, { ruleId })).toBe(1);
      expect(await count(path, { ruleId: ruleId.toUpperCase() })).toBe(1);
      expect(await count(path, { ruleId: UNKNOWN })).toBe(0);
      expect(await count(path, { principalName: 'corp\\B' })).toBe(2);
      expect(await count(path, { serverInstanceName: 'sql02' })).toBe(1);
      expect(await count(path, { principalName: 'CORP\\b', serverInstanceName: 'SQL02' })).toBe(1);
      // startTime includes its moment, and endTime excludes it.
      expect(await count(path, { startTime: '2026-01-05T08:00:20Z' })).toBe(3);
      expect(await count(path, { endTime: '2026-01-05T08:00:20Z' })).toBe(1);
      expect(await count(path, { startTime: '2026-01-05T08:00:20Z', endTime: '2026-01-05T08:00:40Z' })).toBe(
        2,
      );
    },
  );

  it('/alerts filters by status', async () => {
    expect(await count('/alerts', { status: 'new' })).toBe(4);
    for (const status of ['acknowledged', 'resolved', 'suppressed'])
      expect(await count('/alerts', { status })).toBe(0);
  });

  it.each(['/alerts', '/findings'])(
    '%s has each item once on its pages, however the items are sorted',
    async (path) => {
      const idOf = (item: Record<string, string>) => item.findingId ?? item.alertId;
      for (const sortBy of ['lastEventTime', 'firstEventTime', 'severity'])
        for (const sortDirection of ['asc', 'desc']) {
          const pages = [];
          for (const page of [1, 2])
            pages.push((await get(path, { page, pageSize: 3, sortBy, sortDirection })).body);
          expect(pages.map(({ data }) => data.length)).toEqual([3, 1]);
          expect(new Set(pages.flatMap(({ data }) => data.map(idOf))).size).toBe(4);
          expect(pages[1].meta).toMatchObject({
            totalCount: 4,
            page: 2,
            pageSize: 3,
            totalPages: 2,
            hasPreviousPage: true,
            hasNextPage: false,
            apiVersion: expect.any(String),
          });
          const times = pages.flatMap(({ data }) => data.map(({ lastEventTime }: never) => lastEventTime));
          const sorted = times.toSorted();
          if (sortBy === 'lastEventTime')
            expect(times).toEqual(sortDirection === 'asc' ? sorted : sorted.toReversed());
        }
      const byTime = await get(path, { sortBy: 'Timestamp', sortDirection: 'asc' });
      const named = path === '/alerts' ? 'createdAt' : 'detectedAt';
      const [asc, desc] = [
        await get(path, { sortBy: named, sortDirection: 'asc' }),
        await get(path, { sortBy: 'Timestamp' }),
      ];
      expect(byTime.body.data.map(idOf)).toEqual(asc.body.data.map(idOf));
      expect(desc.body.data.map(idOf)).toEqual(asc.body.data.map(idOf).toReversed());
      const { body } = await get(path, { page: 9 });
      expect(body).toMatchObject({ data: [], meta: { totalCount: 4, hasPreviousPage: true } });
    },
  );

  it.each<[string, Query | string, RegExp]>([
    ['/alerts', { status: 'open' }, /status must be one of new, acknowledged, resolved, suppressed/],
    ['/alerts', { status: 'NEW' }, /status/],
    ['/alerts', { severity: 'info' }, /severity must be one of low, medium, high, critical/],
    ['/alerts', { ruleId: '40' }, /ruleId must be a UUID/],
    ['/alerts', { principalName: '' }, /principalName/],
    ['/alerts', { startTime: 'yesterday' }, /startTime.*ISO 8601/],
    ['/alerts', { startTime: '2026-01-06', endTime: '2026-01-05' }, /startTime must not be after endTime/],
    ['/alerts', { page: 0 }, /page/],
    ['/alerts', { pageSize: 101 }, /pageSize.*1 to 100/],
    ['/alerts', { sortBy: 'title' }, /sortBy.*createdAt/],
    ['/alerts', { sortDirection: 'up' }, /sortDirection/],
    ['/alerts', { tenantId: '1' }, /"tenantId" is not a parameter here/],
    ['/alerts', 'status=new&status=new', /status must be given once/],
    ['/alerts', { page: 0, severity: 'x', ruleId: 'x' }, /page.*severity.*ruleId must be a UUID/],
    ['/findings', { status: 'new' }, /"status" is not a parameter here/],
    ['/findings', { alertId: 'x' }, /alertId must be a UUID/],
    ['/findings', { sortBy: 'createdAt' }, /sortBy.*detectedAt/],
    ['/alerts/x', {}, /alertId must be a UUID/],
    ['/findings/x', {}, /findingId must be a UUID/],
    [`/alerts/${UNKNOWN}`, { page: 1 }, /"page" is not a parameter here/],
  ])('%s refuses %j', async (path, query, message) => {
    const answer = await get(path, query);
    expectError(answer, 400, 'invalid_parameter');
    expect(answer.body.error.message).toMatch(message);
  });

  it("answers 404 for unknown and for another tenant's, 403 without the scope or a tenant, and 401 without a key", async () => {
    const { world } = at;
    const { alertId } = (await get('/alerts')).body.data[0];
    const { findingId } = (await get('/findings')).body.data[0];
    const other = (await world.key({ tenantIds: [(await world.tenant()).tenantId], scopes: SCOPES })).key;
    const bare = (await world.keyWithoutTenants({ scopes: SCOPES })).key;
    const textOf = ({ body }: { body: { error: object } }) => ({ ...body.error, requestId: null });
    for (const [path, id] of [
      ['/alerts', alertId],
      ['/findings', findingId],
    ]) {
      expect((await get(`${path}/${id}`)).status).toBe(200);
      const [unknown, foreign] = [await get(`${path}/${UNKNOWN}`), await world.get(`${path}/${id}`, other)];
      expectError(unknown, 404, 'not_found');
      expect(textOf(foreign)).toEqual(textOf(unknown));
      for (const place of [path ?? '', `${path}/${id}`]) {
        expectError(await world.get(place, bare), 403, 'forbidden');
        expectError(await world.get(place, null), 401, 'unauthorized');
      }
    }
    const [tenantId] = [(await get('/alerts')).body.data[0].tenantId];
    for (const [scope, allowed, refused] of [
      ['read:alerts', '/alerts', '/findings'],
      ['read:findings', '/findings', '/alerts'],
    ] as const) {
      const one = (await world.key({ tenantIds: [tenantId], scopes: [scope] })).key;
      expect((await world.get(allowed, one)).status).toBe(200);
      expectError(await world.get(refused, one), 403, 'forbidden');
    }
    const worker = (await world.key({ tenantIds: [tenantId], scopes: ['work:alerts'] })).key;
    expectError(await world.get('/alerts', worker), 403, 'forbidden');
  });
});
