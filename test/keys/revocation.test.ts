import { pino } from 'pino';
import { Authenticator } from '../../src/caller/authenticate';
import { PostgresKeyStore } from '../../src/caller/key.store';
import { openDatabase } from '../../src/database/database';
import { KEYS_CHANGED, type Listener, listen } from '../../src/database/notifications';
import { LIMITS } from '../../src/limits';
import { KeyManager } from '../../src/modules/keys/manage-keys';
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
/** The test stops waiting for the refusal after this time. */
const TOO_LONG_MS = 10 * WITHIN_MS;

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

  /** @returns how many milliseconds after the start the other instance accepted the last call of the key */
  async function lastAnswered(key: string): Promise<number> {
    const start = performance.now();
    let last = 0;
    for (;;) {
      const began = performance.now() - start;
      if ((await statusThere(key)) === 401) return last;
      last = began;
      if (last > TOO_LONG_MS) return last;
    }
  }

  async function worksOnFor(operation: string): Promise<number> {
    const { tenantId } = await here.tenant();
    const { keyId, key } = await here.key({ tenantIds: [tenantId] });
    expect(await statusThere(key)).toBe(200);
    await here.operate(operation, { k: keyId });
    return lastAnswered(key);
  }

  it.each([
    ['revoked', REVOKE],
    ['rotated without overlap', ROTATE],
  ])('a key %s on one is refused on the other within a second', async (_, operation) => {
    for (let round = 0; round < 3; round++) expect(await worksOnFor(operation)).toBeLessThan(WITHIN_MS);
  });

  it('forget cached keys when they are notified', async () => {
    const forget = jest.spyOn(Authenticator.prototype, 'forget');
    const database = await openDatabase(place);
    await database.service.models.$executeRaw`SELECT pg_notify(${KEYS_CHANGED}, '')`;
    await until(
      () => forget.mock.calls.length,
      (calls) => calls === 2,
    );
    forget.mockRestore();
    await database.close();
  });

  it('refuse a revoked key within a second without a notification too, because the cache is short-lived', async () => {
    const { tenantId } = await here.tenant();
    const { keyId, key } = await here.key({ tenantIds: [tenantId] });
    const database = await openDatabase(place);
    expect(await statusThere(key)).toBe(200);
    // A change by hand sends no notification.
    await database.migrator.models
      .$executeRaw`UPDATE api_key SET revoked_at = now() WHERE key_id = ${keyId}::uuid`;
    expect(await lastAnswered(key)).toBeLessThan(WITHIN_MS);
    await database.close();
  });
});

describeOnPostgres('the connection that listens for revoked keys', () => {
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
    const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
    const hear = () => {
      heard += 1;
    };
    listener = listen(proxy.url, { [KEYS_CHANGED]: hear }, log);
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

  it('reports each key that is revoked or rotated', async () => {
    const keys = new PostgresKeyStore(store.database.service);
    const manager = new KeyManager(keys, new FakeTenantStore(1), { forget: () => {} });
    const request = { name: 'k', tenantIds: ['1'], scopes: [], expiresAt: null };
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

  it('reports its loss and its return, since a notification may have been missed, and then works again', async () => {
    proxy.cut();
    await heardOnceMore();
    expect(lines.join('\n')).toContain('the connection that announces revoked keys failed');
    expect(lines.join('\n')).not.toContain('postgres:');
    // Its attempts to connect fail meanwhile.
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
