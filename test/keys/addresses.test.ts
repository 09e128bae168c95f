import { LIMITS } from '../../src/limits';
import { API_BASE_PATH } from '../../src/version';
import { accessLog } from '../support/access-log';
import { ANY_ENGINE, ONE_ENGINE } from '../support/engines';
import { until } from '../support/until';
import { useWorld } from '../support/use-world';
import type { World } from '../support/world';

const CREATE = `mutation($t: [String!]!, $from: [String!]!) { createApiKey(name: "bound", tenantIds: $t,
  scopes: ["read:audit-activity"], rateLimitPerMinute: 2, allowedAddresses: $from) { keyId key } }`;

async function boundKey(world: World, from: readonly string[]): Promise<{ keyId: string; key: string }> {
  const { tenantId } = await world.tenant();
  return (await world.operate(CREATE, { t: [tenantId], from })).createApiKey;
}
const call = (world: World, key: string, forwardedFor?: string) =>
  world.get('/audit-activity', key, {
    headers: forwardedFor ? { 'X-Forwarded-For': forwardedFor } : {},
  });

/** Makes the call without checking the answer against the document, because it is made many times. */
const statusOf = async (world: World, key: string, forwardedFor: string) => {
  const headers = { 'X-Api-Key': key, 'X-Forwarded-For': forwardedFor };
  return (await world.fetch(`${API_BASE_PATH}/audit-activity`, { headers })).status;
};

describe.each(ONE_ENGINE)('a key restricted to addresses on %s', (engine) => {
  const open = useWorld(engine, { trustProxy: ['127.0.0.0/8'] });

  it('works from these addresses and gets 403 from others, at both entrances', async () => {
    const { key } = await boundKey(open.world, ['192.0.2.0/24', '2001:db8::/32']);
    expect((await call(open.world, key, '192.0.2.9')).status).toBe(200);
    expect((await call(open.world, key, '2001:db8::9')).status).toBe(200);
    const refused = await call(open.world, key, '198.51.100.1');
    expect([refused.status, refused.body.error.code]).toEqual([403, 'forbidden']);
    const { status, body } = await open.world.graphql(key, '{ auditSummary { totalCount } }');
    expect([status, body.errors[0].extensions.code]).toEqual([403, 'forbidden']);
  });

  it('loses none of its calls to refused requests from elsewhere', async () => {
    const { key } = await boundKey(open.world, ['192.0.2.0/24']);
    for (let i = 0; i < 5; i++) expect((await call(open.world, key, '198.51.100.2')).status).toBe(403);
    expect((await call(open.world, key, '192.0.2.9')).status).toBe(200);
    expect((await call(open.world, key, '192.0.2.9')).status).toBe(200);
    expect((await call(open.world, key, '192.0.2.9')).status).toBe(429);
  });

  it('has an entry in the access log for each refusal, with the address of the caller', async () => {
    const { keyId, key } = await boundKey(open.world, ['192.0.2.0/24']);
    await call(open.world, key, '203.0.113.7');
    const entries = await until(
      () => accessLog(open.world, { keyId }),
      (found) => found.length > 0,
    );
    expect(entries).toMatchObject([
      { operation: 'authenticate', outcome: 'forbidden', address: '203.0.113.7', rows: null },
    ]);
  });

  it('is limited in its failures from one address: the rest get 429 and no entry', async () => {
    const { keyId, key } = await boundKey(open.world, ['192.0.2.0/24']);
    const calls = Array.from({ length: LIMITS.failedAuthPerMinute + 10 }, () =>
      statusOf(open.world, key, '203.0.113.99'),
    );
    const statuses = await Promise.all(calls);
    expect(statuses.filter((status) => status === 429)).toHaveLength(10);
    const entries = await until(
      () => accessLog(open.world, { keyId }),
      (found) => found.length >= LIMITS.failedAuthPerMinute,
    );
    expect(entries).toHaveLength(LIMITS.failedAuthPerMinute);
  });

  it('is checked against the address that the trusted proxy saw, whatever the caller claims', async () => {
    const { key } = await boundKey(open.world, ['192.0.2.0/24']);
    expect((await call(open.world, key, '192.0.2.9, 198.51.100.3')).status).toBe(403);
    expect((await call(open.world, key, 'nonsense, 192.0.2.9')).status).toBe(200);
  });
});

describe('a service that trusts no proxy', () => {
  const open = useWorld(ANY_ENGINE);

  it('ignores the address that a caller claims', async () => {
    const { key } = await boundKey(open.world, ['192.0.2.0/24']);
    expect((await call(open.world, key, '192.0.2.9')).status).toBe(403);
    const { key: local } = await boundKey(open.world, ['127.0.0.1']);
    expect((await call(open.world, local, '192.0.2.9')).status).toBe(200);
  });
});

describe('failures of keys from one IPv6 network', () => {
  const open = useWorld(ANY_ENGINE, { trustProxy: ['loopback'] });

  it('are counted together, and apart from another network', async () => {
    const fail = (from: string) => statusOf(open.world, 'wrong', from);
    const calls = Array.from({ length: LIMITS.failedAuthPerMinute }, (_, i) =>
      fail(`2001:db8:0:1::${(i + 1).toString(16)}`),
    );
    expect(new Set(await Promise.all(calls))).toEqual(new Set([401]));
    expect(await fail('2001:db8:0:1:ffff::1')).toBe(429);
    expect(await fail('2001:db8:0:2::1')).toBe(401);
  });
});
