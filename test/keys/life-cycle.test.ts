import { isWellFormedKey } from '../../src/caller/key-format';
import { ONE_ENGINE } from '../support/engines';
import { useWorld } from '../support/use-world';

const KEYS = `{ apiKeys { keyId kind name prefix state scopes tenantIds rateLimitPerMinute allowedAddresses replaces
  replacedBy expiresAt revokedAt } }`;
const ROTATE = `mutation($k: String!, $m: Int!) { rotateApiKey(keyId: $k, overlapMinutes: $m) {
  keyId key replaces overlapEndsAt } }`;
const REVOKE = 'mutation($k: String!) { revokeApiKey(keyId: $k) { state replacedBy } }';
const CREATE_OPERATOR = 'mutation { createOperatorKey(name: "second") { keyId key } }';

describe.each(ONE_ENGINE)('the life cycle of a key on %s', (engine) => {
  const open = useWorld(engine);
  const keyOf = async (keyId: string) =>
    (await open.world.operate(KEYS)).apiKeys.find((key: { keyId: string }) => key.keyId === keyId);
  const status = async (key: string) => (await open.world.get('/audit-activity', key)).status;
  const refusal = async (key: string, query: string, variables: object = {}) =>
    (await open.world.graphql(key, query, variables)).body.errors[0];

  it('a rotated key has a successor; both work during the overlap, and each names the other', async () => {
    const acme = await open.world.tenant();
    const before = await keyOf(acme.keyId);
    const { rotateApiKey: made } = await open.world.operate(ROTATE, { k: acme.keyId, m: 60 });
    expect(isWellFormedKey(made.key)).toBe(true);
    expect(made.replaces).toBe(acme.keyId);
    const [old, young] = [await keyOf(acme.keyId), await keyOf(made.keyId)];
    expect(old).toEqual({ ...before, replacedBy: made.keyId, expiresAt: made.overlapEndsAt });
    expect(young).toEqual({
      ...before,
      keyId: made.keyId,
      prefix: made.key.slice(0, 10),
      replaces: acme.keyId,
    });
    const left = Date.parse(made.overlapEndsAt) - Date.now();
    expect(left / 60_000).toBeGreaterThan(59);
    expect(left / 60_000).toBeLessThanOrEqual(60);
    expect([await status(acme.key), await status(made.key)]).toEqual([200, 200]);
  });

  it('a rotation without an overlap ends the old key at once', async () => {
    const acme = await open.world.tenant();
    expect(await status(acme.key)).toBe(200);
    const { rotateApiKey: made } = await open.world.operate(ROTATE, { k: acme.keyId, m: 0 });
    expect([await status(acme.key), await status(made.key)]).toEqual([401, 200]);
    expect((await keyOf(acme.keyId)).state).toBe('expired');
  });

  it('an overlap never extends a key beyond its expiry', async () => {
    const expiresAt = new Date(Date.now() + 30 * 60_000).toISOString();
    const { keyId } = await open.world.key({ expiresAt });
    const { rotateApiKey: made } = await open.world.operate(ROTATE, { k: keyId, m: 60 });
    expect([made.overlapEndsAt, (await keyOf(keyId)).expiresAt]).toEqual([expiresAt, expiresAt]);
  });

  it('a rotated key cannot be rotated again, but its successor can', async () => {
    const acme = await open.world.tenant();
    const { rotateApiKey: second } = await open.world.operate(ROTATE, { k: acme.keyId, m: 60 });
    const again = await refusal(open.world.operatorKey, ROTATE, { k: acme.keyId, m: 60 });
    expect(again.extensions.code).toBe('invalid_parameter');
    const { rotateApiKey: third } = await open.world.operate(ROTATE, { k: second.keyId, m: 60 });
    for (const { key } of [acme, second, third]) expect(await status(key)).toBe(200);
  });

  it('a key is rotated only once, however many requests do so at once', async () => {
    const acme = await open.world.tenant();
    const tries = await Promise.all(
      Array.from({ length: 6 }, () =>
        open.world.graphql(open.world.operatorKey, ROTATE, { k: acme.keyId, m: 60 }),
      ),
    );
    expect(tries.filter(({ body }) => !body.errors)).toHaveLength(1);
    const { apiKeys } = await open.world.operate(KEYS);
    expect(apiKeys.filter((key: { replaces: string }) => key.replaces === acme.keyId)).toHaveLength(1);
  });

  it('an agent key is rotated in the same way', async () => {
    const acme = await open.world.tenant();
    const { apiKeys } = await open.world.operate(KEYS);
    const old = apiKeys.find(
      (key: { kind: string; tenantIds: string[] }) =>
        key.kind === 'agent' && key.tenantIds[0] === acme.tenantId,
    );
    const { rotateApiKey: made } = await open.world.operate(ROTATE, { k: old.keyId, m: 60 });
    const ingest = 'mutation { ingestAuditEvents(batch: { events: [] }) { accepted } }';
    for (const key of [acme.agentKey, made.key])
      expect((await open.world.graphql(key, ingest)).body.errors).toBeUndefined();
  });

  it('an operator key is replaced by a second one, and the last operator key cannot be revoked', async () => {
    const { operatorKey } = open.world;
    const { apiKeys } = await open.world.operate(KEYS);
    const { keyId } = apiKeys.find((key: { kind: string }) => key.kind === 'operator');
    const last = await refusal(operatorKey, REVOKE, { k: keyId });
    expect(last.extensions.code).toBe('invalid_parameter');
    expect(last.message).toContain('No other operator key is valid');

    const { createOperatorKey: second } = await open.world.operate(CREATE_OPERATOR);
    const revoked = await open.world.graphql(second.key, REVOKE, { k: keyId });
    expect(revoked.body.data.revokeApiKey).toEqual({ state: 'revoked', replacedBy: null });
    expect((await open.world.graphql(operatorKey, KEYS)).status).toBe(401);
    expect((await refusal(second.key, REVOKE, { k: second.keyId })).message).toContain(
      'No other operator key is valid',
    );
    Object.assign(open.world, { operatorKey: second.key });
  });

  it('two operator keys that revoke each other at once leave one of them valid', async () => {
    for (let round = 0; round < 5; round++) {
      const { createOperatorKey: other } = await open.world.operate(CREATE_OPERATOR);
      const { apiKeys } = await open.world.operate(KEYS);
      const { keyId } = apiKeys.find(
        (key: { kind: string; state: string; keyId: string }) =>
          key.kind === 'operator' && key.state === 'valid' && key.keyId !== other.keyId,
      );
      const [mine, others] = await Promise.all([
        open.world.graphql(open.world.operatorKey, REVOKE, { k: other.keyId }),
        open.world.graphql(other.key, REVOKE, { k: keyId }),
      ]);
      const left = [
        ...((await open.world.graphql(open.world.operatorKey, KEYS)).status === 200
          ? [open.world.operatorKey]
          : []),
        ...((await open.world.graphql(other.key, KEYS)).status === 200 ? [other.key] : []),
      ];
      expect([mine.body.errors, others.body.errors].filter(Boolean).length).toBeLessThanOrEqual(1);
      expect(left).toHaveLength(1);
      Object.assign(open.world, { operatorKey: left[0] });
    }
  });
});
