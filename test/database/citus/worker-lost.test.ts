import { CITUS_URL } from '../../support/citus';
import { anEvent } from '../../support/events';
import { until } from '../../support/until';
import { useWorld } from '../../support/use-world';
import type { TestTenant } from '../../support/world';
import { Worker } from './support/worker';

const SECONDS = 1_000;
const BATCH = 200;

(CITUS_URL ? describe : describe.skip)('while a worker of the cluster is away', () => {
  let lost: Worker;
  // However the tests end, the worker must run again before the databases are dropped.
  afterAll(() => lost?.start().catch(() => {}));
  const at = useWorld('citus');
  const health = async () => (await at.world.fetch('/health')).text;
  /** `lost`: the tenant whose rows are on the worker that is killed; `left`: the tenant on the other worker. */
  let on: { lost: TestTenant; left: TestTenant };

  beforeAll(async () => {
    lost = await Worker.first();
    on = await lost.tenantsOf(at.world);
  });

  const count = async (tenant: TestTenant) =>
    (await tenant.get('/audit-activity', { pageSize: 1 })).body.meta?.totalCount;
  const logged = async (tenant: TestTenant): Promise<number> => {
    const query = 'query($tenantId: String!) { auditLog(tenantId: $tenantId) { size } }';
    const { body } = await at.world.graphql(tenant.key, query, { tenantId: tenant.tenantId });
    return Number(body.data?.auditLog?.size ?? 0);
  };

  it('its tenants wait, other tenants are served without a refusal, and no acknowledged event is lost', async () => {
    const acknowledged = new Map([
      [on.lost, 0],
      [on.left, 0],
    ]);
    /** The errors that came instead of a receipt. */
    const refused = new Map<TestTenant, string[]>([
      [on.lost, []],
      [on.left, []],
    ]);
    let stopped = false;
    const send = async (tenant: TestTenant) => {
      while (!stopped) {
        const events = Array.from({ length: BATCH }, () => anEvent());
        // Sends the batch until it is acknowledged, as an agent does.
        for (;;) {
          const receipt = await tenant.ingest(events).catch((error: Error) => {
            refused.get(tenant)?.push(error.message);
            return null;
          });
          if (receipt) break;
          if (stopped && tenant === on.left) throw new Error('a tenant on the other worker was refused');
        }
        acknowledged.set(tenant, (acknowledged.get(tenant) ?? 0) + BATCH);
      }
    };
    const senders = [send(on.lost), send(on.left)];
    const sentBy = (tenant: TestTenant) => acknowledged.get(tenant) ?? 0;
    await until(
      () => Math.min(sentBy(on.lost), sentBy(on.left)),
      (n) => n >= 2 * BATCH,
      60 * SECONDS,
    );
    lost.kill();
    await until(health, (text) => text === 'Degraded', 30 * SECONDS);
    expect((await at.world.fetch('/health')).status).toBe(200);
    await until(
      () => refused.get(on.lost)?.length ?? 0,
      (n) => n > 0,
      30 * SECONDS,
    );

    const before = sentBy(on.left);
    await until(
      () => sentBy(on.left),
      (n) => n >= before + 3 * BATCH,
      60 * SECONDS,
    );
    // Events sent after the worker was lost are read, counted and taken into the evidence log.
    await until(
      () => count(on.left),
      (n) => n >= before + BATCH,
      30 * SECONDS,
    );
    await until(
      () => logged(on.left),
      (n) => n > before + BATCH,
      60 * SECONDS,
    );
    expect((await on.lost.get('/audit-activity')).status).toBe(503);

    await lost.start();
    await until(health, (text) => text === 'Healthy', 60 * SECONDS);
    const after = sentBy(on.lost);
    await until(
      () => sentBy(on.lost),
      (n) => n > after,
      60 * SECONDS,
    );
    stopped = true;
    await Promise.all(senders);
    for (const tenant of [on.lost, on.left]) {
      expect(await count(tenant)).toBe(sentBy(tenant));
      await until(
        () => logged(tenant),
        (n) => n === sentBy(tenant),
        60 * SECONDS,
      );
    }
    // Each batch is stored once, though a batch without an answer was sent again; the other tenant was never refused.
    expect(refused.get(on.left)).toEqual([]);
  }, 400_000);
});
