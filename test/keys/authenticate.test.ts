import { randomUUID } from 'node:crypto';
import { Authenticator } from '../../src/caller/authenticate';
import { hashOfKey, type KeyKind, newKey, shownPrefix } from '../../src/caller/key-format';
import type { NewKey, StoredKey } from '../../src/caller/key-store';
import { LIMITS } from '../../src/limits';
import { FakeKeyStore } from '../support/fakes/key-store';

const NOW = new Date('2026-01-05T08:00:00Z');

async function stored(store: FakeKeyStore, kind: KeyKind = 'public', change: Partial<StoredKey> = {}) {
  const key = newKey(kind);
  const keyId = randomUUID();
  const row: NewKey = {
    keyId,
    kind,
    name: 'test',
    keyHash: hashOfKey(key),
    prefix: shownPrefix(key),
    scopes: ['read:audit-activity'],
    tenantIds: [7],
    rateLimitPerMinute: 9,
    allowedAddresses: [],
    replaces: null,
    expiresAt: null,
    ...change,
  };
  await store.insert(row);
  if (change.revokedAt) store.change(keyId, { revokedAt: change.revokedAt });
  return { key, keyId };
}

describe('authentication', () => {
  let store: FakeKeyStore;
  let now: Date;
  let authenticator: Authenticator;
  beforeEach(() => {
    store = new FakeKeyStore();
    now = NOW;
    authenticator = new Authenticator(store, () => now);
  });

  it('turns each kind of key into a principal that holds only what its access rules need', async () => {
    const open = await stored(store);
    const agent = await stored(store, 'agent');
    const operator = await stored(store, 'operator', { tenantIds: [] });
    expect(await authenticator.authenticate(open.key)).toEqual({
      kind: 'public',
      keyId: open.keyId,
      name: 'test',
      scopes: ['read:audit-activity'],
      tenantIds: [7],
      rateLimitPerMinute: 9,
    });
    expect(await authenticator.authenticate(agent.key)).toEqual({
      kind: 'agent',
      keyId: agent.keyId,
      name: 'test',
      tenantId: 7,
    });
    expect(await authenticator.authenticate(operator.key)).toEqual({
      kind: 'operator',
      keyId: operator.keyId,
      name: 'test',
    });
  });

  it('refuses a missing, malformed, unknown, expired or revoked key in the same way', async () => {
    const expired = await stored(store, 'public', { expiresAt: new Date(NOW.getTime() - 1) });
    const revoked = await stored(store, 'public', { revokedAt: NOW });
    for (const key of [undefined, '', 'x', newKey('public'), expired.key, revoked.key]) {
      expect(await authenticator.authenticate(key)).toBeNull();
    }
  });

  it('refuses a key from the very moment it expires', async () => {
    const { key } = await stored(store, 'public', { expiresAt: NOW });
    now = new Date(NOW.getTime() - 1);
    expect(await authenticator.authenticate(key)).not.toBeNull();
    now = NOW;
    expect(await authenticator.authenticate(key)).toBeNull();
  });

  it('refuses a mistyped key without asking the database', async () => {
    const { key } = await stored(store);
    await authenticator.authenticate(`${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`);
    await authenticator.authenticate('x'.repeat(100_000));
    expect(store.lookups).toBe(0);
  });

  it('asks the database once for a key used many times in a row', async () => {
    const { key } = await stored(store);
    for (let i = 0; i < 50; i++) await authenticator.authenticate(key);
    expect(store.lookups).toBe(1);
  });

  it('refuses a key revoked through this instance at once', async () => {
    const { key, keyId } = await stored(store);
    expect(await authenticator.authenticate(key)).not.toBeNull();
    store.change(keyId, { revokedAt: NOW });
    authenticator.forget();
    expect(await authenticator.authenticate(key)).toBeNull();
  });

  it('does not cache a look-up during which the key was revoked', async () => {
    const { key, keyId } = await stored(store);
    const before = store.keys[0] as StoredKey;
    const find = store.findByHash.bind(store);
    store.findByHash = async () => {
      store.findByHash = find;
      store.change(keyId, { revokedAt: NOW });
      authenticator.forget();
      return before;
    };
    await authenticator.authenticate(key);
    expect(await authenticator.authenticate(key)).toBeNull();
  });

  it('counts the age of a cached key from the start of its look-up, since a slow look-up may predate a revocation', async () => {
    const { key } = await stored(store);
    const clock = jest.spyOn(performance, 'now');
    const start = performance.now();
    const find = store.findByHash.bind(store);
    store.findByHash = async (hash) => {
      const found = await find(hash);
      clock.mockReturnValue(start + LIMITS.keyCacheMs + 1);
      return found;
    };
    clock.mockReturnValue(start);
    await authenticator.authenticate(key);
    await authenticator.authenticate(key);
    clock.mockRestore();
    expect(store.lookups).toBe(2);
  });

  it('learns of a revocation by another instance in less than a second', () => {
    expect(LIMITS.keyCacheMs).toBeLessThan(1_000);
  });

  it('by the id of a key ends when the key is revoked', async () => {
    const { keyId } = await stored(store);
    expect(await authenticator.byKeyId(keyId)).toMatchObject({ kind: 'public', keyId });
    store.change(keyId, { revokedAt: NOW });
    authenticator.forget();
    expect(await authenticator.byKeyId(keyId)).toBeNull();
    expect(await authenticator.byKeyId(randomUUID())).toBeNull();
  });

  it('gives the principal the addresses from which its key may be used', async () => {
    const { key } = await stored(store, 'agent', { allowedAddresses: ['192.0.2.0/24'] });
    const principal = await authenticator.authenticate(key);
    expect(['192.0.2.7', '192.0.3.7'].map((from) => principal?.allowedFrom?.includes(from))).toEqual([
      true,
      false,
    ]);
  });

  it('does not cache that a key is unknown: a key works as soon as it exists', async () => {
    const key = newKey('public');
    expect(await authenticator.authenticate(key)).toBeNull();
    await stored(store, 'public', { keyHash: hashOfKey(key) });
    expect(await authenticator.authenticate(key)).not.toBeNull();
  });

  it('never accepts a key for another one, even if the store returns the wrong key', async () => {
    const { key } = await stored(store);
    const [other] = store.keys;
    store.findByHash = async () => ({ ...(other as StoredKey), keyHash: hashOfKey(newKey('public')) });
    expect(await authenticator.authenticate(key)).toBeNull();
  });
});

describe('last-used times', () => {
  it('are written once per flush, with the latest use of each key, and none for refused keys', async () => {
    const store = new FakeKeyStore();
    let now = NOW;
    const authenticator = new Authenticator(store, () => now);
    const { key, keyId } = await stored(store);
    await stored(store);
    const revoked = await stored(store, 'public', { revokedAt: NOW });
    await authenticator.authenticate(key);
    await authenticator.authenticate(revoked.key);
    now = new Date(NOW.getTime() + 5_000);
    await authenticator.authenticate(key);
    await authenticator.flushUses();
    await authenticator.flushUses();
    expect(store.touched).toEqual([new Map([[keyId, now]])]);
  });

  it('are written of the ended key of an enrolled agent too, since a second host shows itself by it', async () => {
    const store = new FakeKeyStore();
    const authenticator = new Authenticator(store, () => NOW);
    const ended = { expiresAt: NOW };
    const enrolled = await stored(store, 'agent', { ...ended, enrolledBy: randomUUID() });
    const revoked = { enrolledBy: randomUUID(), revokedAt: NOW };
    const others = [await stored(store, 'agent', ended), await stored(store, 'agent', revoked)];
    for (const { key } of [enrolled, ...others]) expect(await authenticator.authenticate(key)).toBeNull();
    await authenticator.flushUses();
    expect(store.touched).toEqual([new Map([[enrolled.keyId, NOW]])]);
  });

  it('survive a failed flush, and newer uses replace them', async () => {
    const store = new FakeKeyStore();
    let now = NOW;
    const authenticator = new Authenticator(store, () => now);
    const [a, b] = [await stored(store), await stored(store)];
    await authenticator.authenticate(a.key);
    await authenticator.authenticate(b.key);
    jest.spyOn(store, 'touch').mockImplementationOnce(async () => {
      now = new Date(NOW.getTime() + 5_000);
      await authenticator.authenticate(b.key);
      throw new Error('database lost');
    });
    await expect(authenticator.flushUses()).rejects.toThrow('database lost');
    await authenticator.flushUses();
    expect(store.touched).toEqual([
      new Map([
        [a.keyId, NOW],
        [b.keyId, now],
      ]),
    ]);
  });
});
