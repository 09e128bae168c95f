import { createHash, randomUUID } from 'node:crypto';
import { type Attempt, ownAttempt } from '../../src/caller/access-log';
import { PostgresKeyStore } from '../../src/caller/key.store';
import type { NewKey, StoredKey } from '../../src/caller/key-store';
import { KeyRenewal } from '../../src/modules/keys/renew-keys';
import { AN_ATTEMPT } from '../support/attempt';
import { ANY_ENGINE } from '../support/engines';
import { FakeKeyStore, FakeTenantStore } from '../support/fakes/key-store';
import { Store } from '../support/store';

const DAY_MS = 86_400_000;
const NOW = new Date('2026-02-03T04:05:06.007Z');
const at = (days: number) => new Date(NOW.getTime() + days * DAY_MS);
const attemptAt = (days: number): Attempt => ownAttempt('test', at(days));

describe('stored keys', () => {
  let store: Store;
  let keys: PostgresKeyStore;
  beforeAll(async () => {
    store = await Store.open(ANY_ENGINE);
    keys = new PostgresKeyStore(store.database.service);
  });
  afterAll(() => store.close());

  async function made(change: Partial<NewKey>): Promise<string> {
    const key = newKey(change);
    await keys.insert(key, AN_ATTEMPT);
    return key.keyId;
  }
  const newKey = (change: Partial<NewKey>): NewKey => {
    const keyId = randomUUID();
    return {
      ...{ keyId, kind: 'agent', name: 'SQL01', keyHash: createHash('sha256').update(keyId).digest() },
      ...{ prefix: 'aag_1', scopes: [], tenantIds: [store.tenantId], rateLimitPerMinute: null },
      ...{ allowedAddresses: [], replaces: null, expiresAt: null, ...change },
    };
  };
  const find = async (keyId: string) => (await keys.find(keyId)) as StoredKey;

  it('of operators are revoked but for the last one that lasts, and keep the first time of their end', async () => {
    const [lasting, soon] = [
      await made({ kind: 'operator', tenantIds: [] }),
      await made({ kind: 'operator', tenantIds: [], expiresAt: at(1) }),
    ];
    const revoked = (keyId: string, days: number) =>
      keys.revoke(keyId, { at: at(days), operatorUntil: at(days + 7) }, attemptAt(days));
    expect(await revoked(lasting, 0)).toBe('last operator key');
    expect(await revoked(soon, 0)).toMatchObject({ keyId: soon, revokedAt: at(0) });
    expect(await revoked(soon, 3)).toMatchObject({ keyId: soon, revokedAt: at(0) });
    expect((await find(soon)).revokedAt).toEqual(at(0));
    const second = await made({ kind: 'operator', tenantIds: [] });
    expect(await revoked(lasting, 0)).toMatchObject({ revokedAt: at(0) });
    expect(await revoked(second, 0)).toBe('last operator key');
    expect(await revoked(randomUUID(), 0)).toBeNull();
  });

  it('of agents are made by a token until it ends or has no uses left', async () => {
    const token = await made({ kind: 'enroll', usesLeft: 3, expiresAt: at(1) });
    const enrolled = (days: number) => keys.enroll(token, newKey({ enrolledBy: token }), attemptAt(days));
    expect(await enrolled(0)).toBe(true);
    // It is over at its end.
    expect([await enrolled(1), await enrolled(2)]).toEqual([false, false]);
    expect((await find(token)).usesLeft).toBe(2);
    expect([await enrolled(0), await enrolled(0), await enrolled(0)]).toEqual([true, true, false]);
    const ended = await made({ kind: 'enroll', usesLeft: 3 });
    await keys.revoke(ended, { at: at(0), operatorUntil: at(7) }, attemptAt(0));
    expect(await keys.enroll(ended, newKey({}), attemptAt(0))).toBe(false);
  });

  it('that nobody has used give way to the next one under their id, with a life of their own', async () => {
    const old = await made({ enrolledBy: randomUUID(), expiresAt: at(30) });
    const successor = (days: number) =>
      newKey({ enrolledBy: randomUUID(), replaces: old, expiresAt: at(days + 90) });
    const [first, second] = [successor(0), successor(2)];
    expect(await keys.renew(first, attemptAt(0))).toBe(first.keyId);
    expect(await keys.renew(second, attemptAt(2))).toBe(first.keyId);
    const { keyHash, createdAt, expiresAt } = await find(first.keyId);
    expect({ keyHash: Buffer.from(keyHash), createdAt, expiresAt }).toEqual({
      ...{ keyHash: Buffer.from(second.keyHash), createdAt: at(2), expiresAt: at(92) },
    });
    expect(await keys.confirm(first.keyId, attemptAt(3))).toBe(true);
    expect((await find(old)).expiresAt).toEqual(at(3));
    expect(await keys.confirm(first.keyId, attemptAt(4))).toBe(false);
    expect(await keys.renew(successor(4), attemptAt(4))).toBeNull();
  });

  it('are asked for another one once each, if a token made them, they last and nothing replaces them', async () => {
    const own = await store.forNewTenant();
    const { tenantId } = own;
    const enrolledBy = randomUUID();
    const ofAgent = (change: Partial<NewKey>) => made({ enrolledBy, tenantIds: [tenantId], ...change });
    const asked = await ofAgent({});
    const replaced = await ofAgent({});
    const successor = await ofAgent({ replaces: replaced });
    const others = [
      await ofAgent({ enrolledBy: null }),
      await ofAgent({ expiresAt: at(0) }),
      await ofAgent({ tenantIds: [store.tenantId] }),
      replaced,
    ];
    expect(await keys.askRenewal(tenantId, attemptAt(0))).toBe(2);
    for (const keyId of [asked, successor]) expect((await find(keyId)).renewAskedAt).toEqual(at(0));
    for (const keyId of others) expect((await find(keyId)).renewAskedAt).toBeNull();
    expect(await keys.askRenewal(tenantId, attemptAt(1))).toBe(0);
    expect((await find(asked)).renewAskedAt).toEqual(at(0));
  });

  it('have the latest time of their use, in whatever order instances write it', async () => {
    const keyId = await made({});
    for (const days of [1, 3, 2]) await keys.touch(new Map([[keyId, at(days)]]));
    expect((await find(keyId)).lastUsedAt).toEqual(at(3));
  });
});

describe('renewals', () => {
  it('are known at once: an instance forgets what it knows of keys', async () => {
    const fake = new FakeKeyStore();
    const principal = { kind: 'agent', keyId: 'k1', name: 'SQL01', tenantId: 1 } as const;
    fake.keys.push({
      ...{ keyId: 'k1', kind: 'agent', name: 'SQL01', keyHash: new Uint8Array([1]), prefix: 'aag_1' },
      ...{ scopes: [], tenantIds: [1], rateLimitPerMinute: null, allowedAddresses: [], replaces: null },
      ...{ enrolledBy: 't1', createdAt: at(-80), expiresAt: at(10), revokedAt: null, lastUsedAt: null },
    });
    let forgotten = 0;
    const renewal = new KeyRenewal(
      Object.assign(fake, { askRenewal: async () => 1 }),
      new FakeTenantStore(1),
      { forget: () => void forgotten++ },
      () => NOW,
    );
    await renewal.renew(principal, AN_ATTEMPT);
    expect(forgotten).toBe(1);
    expect(await renewal.askAll(null, AN_ATTEMPT)).toBe(1);
    expect(forgotten).toBe(2);
  });
});
