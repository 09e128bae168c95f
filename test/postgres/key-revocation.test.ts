import { pino } from 'pino';
import { Authenticator } from '../../src/api-key/authenticate';
import { KeyManager } from '../../src/api-key/manage-keys';
import { LIMITS } from '../../src/limits';
import { openDatabase } from '../../src/postgres/database';
import { PostgresKeyStore } from '../../src/postgres/key.store';
import { KEYS_CHANGED, type Listener, listen } from '../../src/postgres/notifications';
import { AN_ATTEMPT } from '../support/attempt';
import { createTestDatabase, describeOnPostgres, type TestDatabase } from '../support/engines';
import { FakeTenantStore } from '../support/fakes/key-store';
import { Store } from '../support/store';
import { TcpProxy } from '../support/tcp-proxy';
import { until } from '../support/until';
import { World } from '../support/world';

const REVOKE = 'mutation($k: String!) { revokeApiKey(keyId: $k) { keyId } }';
const ROTATE = 'mutation($k: String!) { rotateApiKey(keyId: $k, overlapMinutes: 0) { keyId } }';
const WITHIN_MS = 1_000;

describeOnPostgres('two instances on one PostgreSQL', () => {
  let place: TestDatabase;
  let here: World;
  let there: World;
  beforeAll(async () => {
    place = await createTestDatabase('postgresql');
    here = await World.on(place);
    there = await World.on(place);
  });
  afterAll(async () => {
    await there.service.close();
    await here.close();
  });

  const statusThere = async (key: string) => (await there.get('/audit-activity', key)).status;

  /** How long a key still worked on the other instance, asked all the time. */
  async function worksOnFor(operation: string): Promise<number> {
    const { tenantId } = await here.tenant();
    const { keyId, key } = await here.key({ tenantIds: [tenantId] });
    expect(await statusThere(key)).toBe(200);
    await here.operate(operation, { k: keyId });
    const start = performance.now();
    for (;;) {
      const asked = performance.now() - start;
      if ((await statusThere(key)) === 401) return asked;
    }
  }

  it.each([
    ['revoked', REVOKE],
    ['rotated without overlap', ROTATE],
  ])('a key %s on one is refused on the other within a second', async (_, operation) => {
    for (let round = 0; round < 3; round++) expect(await worksOnFor(operation)).toBeLessThan(WITHIN_MS);
  });

  it('forget what they know of keys when they are told to', async () => {
    const forget = jest.spyOn(Authenticator.prototype, 'forget');
    const database = await openDatabase(place);
    await database.prisma.$executeRaw`SELECT pg_notify(${KEYS_CHANGED}, '')`;
    await until(
      () => forget.mock.calls.length,
      (calls) => calls === 2,
    );
    forget.mockRestore();
    await database.close();
  });

  it('also while the other does not hear of it: what it knows of keys is short-lived', async () => {
    const { tenantId } = await here.tenant();
    const { keyId, key } = await here.key({ tenantIds: [tenantId] });
    await until(
      () => statusThere(key),
      (status) => status === 200,
    );
    await withoutListeners(async () => {
      await until(
        () => statusThere(key),
        (status) => status === 200,
      );
      await here.operate(REVOKE, { k: keyId });
      const start = performance.now();
      await until(
        () => statusThere(key),
        (status) => status === 401,
      );
      expect(performance.now() - start).toBeLessThan(WITHIN_MS + 200);
    });
  });

  /** Ends the listening connections, and any that comes, while `run` goes on. */
  async function withoutListeners(run: () => Promise<void>): Promise<void> {
    const database = await openDatabase(place);
    const end = () =>
      database.migrator.$executeRaw`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND application_name = 'audit-activity keys'`;
    await end();
    const timer = setInterval(() => void end().catch(() => {}), 20);
    await run();
    clearInterval(timer);
    await database.close();
  }
});

describeOnPostgres('the connection that hears of revoked keys', () => {
  let store: Store;
  let proxy: TcpProxy;
  let listener: Listener;
  let heard: number;
  let told: number;
  const lines: string[] = [];
  beforeEach(async () => {
    store = await Store.open('postgresql');
    proxy = await TcpProxy.to(store.place.databaseUrl);
    [heard, told] = [0, 0];
    lines.length = 0;
    listener = listen(proxy.url, KEYS_CHANGED, {
      heard: () => {
        heard += 1;
      },
      log: pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) }),
    });
    await heardOnceMore();
  });
  afterEach(async () => {
    await listener.close();
    await proxy.close();
    await store.close();
  });

  async function heardOnceMore() {
    await until(
      () => heard,
      (times) => times > told,
    );
    told = heard;
  }

  const notify = () => store.query('SELECT pg_notify($1, $2)::text', KEYS_CHANGED, '');

  it('tells of each key that is revoked or rotated', async () => {
    const keys = new PostgresKeyStore(store.database.prisma);
    const manager = new KeyManager(keys, new FakeTenantStore(1), { forget: () => {} });
    const request = { name: 'k', tenantIds: [], scopes: [], expiresAt: null };
    const { keyId } = await manager.create(
      'public',
      { ...request, rateLimitPerMinute: null, allowedAddresses: [] },
      AN_ATTEMPT,
    );
    const rotated = await manager.rotate(keyId, { overlapMinutes: 5, expiresAt: null }, AN_ATTEMPT);
    await heardOnceMore();
    await manager.revoke(rotated.keyId, AN_ATTEMPT);
    await heardOnceMore();
  });

  it('tells of its loss and of its return, as something may have been missed, and hears again', async () => {
    proxy.cut();
    await heardOnceMore();
    expect(lines.join('\n')).toContain('no connection to hear of revoked keys');
    expect(lines.join('\n')).not.toContain('postgres:');
    // Attempts fail meanwhile.
    const warnings = lines.length;
    await until(
      () => lines.length,
      (count) => count > warnings,
      3 * LIMITS.listenRetryMs,
    );
    told = heard;
    proxy.mend();
    await heardOnceMore();
    await notify();
    await heardOnceMore();
  });
});
