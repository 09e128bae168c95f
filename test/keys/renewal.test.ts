import 'reflect-metadata';
import { keyStateOf } from '../../src/caller/authenticate';
import type { StoredKey } from '../../src/caller/key-store';
import type { Principal } from '../../src/caller/principal';
import { toApiKeyType } from '../../src/modules/keys/key.types';
import { KeyRenewal } from '../../src/modules/keys/renew-keys';
import { AN_ATTEMPT } from '../support/attempt';
import { FakeKeyStore, FakeTenantStore } from '../support/fakes/key-store';

const DAY_MS = 86_400_000;
const at = (days: number) => new Date(Date.UTC(2026, 0, 1) + days * DAY_MS);
const KEY: StoredKey = {
  keyId: 'k1',
  kind: 'agent',
  name: 'SQL01',
  keyHash: new Uint8Array([1]),
  prefix: 'aag_1',
  scopes: [],
  tenantIds: [1],
  rateLimitPerMinute: null,
  allowedAddresses: [],
  replaces: null,
  enrolledBy: 't1',
  createdAt: at(0),
  expiresAt: at(90),
  revokedAt: null,
  lastUsedAt: null,
};
const PRINCIPAL: Principal = { kind: 'agent', keyId: 'k1', name: 'SQL01', tenantId: 1 };

describe("an agent's key", () => {
  it.each([
    [59, false],
    [61, true],
    [89, true],
  ])('on day %i of 90 is due: %s, and its successor lives as long', async (day, isDue) => {
    const store = new FakeKeyStore();
    store.keys.push(KEY);
    const renewal = new KeyRenewal(store, new FakeTenantStore(1), { forget: () => {} }, () => at(day));
    expect(await renewal.ownKey(PRINCIPAL, AN_ATTEMPT)).toMatchObject({ keyId: 'k1', isDue });
    if (!isDue) return;
    const { expiresAt } = await renewal.renew(PRINCIPAL, AN_ATTEMPT);
    expect(expiresAt).toEqual(at(day + 90));
    expect(store.keys[1]).toMatchObject({ replaces: 'k1', enrolledBy: 't1', tenantIds: [1], name: 'SQL01' });
    expect(keyStateOf(store.keys[0] as StoredKey, at(day))).toBe('valid');
  });

  it('without an end is due once an operator has asked, and one that an operator made never is', async () => {
    const isDue = async (change: Partial<StoredKey>) => {
      const store = new FakeKeyStore();
      store.keys.push({ ...KEY, expiresAt: null, ...change });
      const renewal = new KeyRenewal(store, new FakeTenantStore(1), { forget: () => {} }, () => at(59));
      return (await renewal.ownKey(PRINCIPAL, AN_ATTEMPT)).isDue;
    };
    expect([await isDue({}), await isDue({ renewAskedAt: at(1) })]).toEqual([false, true]);
    expect(await isDue({ renewAskedAt: at(1), enrolledBy: null })).toBe(false);
  });

  it.each([
    ['t1', ['k1']],
    [null, []],
  ])(
    'ends the key that it replaces with its first question, if the token %j made it',
    async (enrolledBy, ended) => {
      const confirmed: string[] = [];
      const confirm = async (keyId: string) => confirmed.push(keyId) > 0;
      const store = Object.assign(new FakeKeyStore(), { confirm });
      store.keys.push({ ...KEY, replaces: 'k0', enrolledBy });
      let forgotten = 0;
      const authenticator = { forget: () => void forgotten++ };
      const renewal = new KeyRenewal(store, new FakeTenantStore(1), authenticator, () => at(1));
      await renewal.ownKey(PRINCIPAL, AN_ATTEMPT);
      expect([confirmed, forgotten]).toEqual([ended, ended.length]);
    },
  );

  it.each<[string | null, Partial<StoredKey>, boolean]>([
    ['by-hand', { enrolledBy: null }, false],
    ['current', {}, false],
    ['waiting', { renewAskedAt: at(1) }, false],
    ['waiting', { renewAskedAt: at(1) }, true],
    ['replaced', { expiresAt: at(9), lastUsedAt: at(9) }, true],
    ['two-hosts', { expiresAt: at(9), lastUsedAt: at(9.1) }, true],
    ['ended', { expiresAt: at(9), lastUsedAt: at(9.1) }, false],
    [null, { revokedAt: at(3) }, false],
    [null, { kind: 'public' }, false],
  ])('is shown as %s: %j, replaced: %s', (renewal, change, isReplaced) => {
    const key = { ...KEY, ...change };
    const replacedBy = new Map(isReplaced ? [['k1', 'k2']] : []);
    expect(toApiKeyType(key, { byId: new Map([['k1', key]]), replacedBy }, at(10)).renewal).toBe(renewal);
  });
});

describe('agents that are asked to renew their keys', () => {
  it('are those of a tenant that there is, and of all only where none is named', async () => {
    const asked: (number | null)[] = [];
    const store = Object.assign(new FakeKeyStore(), {
      askRenewal: async (of: number | null) => asked.push(of),
    });
    const renewal = new KeyRenewal(store, new FakeTenantStore(1), { forget: () => {} }, () => at(0));
    for (const tenantId of ['none', '', '2', '1e0'])
      await expect(renewal.askAll(tenantId, AN_ATTEMPT)).rejects.toMatchObject({ code: 'invalid_parameter' });
    expect(asked).toEqual([]);
    await renewal.askAll('1', AN_ATTEMPT);
    await renewal.askAll(null, AN_ATTEMPT);
    expect(asked).toEqual([1, null]);
  });
});
