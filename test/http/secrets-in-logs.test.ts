import { newKey } from '../../src/caller/key-format';
import { ANY_ENGINE, createTestDatabase, describeOnPostgres } from '../support/engines';
import { anEvent } from '../support/events';
import { TcpProxy } from '../support/tcp-proxy';
import { until } from '../support/until';
import { INGEST, World } from '../support/world';
import { send } from './support/raw';

/** @returns the secret part of a key: everything after the prefix that lists show */
const secretOf = (key: string) => key.slice(10);

describeOnPostgres('the log', () => {
  it('holds no key, no password and no search text after many kinds of requests', async () => {
    const database = await createTestDatabase('postgresql');
    const proxy = await TcpProxy.to(database.databaseUrl);
    const url = new URL(proxy.url);
    url.password = 'geheim-4711';
    const world = await World.on({ ...database, databaseUrl: url.href });
    const acme = await world.tenant();
    const [narrow, revoked] = [
      await world.key({ scopes: [] }),
      await world.key({ tenantIds: [acme.tenantId] }),
    ];
    await world.operate('mutation($keyId: String!) { revokeApiKey(keyId: $keyId) { keyId } }', {
      keyId: revoked.keyId,
    });
    const expired = await world.key({
      tenantIds: [acme.tenantId],
      expiresAt: new Date(Date.now() + 1_000).toISOString(),
    });
    const unknown = [newKey('public'), newKey('agent'), newKey('operator')];
    const good = [acme.key, acme.agentKey, world.operatorKey];
    const keys = [...good, narrow.key, revoked.key, expired.key, ...unknown];

    const everything = async () => {
      for (const key of keys) {
        const headers = { 'X-Api-Key': key };
        // The key goes where it belongs, and where callers put it by mistake.
        await world.fetch('/api/v1/public/audit-activity?search=geheim-4711', { headers });
        await world.fetch(`/api/v1/public/audit-activity/${key}`, { headers });
        await world.fetch(`/api/v1/public/audit-activity/${key.replace('_', '%5f')}`, { headers });
        await world.fetch(`/${key}?apiKey=${key}`, {
          headers: { Authorization: `Bearer ${key}`, 'X-Request-Id': key },
        });
        await world.fetch(`/graphql?key=${key}`, {
          method: 'POST',
          headers: { ...headers, 'Content-Type': 'application/json' },
          body: `{"query":"{ ${key} }"}`,
        });
        await world.graphql(key, 'query($s: String) { auditEvents(search: $s) { totalCount } }', { s: key });
        await world.graphql(key, INGEST, {
          batch: { events: [anEvent({ statement: `-- ${key}` })], tenantId: key },
        });
        await world.graphql(key, 'mutation($name: String!) { createTenant(name: $name) { tenantId } }', {
          name: 'x',
        });
        await send(
          world.service.url,
          `GET /${key} HTTP/1.1\r\nX-Api-Key: ${key}\r\nConnection: close\r\n\r\n`,
        );
        await send(world.service.url, `${key}\r\n\r\n`);
      }
    };
    await everything();
    proxy.cut();
    await everything();
    proxy.mend();
    await until(
      () => world.fetch('/health'),
      ({ status }) => status === 200,
    );
    await world.close();
    await proxy.close();

    const log = world.logLines.join('');
    expect(world.logLines.length).toBeGreaterThan(keys.length * 10);
    expect(log).toContain('service_unavailable');
    for (const key of keys) expect(log).not.toContain(secretOf(key));
    expect(log).not.toContain('geheim-4711');
    // The log still names the key by its id.
    expect(log).toContain(acme.keyId);
  });
});

describe('a line of the log', () => {
  it('is written for each request, with key, tenants, route and rows', async () => {
    const world = await World.open(ANY_ENGINE);
    const acme = await world.tenant();
    await acme.ingest([anEvent(), anEvent()]);
    await acme.get('/audit-activity');
    await world.graphql(acme.key, '{ auditEvents { items { recordId } } }');
    await acme.get('/audit-activity/summary', { startTime: 'x' });
    const lines = () =>
      world.logLines
        .map((line) => JSON.parse(line))
        .filter(({ msg, path }) => msg === 'answered' && path !== '/swagger');
    await until(
      () => lines().length,
      (n) => n >= 7,
    );
    const common = {
      keyId: acme.keyId,
      tenants: [Number(acme.tenantId)],
      requestId: expect.any(String),
      ms: expect.any(Number),
    };
    const rest = '/api/v1/public/audit-activity';
    expect(lines().slice(-4)).toEqual([
      expect.objectContaining({
        method: 'POST',
        route: '/graphql',
        status: 200,
        tenants: common.tenants,
        rows: 2,
      }),
      expect.objectContaining({ ...common, method: 'GET', route: rest, status: 200, rows: 2 }),
      expect.objectContaining({ ...common, method: 'POST', route: '/graphql', status: 200, rows: 2 }),
      expect.objectContaining({ ...common, method: 'GET', route: `${rest}/summary`, status: 400 }),
    ]);
    await world.close();
  });
});
