import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import type { OwnerDoor } from '../../src/database/clients';
import { NoticeQueue } from '../../src/modules/detection/notices/notice-queue';
import { describeOnPostgres } from '../support/engines';
import { waitersOn } from '../support/lock-waiters';
import { Store } from '../support/store';

const NOW = Date.parse('2026-02-03T08:00:00Z');
const TIME = async () => new Date(NOW);

describeOnPostgres('two instances that look for notices at the same time', () => {
  let store: Store;
  let client: Client;
  beforeAll(async () => {
    store = await Store.open('postgresql');
    client = new Client({ connectionString: store.place.databaseUrl ?? '' });
    await client.connect();
  });
  afterAll(async () => {
    await client.end();
    await store.close();
  });

  it('take each notice once', async () => {
    const { tenantId } = store;
    const owner = store.database.owner;
    const data = Array.from({ length: 3 }, () => ({
      tenantId,
      noticeId: randomUUID(),
      routeId: randomUUID(),
      alertId: randomUUID(),
      state: 'new',
      createdAt: new Date(NOW),
      nextAt: new Date(NOW),
      tries: 0,
    }));
    await owner.models.alertNotice.createMany({ data });
    const queue = new NoticeQueue(owner, TIME);
    let second: Promise<readonly unknown[]> = Promise.resolve([]);
    const first = await owner.models.$transaction(async (tx) => {
      const taken = await new NoticeQueue({ ...owner, models: tx as OwnerDoor['models'] }, TIME).take(
        tenantId,
      );
      second = queue.take(tenantId);
      await waitersOn(client, 1);
      return taken;
    });
    expect(first.map(({ noticeId }) => noticeId).sort()).toEqual(data.map(({ noticeId }) => noticeId).sort());
    expect(await second).toEqual([]);
  });

  it('take those that wait longest first, and so many at once that others have their turn', async () => {
    const { tenantId, database } = await store.forNewTenant();
    const data = Array.from({ length: 251 }, (_, i) => ({
      ...{ tenantId, noticeId: randomUUID(), routeId: randomUUID(), alertId: randomUUID(), state: 'new' },
      ...{ createdAt: new Date(NOW), nextAt: new Date(NOW - i), tries: 0 },
    }));
    await database.owner.models.alertNotice.createMany({ data });
    const queue = new NoticeQueue(database.owner, TIME);
    const ids = async () => (await queue.take(tenantId)).map(({ noticeId }) => noticeId).sort();
    const [newest, ...others] = data.map(({ noticeId }) => noticeId);
    expect(await ids()).toEqual(others.sort());
    expect(await ids()).toEqual([newest]);
  });

  it('note what was sent also where the other one has taken it meanwhile: it is not sent a third time', async () => {
    const { tenantId, database } = await store.forNewTenant();
    const { models } = database.owner;
    const one = { tenantId, noticeId: randomUUID(), routeId: randomUUID(), alertId: randomUUID(), tries: 0 };
    const at = { ms: NOW };
    await models.alertNotice.create({
      data: { ...one, state: 'new', createdAt: new Date(NOW), nextAt: new Date(NOW) },
    });
    const [first, second] = [0, 1].map(() => new NoticeQueue(database.owner, async () => new Date(at.ms)));
    const taken = (await first?.take(tenantId)) ?? [];
    at.ms += 61_000;
    const again = (await second?.take(tenantId)) ?? [];
    expect([taken.length, again.length]).toEqual([1, 1]);
    await first?.done(tenantId, taken);
    await second?.failed(tenantId, again, 'HTTP 503');
    at.ms += 3_600_000;
    expect(await second?.take(tenantId)).toEqual([]);
    expect(await models.alertNotice.findMany({ where: { tenantId } })).toMatchObject([
      { sentAt: new Date(NOW + 61_000) },
    ]);
  });

  it('count only tries that were made: after a failure, what was given back meanwhile waits no longer', async () => {
    const { tenantId, database } = await store.forNewTenant();
    const { models } = database.owner;
    const at = { ms: NOW };
    const one = { tenantId, noticeId: randomUUID(), routeId: randomUUID(), alertId: randomUUID(), tries: 0 };
    await models.alertNotice.create({
      data: { ...one, state: 'new', createdAt: new Date(NOW), nextAt: new Date(NOW) },
    });
    const queue = new NoticeQueue(database.owner, async () => new Date(at.ms));
    for (let i = 0; i < 3; i++) {
      await queue.putBack(tenantId, await queue.take(tenantId), 1_000, `left to others ${i}`);
      const wanted = { tries: 0, error: `left to others ${i}`, nextAt: new Date(at.ms + 1_000) };
      expect(await models.alertNotice.findMany({ where: { tenantId } })).toMatchObject([wanted]);
      at.ms += 1_000;
    }
    const waits = [];
    for (let i = 0; i < 3; i++) {
      await queue.failed(tenantId, await queue.take(tenantId), 'HTTP 503');
      const [row] = await models.alertNotice.findMany({ where: { tenantId } });
      waits.push((row?.nextAt.getTime() ?? 0) - at.ms);
      at.ms = row?.nextAt.getTime() ?? 0;
    }
    expect(waits).toEqual([4_000, 8_000, 16_000]);
  });
});

it('of the escalations of an incident, mail needs the worst alone, a destination all, and what is answered none', async () => {
  const alerts = [
    { alertId: 'a', status: 'new', incidentId: 'i', severity: 2 },
    { alertId: 'b', status: 'new', incidentId: 'i', severity: 3 },
    { alertId: 'c', status: 'new', incidentId: null, severity: 1 },
    { alertId: 'd', status: 'acknowledged', incidentId: null, severity: 4 },
  ];
  const models = { alert: { findMany: async () => alerts }, $queryRawUnsafe: async () => [] };
  const queue = new NoticeQueue({ models } as never, TIME);
  const due = ['mail', 'siem'].flatMap((routeId) => alerts.map(({ alertId }) => ({ routeId, alertId })));
  const needless = await queue.needless(7, due as never, (routeId) => routeId === 'mail');
  expect(needless.map(({ routeId, alertId }) => `${routeId} ${alertId}`)).toEqual([
    'mail a',
    'mail d',
    'siem d',
  ]);
});

it('of the escalations of an incident, mail needs one that is worse than what was escalated before', async () => {
  const alerts = [
    { alertId: 'a', status: 'new', incidentId: 'i', severity: 2 },
    { alertId: 'b', status: 'new', incidentId: 'i', severity: 3 },
    { alertId: 'c', status: 'new', incidentId: 'i', severity: 4 },
  ];
  const needless = async (severity: number) => {
    const told = [{ route: 'mail', incident: 'i', severity }];
    const models = { alert: { findMany: async () => alerts }, $queryRawUnsafe: async () => told };
    const due = alerts.map(({ alertId }) => ({ routeId: 'mail', alertId }));
    const found = await new NoticeQueue({ models } as never, TIME).needless(7, due as never, () => true);
    return found.map(({ alertId }) => alertId);
  };
  expect(await needless(3)).toEqual(['a', 'b']);
  expect(await needless(4)).toEqual(['a', 'b', 'c']);
});
