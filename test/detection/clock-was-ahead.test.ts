import { randomUUID } from 'node:crypto';
import { DeliveryStore } from '../../src/modules/destinations/delivery-store';
import { BacktestStore } from '../../src/modules/detection/backtests/backtest.store';
import { takeProgress, turnsOf } from '../../src/modules/detection/detector/progress';
import { NoticeQueue } from '../../src/modules/detection/notices/notice-queue';
import { PostgresExportLeases } from '../../src/modules/export/leases';
import { ENGINES } from '../support/engines';
import { Store } from '../support/store';

const NOW = Date.parse('2026-02-03T08:00:00Z');
const TIME = async () => new Date(NOW);
/** As it was told: 86,000 seconds. */
const AHEAD = "interval '86000 seconds'";
const AHEAD_MS = 86_000_000;

describe.each(ENGINES)('after the clock was ahead, and is right again, on %s', (engine) => {
  let base: Store;
  let store: Store;
  beforeAll(async () => {
    base = await Store.open(engine);
  });
  afterAll(() => base.close());
  beforeEach(async () => {
    store = await base.forNewTenant();
  });
  const owner = () => store.database.owner;

  it('the turn of the rules is taken, and one that another instance holds is not', async () => {
    const { tenantId } = store;
    const take = async () => (await takeProgress(turnsOf(owner()), tenantId, randomUUID())) !== null;
    const held = (until: string) =>
      store.query(
        `UPDATE detection_position SET held_until = clock_timestamp() + ${until} WHERE tenant_id = $1`,
        tenantId,
      );
    expect([await take(), await take()]).toEqual([true, false]);
    await held("interval '59 seconds'");
    expect(await take()).toBe(false);
    await held(AHEAD);
    expect([await take(), await take()]).toEqual([true, false]);
  });

  it('a destination delivers, and one whose receiver asked for an hour waits', async () => {
    const { tenantId } = store;
    const key = { tenantId, destinationId: randomUUID() };
    await owner().models.destination.create({
      data: {
        ...key,
        name: 'x',
        type: 'webhook',
        settings: {},
        secrets: Buffer.alloc(1),
        filter: '',
        format: 'native',
        state: 'active',
        position: 0,
        batches: [0n, 1n],
      },
    });
    const deliveries = new DeliveryStore(owner());
    const isDue = async () => (await deliveries.list()).find((one) => one.tenantId === tenantId)?.isDue;
    const set = (what: string) =>
      store.query(`UPDATE destination SET ${what} WHERE tenant_id = $1`, tenantId);
    expect(await isDue()).toBe(true);
    for (const [ahead, expected] of [
      ["interval '12 seconds'", false],
      [AHEAD, true],
    ] as const) {
      await set(`lease_id = gen_random_uuid(), lease_until = clock_timestamp() + ${ahead}`);
      expect([await isDue(), (await deliveries.take(key)) !== null]).toEqual([expected, expected]);
    }
    await set('lease_until = NULL');
    await set("next_attempt_at = clock_timestamp() + interval '1 hour'");
    expect(await isDue()).toBe(false);
    await set(`next_attempt_at = clock_timestamp() + ${AHEAD}`);
    expect(await isDue()).toBe(true);
  });

  it('an export begins, and none beside another one of its holder', async () => {
    const leases = new PostgresExportLeases(store.database.service);
    const holder = randomUUID();
    expect(await leases.take(holder)).not.toBeNull();
    expect(await leases.take(holder)).toBeNull();
    await store.query(
      `UPDATE export_lease SET expires_at = clock_timestamp() + ${AHEAD} WHERE holder = $1`,
      holder,
    );
    expect(await leases.take(holder)).not.toBeNull();
    expect(await leases.take(holder)).toBeNull();
  });

  it('notices of alerts are sent, those that wait after a failure later, and their number since then counts', async () => {
    const { tenantId } = store;
    const routeId = randomUUID();
    const queue = new NoticeQueue(owner(), TIME);
    const note = (nextMs: number, sentMs: number | null = null) =>
      owner().models.alertNotice.create({
        data: {
          tenantId,
          routeId,
          noticeId: randomUUID(),
          alertId: randomUUID(),
          state: 'new',
          tries: 0,
          createdAt: new Date(NOW),
          nextAt: new Date(nextMs),
          sentAt: sentMs === null ? null : new Date(sentMs),
        },
      });
    await note(NOW + 600_000);
    expect(await queue.take(tenantId)).toEqual([]);
    await note(NOW + AHEAD_MS);
    expect(await queue.take(tenantId)).toHaveLength(1);
    expect(await queue.take(tenantId)).toEqual([]);
    for (const sent of [NOW - 1, NOW, NOW + AHEAD_MS]) await note(NOW, sent);
    expect(await queue.sentWithin(tenantId, routeId, 10)).toEqual([1, 0]);
  });

  it('a backtest goes on, and one that another instance runs does not', async () => {
    const { tenantId } = store;
    const tests = new BacktestStore(store.database.service, owner(), Date.now, TIME);
    const backtestId = randomUUID();
    await owner().models.backtest.create({
      data: {
        tenantId,
        backtestId,
        rule: '{}',
        state: 'running',
        since: new Date(NOW),
        answer: '{}',
        tries: 0,
        createdAt: new Date(NOW),
        holder: randomUUID(),
        heldUntil: new Date(NOW + 80_000),
      },
    });
    expect(await tests.take(tenantId, backtestId)).toBeNull();
    await owner().models.backtest.updateMany({
      where: { tenantId },
      data: { heldUntil: new Date(NOW + AHEAD_MS) },
    });
    expect(await tests.take(tenantId, backtestId)).not.toBeNull();
    expect(await tests.take(tenantId, backtestId)).toBeNull();
  });
});
