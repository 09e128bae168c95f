import { randomUUID } from 'node:crypto';
import { LIMITS } from '../../src/limits';
import { AlertStore, type AlertWork } from '../../src/modules/detection/alerts/alert.store';
import { RouteStore } from '../../src/modules/detection/notices/route.store';
import { tenantSet } from '../../src/tenant-set';
import { AN_ATTEMPT } from '../support/attempt';
import { ONE_ENGINE } from '../support/engines';
import { Store } from '../support/store';

const NOW = Date.parse('2026-01-05T08:00:00Z');
const LATER = new Date(NOW + 3_600_000);
const EARLIER = new Date(NOW - 3_600_000);

describe.each(ONE_ENGINE)('the bounds on the alerts of a tenant on %s', (engine) => {
  let store: Store;
  let alerts: AlertStore;
  const alertId = randomUUID();

  beforeAll(async () => {
    store = await Store.open(engine);
    alerts = new AlertStore(store.database.service, () => NOW);
    await store.database.migrator.models.alert.create({
      data: {
        tenantId: store.tenantId,
        alertId,
        ruleId: randomUUID(),
        title: 'Brute force',
        severity: 3,
        status: 'new',
        groupKey: '',
        groupValues: '{"clientIp":"203.0.113.9"}',
        anchor: 0n,
        firstEvent: 0n,
        lastEvent: 0n,
        findingCount: 1,
        eventCount: 1n,
        principals: [],
        instances: [],
        createdAt: EARLIER,
        updatedAt: EARLIER,
      },
    });
  });
  afterAll(() => store.close());

  const suppressed = (count: number, until: Date) =>
    store.database.migrator.models.alertSuppression.createMany({
      data: Array.from({ length: count }, () => ({
        tenantId: store.tenantId,
        suppressionId: randomUUID(),
        ruleId: null,
        fields: '{}',
        until,
        reason: 'test',
        createdBy: 'test',
        createdAt: EARLIER,
      })),
    });
  const work = (change: Partial<AlertWork>) =>
    alerts.work(
      tenantSet([store.tenantId]),
      alertId,
      { kind: 'commented', actor: 'ada', comment: null, set: {}, detail: {}, ...change },
      AN_ATTEMPT,
    );
  const suppress = () =>
    work({
      kind: 'suppressed',
      suppress: (group) => ({ fields: group as Record<string, string>, until: LATER, reason: 'x' }),
    });

  it('refuse a suppression above their number; suppressions that have ended do not count', async () => {
    await suppressed(LIMITS.suppressionsMax, EARLIER);
    await suppressed(LIMITS.suppressionsMax - 1, LATER);
    await suppress();
    await expect(suppress()).rejects.toMatchObject({ code: 'invalid_parameter' });
    await work({ comment: 'still works' });
  });

  it('show of each route the newest failure of what is not sent yet', async () => {
    const own = await store.forNewTenant();
    const { tenantId } = own;
    const { models } = own.database.owner;
    const routes = new RouteStore(own.database.service, () => NOW);
    const made = { severityMin: 1, ruleId: null, escalateMinutes: null, target: { to: ['a@example.com'] } };
    const ids: string[] = [];
    for (const name of ['waits', 'was sent'])
      ids.push((await routes.create(tenantId, { name, ...made }, AN_ATTEMPT)).routeId);
    const notice = (routeId: string | undefined, error: string | null, nextMs: number, sentAt: Date | null) =>
      models.alertNotice.create({
        data: {
          ...{
            tenantId,
            noticeId: randomUUID(),
            routeId: routeId ?? '',
            alertId: randomUUID(),
            state: 'new',
          },
          ...{ createdAt: EARLIER, nextAt: new Date(NOW + nextMs), tries: 1, error, sentAt },
        },
      });
    await notice(ids[0], 'an older one', 1, null);
    await notice(ids[0], 'the newest', 3, null);
    await notice(ids[0], null, 4, null);
    await notice(ids[0], 'over', 5, LATER);
    await notice(ids[1], 'over', 5, LATER);
    expect((await routes.list(tenantId)).map(({ name, lastError }) => [name, lastError]).sort()).toEqual([
      ['waits', 'the newest'],
      ['was sent', null],
    ]);
  });

  it('refuse a route above their number; removed routes do not count', async () => {
    const { tenantId } = store;
    const route = {
      severityMin: 1,
      ruleId: null,
      escalateMinutes: null,
      target: { to: ['soc@example.com'] },
    };
    const data = Array.from({ length: 100 }, (_, n) => ({
      ...{ tenantId, routeId: randomUUID(), name: `${n}`, severityMin: 1, kind: 'email', enabled: true },
      ...{ target: JSON.stringify(route.target), createdAt: EARLIER },
    }));
    await store.database.migrator.models.alertRoute.createMany({ data });
    const routes = new RouteStore(store.database.service, () => NOW);
    const create = () => routes.create(tenantId, { ...route, name: 'one more' }, AN_ATTEMPT);
    await expect(create()).rejects.toMatchObject({ code: 'invalid_parameter' });
    await routes.remove(tenantId, data[0]?.routeId ?? '', AN_ATTEMPT);
    expect(await create()).toMatchObject({ name: 'one more' });
    await expect(create()).rejects.toMatchObject({ code: 'invalid_parameter' });
  });

  it('show only the newest changes of an alert, the oldest of those first', async () => {
    await store.database.migrator.models.alertChange.createMany({
      data: Array.from({ length: 1_000 }, (_, n) => ({
        tenantId: store.tenantId,
        alertId,
        changeId: randomUUID(),
        at: new Date(EARLIER.getTime() + n),
        actor: 'ada',
        kind: 'commented',
        detail: '{}',
        comment: String(n),
      })),
    });
    const shown = await alerts.changes(tenantSet([store.tenantId]), alertId);
    expect(shown).toHaveLength(1_000);
    expect(shown.slice(-2).map(({ comment }) => comment)).toContain('still works');
    expect(shown.slice(0, 2).map(({ comment }) => comment)).toEqual(['2', '3']);
  });

  it('keep when a person first took an alert up', async () => {
    const status = (name: string) => work({ kind: 'acknowledged', set: { status: name } });
    await store.database.migrator.models.alert.updateMany({
      where: { alertId },
      data: { acknowledgedAt: EARLIER },
    });
    await status('acknowledged');
    const read = () => store.database.migrator.models.alert.findFirstOrThrow({ where: { alertId } });
    expect(await read()).toMatchObject({ acknowledgedAt: EARLIER, updatedAt: new Date(NOW) });
  });
});
