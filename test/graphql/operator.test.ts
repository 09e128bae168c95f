import { isWellFormedKey } from '../../src/caller/key-format';
import { LIMITS } from '../../src/limits';
import { ONE_ENGINE } from '../support/engines';
import { until } from '../support/until';
import { useWorld } from '../support/use-world';

const KEYS = `{ apiKeys { keyId kind name prefix scopes tenantIds rateLimitPerMinute createdAt expiresAt revokedAt
  lastUsedAt } }`;
const REVOKE = 'mutation($keyId: String!) { revokeApiKey(keyId: $keyId) { keyId revokedAt } }';

describe.each(ONE_ENGINE)('operators on %s', (engine) => {
  const open = useWorld(engine);
  const listed = async (keyId: string) =>
    (await open.world.operate(KEYS)).apiKeys.find((key: { keyId: string }) => key.keyId === keyId);
  async function refusal(query: string, variables: object) {
    const { body } = await open.world.graphql(open.world.operatorKey, query, variables);
    const [{ message, extensions }] = body.errors;
    return { code: extensions.code, message };
  }

  it('make tenants with distinct ids, and list them in the order of their creation', async () => {
    const made = [await open.world.tenant('Büro 東京'), await open.world.tenant('Büro 東京')];
    const { tenants } = await open.world.operate('{ tenants { tenantId name createdAt } }');
    expect(tenants.slice(-2)).toEqual(
      made.map(({ tenantId }) => ({
        tenantId,
        name: 'Büro 東京',
        createdAt: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
      })),
    );
    expect(made[0]?.tenantId).not.toBe(made[1]?.tenantId);
  });

  it.each(['', '  ', 'a\u0000b', 'x'.repeat(LIMITS.nameCharsMax + 1)])(
    'cannot name a tenant %j',
    async (name) => {
      expect(
        await refusal('mutation($n: String!) { createTenant(name: $n) { tenantId } }', { n: name }),
      ).toMatchObject({
        code: 'invalid_parameter',
        message: expect.stringContaining('name'),
      });
    },
  );

  it('see a key once when it is made; lists show only its prefix', async () => {
    const acme = await open.world.tenant();
    const { keyId, key } = await open.world.key({ tenantIds: [acme.tenantId], name: 'reporting', rate: 7 });
    expect(isWellFormedKey(key)).toBe(true);
    expect(await listed(keyId)).toMatchObject({
      kind: 'public',
      name: 'reporting',
      scopes: ['read:audit-activity'],
      tenantIds: [acme.tenantId],
      rateLimitPerMinute: 7,
      expiresAt: null,
      revokedAt: null,
      prefix: key.slice(0, 10),
    });
    expect(JSON.stringify(await open.world.operate(KEYS))).not.toContain(key);
  });

  it('see keys of every kind, including the operator key', async () => {
    await open.world.tenant();
    const kinds = (await open.world.operate(KEYS)).apiKeys.map((key: { kind: string }) => key.kind);
    expect(new Set(kinds)).toEqual(new Set(['public', 'agent', 'operator']));
  });

  it('get every mistake of a request for a key at once, and no key is made', async () => {
    const before = (await open.world.operate(KEYS)).apiKeys.length;
    const { code, message } = await refusal(
      `mutation { createApiKey(name: " ", tenantIds: ["2000000", "acme"], scopes: ["read:all"], expiresAt: "soon",
         rateLimitPerMinute: 0) { key } }`,
      {},
    );
    expect(code).toBe('invalid_parameter');
    for (const text of ['name', '2000000', 'acme', 'read:all', 'expiresAt', 'rateLimitPerMinute']) {
      expect(message).toContain(text);
    }
    expect((await open.world.operate(KEYS)).apiKeys).toHaveLength(before);
  });

  it('cannot make a key without tenants, which could read nothing', async () => {
    const create = 'mutation($t: [String!]!) { createApiKey(name: "k", tenantIds: $t) { key } }';
    for (const [document, variables] of [
      [create, { t: [] }],
      ['mutation { createApiKey(name: "k") { key } }', {}],
    ] as const)
      expect(await refusal(document, variables)).toMatchObject({
        code: 'invalid_parameter',
        message: 'tenantIds must name a tenant: a key without one may read nothing.',
      });
  });

  it('cannot make an agent key for a tenant that does not exist', async () => {
    const create = 'mutation($t: String!) { createAgentKey(name: "a", tenantId: $t) { key } }';
    for (const t of ['2000000', '', 'acme', '-1', '1.0']) {
      expect((await refusal(create, { t })).code).toBe('invalid_parameter');
    }
  });

  it('set an expiry up to the end of the year 9999', async () => {
    for (const expiresAt of ['9999-12-31T23:59:59.999Z', '2999-01-01T00:00:00.000Z']) {
      const { keyId, key } = await open.world.key({ expiresAt });
      expect((await listed(keyId)).expiresAt).toBe(expiresAt);
      expect((await open.world.get('/audit-activity', key)).status).toBe(200);
    }
    // With its offset, this time is in the year 10000, which a list could not show.
    const create =
      'mutation($e: String!) { createApiKey(name: "k", tenantIds: ["1"], expiresAt: $e) { key } }';
    expect((await refusal(create, { e: '9999-12-31T23:59:59-23:59' })).code).toBe('invalid_parameter');
  });

  it('revoke a key at once and for good; a second revocation changes nothing', async () => {
    const acme = await open.world.tenant();
    expect((await acme.get('/audit-activity')).status).toBe(200);
    const first = await open.world.operate(REVOKE, { keyId: acme.keyId });
    expect((await acme.get('/audit-activity')).status).toBe(401);
    expect(await open.world.operate(REVOKE, { keyId: acme.keyId })).toEqual(first);
    expect((await listed(acme.keyId)).revokedAt).toBe(first.revokeApiKey.revokedAt);
  });

  it('are told that a key to revoke does not exist, or that its id is invalid', async () => {
    expect((await refusal(REVOKE, { keyId: '00000000-0000-4000-8000-000000000000' })).code).toBe('not_found');
    expect((await refusal(REVOKE, { keyId: 'aak_1234' })).code).toBe('invalid_parameter');
  });

  it('see within seconds when a key was last used', async () => {
    const acme = await open.world.tenant();
    expect((await listed(acme.keyId)).lastUsedAt).toBeNull();
    const before = Date.now();
    await acme.get('/audit-activity');
    const { lastUsedAt } = await until(
      () => listed(acme.keyId),
      (key) => key.lastUsedAt !== null,
    );
    expect(Date.parse(lastUsedAt)).toBeGreaterThanOrEqual(before - 1);
    expect(Date.parse(lastUsedAt)).toBeLessThanOrEqual(Date.now());
  });
});
