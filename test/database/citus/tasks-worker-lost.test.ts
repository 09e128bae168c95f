import { mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createDestination, LOCAL, untilShown } from '../../destinations/support/destinations';
import { itemsOf, Receiver } from '../../destinations/support/receiver';
import { CITUS_URL } from '../../support/citus';
import { runCli } from '../../support/cli';
import { anEvent } from '../../support/events';
import { until } from '../../support/until';
import { useWorld } from '../../support/use-world';
import type { TestTenant } from '../../support/world';
import { Worker } from './support/worker';

const PATIENCE_MS = 180_000;
const RULE = `title: Payroll read
logsource:
  product: sqlserver
detection:
  s:
    objectName: payroll
  condition: s
x-audit-activity:
  dedup-minutes: 1
`;
const FILTER = `title: Batch
logsource:
  product: sqlserver
filter:
  rules: any
  s:
    serverPrincipalName: batch
  condition: not s
`;

(CITUS_URL ? describe : describe.skip)('background tasks while a worker of the cluster is away', () => {
  let lost: Worker;
  // However the tests end, the worker must run again before the databases are dropped.
  afterAll(() => lost?.start().catch(() => {}));
  const at = useWorld('citus', LOCAL);
  const folder = mkdtempSync(path.join(os.tmpdir(), 'rules-'));
  let on: { readonly lost: TestTenant; readonly left: TestTenant };
  let receiver: Receiver;
  const keys = new Map<TestTenant, string>();
  const destinations = new Map<TestTenant, string>();

  const run = async (...args: string[]) => {
    const { service, operatorKey } = at.world;
    const done = await runCli([...args, '--service', service.url, '--operator-key', operatorKey, '--json']);
    if (done.error !== null) throw new Error(done.error);
    return JSON.parse(done.lines[0] ?? '');
  };
  beforeAll(async () => {
    lost = await Worker.first();
    on = await lost.tenantsOf(at.world);
    receiver = await Receiver.open();
    for (const tenant of [on.lost, on.left]) {
      const { tenantId } = tenant;
      keys.set(tenant, (await at.world.key({ tenantIds: [tenantId], scopes: ['read:findings'] })).key);
      const { destinationId } = await createDestination(at.world, { tenantId, url: receiver.url });
      destinations.set(tenant, destinationId);
      for (const [name, text] of Object.entries({ rule: RULE, filter: FILTER })) {
        const file = path.join(folder, `${name}.yml`);
        writeFileSync(file, text);
        await run('rule', 'import', file, '--tenant', tenantId);
      }
    }
  });
  afterAll(() => receiver?.close());

  const read = (login: string) =>
    anEvent({ actionId: 'SL', objectName: 'payroll', serverPrincipalName: login });
  /** Sends the batch until it is acknowledged, as an agent does. */
  const send = (tenant: TestTenant, logins: readonly string[]) => {
    const events = logins.map(read);
    return until(
      () => tenant.ingest(events).catch(() => null),
      (receipt) => receipt !== null,
      PATIENCE_MS,
    );
  };
  /** The logins that the tenant's rule has found, sorted. */
  const found = async (tenant: TestTenant): Promise<string[]> => {
    const { status, body } = await at.world.get('/findings', keys.get(tenant) ?? '', {
      query: { pageSize: 100 },
    });
    return status === 200
      ? body.data.map(({ group }: { group: Record<string, string> }) => group.serverPrincipalName).sort()
      : [];
  };
  /** The positions in the evidence log that the receiver got. */
  const delivered = (tenant: TestTenant) =>
    receiver.requests
      .flatMap(itemsOf)
      .filter(({ tenantId }) => tenantId === tenant.tenantId)
      .map(({ position }) => Number(position));
  const untilDelivered = (tenant: TestTenant, count: number) =>
    until(
      () => delivered(tenant),
      (positions) => new Set(positions).size === count,
      PATIENCE_MS,
    );
  const tail = async (tenant: TestTenant): Promise<string[]> => {
    const { body } = await tenant.get('/audit-activity/tail', { from: 'beginning', limit: 100 });
    return (body.data ?? []).map((item: { serverPrincipalName: string }) => item.serverPrincipalName);
  };
  const untilFound = (tenant: TestTenant, logins: readonly string[]) =>
    until(
      () => found(tenant),
      (names) => names.join() === [...logins].sort().join(),
      PATIENCE_MS,
    );

  it('tail, destinations, rules and backtests of other tenants continue, and those of its own tenants catch up later', async () => {
    for (const tenant of [on.lost, on.left]) {
      await send(tenant, ['ada', 'batch']);
      await untilDelivered(tenant, 2);
      await untilFound(tenant, ['ada']);
      expect((await tail(tenant)).sort()).toEqual(['ada', 'batch']);
    }
    lost.kill();
    const late = send(on.lost, ['eve', 'batch']);
    await send(on.left, ['eve', 'batch']);
    await untilDelivered(on.left, 4);
    await untilFound(on.left, ['ada', 'eve']);
    expect((await tail(on.left)).length).toBe(4);
    expect((await on.lost.get('/audit-activity/tail', { from: 'beginning' })).status).toBe(503);
    const file = path.join(folder, 'rule.yml');
    const tested = await run('rule', 'test', file, '--tenant', on.left.tenantId);
    expect(tested).toMatchObject({ state: 'done', findingCount: 2 });

    await lost.start();
    await late;
    await untilDelivered(on.lost, 4);
    await untilFound(on.lost, ['ada', 'eve']);
    expect((await tail(on.lost)).sort()).toEqual(['ada', 'batch', 'batch', 'eve']);
    for (const tenant of [on.lost, on.left]) {
      const { lagEvents, delivered: taken } = await untilShown(
        at.world,
        destinations.get(tenant) ?? '',
        (one) => one.lagEvents === 0,
        PATIENCE_MS,
      );
      expect([lagEvents, taken]).toEqual([0, 4]);
    }
    expect(await run('rule', 'test', file, '--tenant', on.lost.tenantId)).toMatchObject({
      state: 'done',
      findingCount: 2,
    });
  }, 600_000);
});
