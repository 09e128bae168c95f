import { randomUUID } from 'node:crypto';
import { PostgresExportLeases } from '../../../src/modules/export/leases';
import { describeOnPostgres, ENGINES } from '../../support/engines';
import { anEvent } from '../../support/events';
import { Store } from '../../support/store';
import { until } from '../../support/until';
import { useWorld } from '../../support/use-world';
import { type TestTenant, World } from '../../support/world';
import { expectError } from '../support/operations';
import { PATH } from './support';

describe.each(ENGINES)('leases of exports on %s', (engine) => {
  let store: Store;
  beforeAll(async () => {
    store = await Store.open(engine);
  });
  afterAll(() => store.close());

  it('are held by one export of a holder at a time, until released', async () => {
    const leases = new PostgresExportLeases(store.database.service);
    const holder = randomUUID();
    const taken = await Promise.all([leases.take(holder), leases.take(holder), leases.take(holder)]);
    const [lease] = taken.filter((it) => it !== null);
    expect(taken.filter((it) => it === null)).toHaveLength(2);
    expect(await leases.take(`${holder} other`)).not.toBeNull();
    expect(await lease?.renew()).toBe(true);
    expect(await leases.take(holder)).toBeNull();
    await lease?.release();
    expect(await leases.take(holder)).not.toBeNull();
  });

  it('a lease that could not be released during an outage is taken over by the same instance, once', async () => {
    const { service } = store.database;
    let lost = false;
    const models = new Proxy(service.models, {
      get: (target, name) =>
        name === '$queryRawUnsafe' && lost
          ? () => Promise.reject(new Error('connection lost'))
          : Reflect.get(target, name),
    });
    const leases = new PostgresExportLeases({ ...service, models });
    const holder = randomUUID();
    const lease = await leases.take(holder);
    lost = true;
    await expect(lease?.release()).rejects.toThrow();
    await expect(leases.take(holder)).rejects.toThrow();
    lost = false;
    expect(await new PostgresExportLeases(service).take(holder)).toBeNull();
    const taken = await Promise.all([leases.take(holder), leases.take(holder)]);
    expect(taken.filter((it) => it !== null)).toHaveLength(1);
  });

  it('a lease of an instance that died expires, and cannot be renewed after another took it', async () => {
    const leases = new PostgresExportLeases(store.database.service);
    const holder = randomUUID();
    const died = await leases.take(holder);
    await store.query(
      "UPDATE export_lease SET expires_at = clock_timestamp() - interval '1 ms' WHERE holder = $1",
      holder,
    );
    const next = await leases.take(holder);
    expect(next).not.toBeNull();
    expect(await died?.renew()).toBe(false);
    await died?.release();
    expect(await next?.renew()).toBe(true);
  });
});

describeOnPostgres('one export at a time', () => {
  const open = useWorld('postgresql');
  let second: World;
  let acme: TestTenant;
  beforeAll(async () => {
    second = await World.on(open.world.database);
    acme = await open.world.tenant();
    // More than the buffers of the sockets hold.
    const statement = 'x'.repeat(500_000);
    for (let i = 0; i < 40; i += 8)
      await acme.ingest(Array.from({ length: 8 }, (_, n) => eventOf(i + n, statement)));
  });
  afterAll(() => second.service.close());

  const call = (world: World, key: string, signal?: AbortSignal) =>
    fetch(`${world.service.url}/api/v1/public${PATH}`, {
      headers: { 'X-Api-Key': key },
      ...(signal ? { signal } : {}),
    });

  it('is allowed for each key over all instances, and an export ends when its caller disconnects', async () => {
    const leaving = new AbortController();
    const running = await call(open.world, acme.key, leaving.signal);
    expect(running.status).toBe(200);
    for (const world of [open.world, second]) {
      const refused = await world.get(PATH, acme.key);
      expectError(refused, 429, 'rate_limited');
      expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(0);
    }
    const other = await open.world.key({ tenantIds: [acme.tenantId] });
    const text = await (await call(second, other.key)).text();
    expect(text.split('\n')).toHaveLength(41);
    leaving.abort();
    await expect(running.text()).rejects.toThrow();
    const again = await until(
      () => second.get(PATH, acme.key),
      ({ status }) => status === 200,
    );
    expect(again.text).toBe(text);
  });

  it('counts as one call for the rate limit', async () => {
    const { key } = await open.world.key({ tenantIds: [acme.tenantId], rate: 2 });
    for (const left of ['1', '0']) {
      const { headers } = await open.world.get(PATH, key);
      expect(headers.get('RateLimit')).toContain(`r=${left};`);
    }
    expectError(await open.world.get(PATH, key), 429, 'rate_limited');
  });
});

function eventOf(i: number, statement: string) {
  return anEvent({
    blockOffset: i,
    eventTime: `2026-03-01T10:00:${String(i).padStart(2, '0')}.0000000Z`,
    statement,
  });
}
