import { Authenticator } from '../../src/caller/authenticate';
import { hashOfKey, isWellFormedKey, type KeyKind } from '../../src/caller/key-format';
import type { StoredKey } from '../../src/caller/key-store';
import { nameProblems } from '../../src/caller/name-problems';
import type { Principal } from '../../src/caller/principal';
import { SCOPE_NAMES } from '../../src/caller/scopes';
import { LIMITS } from '../../src/limits';
import type { KeyRequest } from '../../src/modules/keys/key-parameters';
import { KeyManager } from '../../src/modules/keys/manage-keys';
import { AN_ATTEMPT } from '../support/attempt';
import { FakeKeyStore, FakeTenantStore } from '../support/fakes/key-store';

const NOW = new Date('2026-01-05T08:00:00Z');

function setUp() {
  const store = new FakeKeyStore();
  const authenticator = new Authenticator(store, () => NOW);
  return {
    store,
    authenticator,
    manager: new KeyManager(store, new FakeTenantStore(3), authenticator, () => NOW),
  };
}
const request = (change: Partial<KeyRequest> = {}): KeyRequest => ({
  name: 'reporting',
  tenantIds: ['1', '2'],
  scopes: ['read:audit-activity'],
  expiresAt: null,
  rateLimitPerMinute: null,
  allowedAddresses: [],
  ...change,
});

describe('a token of agents', () => {
  it('makes keys for its tenant that may be used from where it may be used, for its days', async () => {
    const { store, manager } = setUp();
    const { keyId } = await manager.create(
      'enroll',
      request({ tenantIds: ['2'], scopes: [], allowedAddresses: ['10.0.0.0/8'] }),
      AN_ATTEMPT,
      { usesLeft: 1, keyDays: 30 },
    );
    const token: Principal = { kind: 'enroll', keyId, name: 'reporting', tenantId: 2, keyDays: 30 };
    const { expiresAt } = await manager.enroll(token, 'SQL01', AN_ATTEMPT);
    expect(expiresAt).toBe('2026-02-04T08:00:00.000Z');
    expect(store.keys[1]).toMatchObject({
      ...{ kind: 'agent', name: 'SQL01', tenantIds: [2], scopes: [], enrolledBy: keyId },
      allowedAddresses: ['10.0.0.0/8'],
    });
    await expect(manager.enroll(token, 'SQL02', AN_ATTEMPT)).rejects.toMatchObject({ code: 'forbidden' });
  });
});

describe('making a key', () => {
  it('returns the key, and stores only its hash', async () => {
    const { store, manager, authenticator } = setUp();
    const { keyId, key } = await manager.create('public', request(), AN_ATTEMPT);
    expect(isWellFormedKey(key)).toBe(true);
    expect(store.keys).toMatchObject([{ keyId, kind: 'public', tenantIds: [1, 2], keyHash: hashOfKey(key) }]);
    expect(JSON.stringify(store.keys)).not.toContain(key);
    expect(await authenticator.authenticate(key)).toMatchObject({ kind: 'public', keyId });
  });

  it('can grant every scope, also one that has no endpoint yet', async () => {
    const { store, manager } = setUp();
    await manager.create('public', request({ scopes: [...SCOPE_NAMES, ...SCOPE_NAMES] }), AN_ATTEMPT);
    expect(store.keys[0]?.scopes).toEqual(SCOPE_NAMES);
  });

  it('is possible without scopes: such a key is valid', async () => {
    const { manager, authenticator } = setUp();
    const { key } = await manager.create('public', request({ scopes: [] }), AN_ATTEMPT);
    expect(await authenticator.authenticate(key)).toMatchObject({ scopes: [] });
  });

  it.each<[string, Partial<KeyRequest>, string]>([
    ['an empty name', { name: ' ' }, 'name must not be empty'],
    ['a name with a line end', { name: 'a\nb' }, 'control characters'],
    ['half a surrogate pair', { name: 'a\uD800' }, 'control characters'],
    ['a long name', { name: 'x'.repeat(LIMITS.nameCharsMax + 1) }, `at most ${LIMITS.nameCharsMax}`],
    ['no tenant', { tenantIds: [] }, 'tenantIds must name a tenant: a key without one may read nothing'],
    ['an unknown tenant', { tenantIds: ['4'] }, 'tenant 4 does not exist'],
    ['a tenant id that is no number', { tenantIds: ['acme'] }, 'tenant acme does not exist'],
    ['a tenant id in another spelling', { tenantIds: ['01'] }, 'tenant 01 does not exist'],
    ['a tenant id too large to be one', { tenantIds: ['99999999999'] }, 'does not exist'],
    ['an unknown scope', { scopes: ['read:everything'] }, 'read:everything is no scope'],
    ['a scope that every object has', { scopes: ['toString'] }, 'toString is no scope'],
    ['a network that is none', { allowedAddresses: ['192.0.2.0/33'] }, '192.0.2.0/33 is no address'],
    ['a limit of nothing', { rateLimitPerMinute: 0 }, 'rateLimitPerMinute'],
    ['a limit beyond all', { rateLimitPerMinute: LIMITS.rateLimitPerMinuteMax + 1 }, 'rateLimitPerMinute'],
    ['an expiry that is no time', { expiresAt: 'tomorrow' }, 'expiresAt must be an ISO 8601 date'],
    [
      'an expiry beyond all',
      { expiresAt: '9999-12-31T23:59:59-01:00' },
      'expiresAt must be an ISO 8601 date',
    ],
    ['an expiry that has passed', { expiresAt: '2026-01-05T08:00:00Z' }, 'expiresAt must be in the future'],
  ])('refuses %s, and stores nothing', async (_, change, problem) => {
    const { store, manager } = setUp();
    await expect(manager.create('public', request(change), AN_ATTEMPT)).rejects.toMatchObject({
      code: 'invalid_parameter',
      message: expect.stringContaining(problem),
    });
    expect(store.keys).toEqual([]);
  });

  it('names every mistake at once', async () => {
    const { manager } = setUp();
    const wrong = request({
      name: '',
      tenantIds: ['9', 'x'],
      scopes: ['y'],
      rateLimitPerMinute: 0,
      expiresAt: 'z',
    });
    const refusal: Error = await manager.create('public', wrong, AN_ATTEMPT).then(
      () => new Error('made'),
      (error) => error,
    );
    for (const text of ['name ', 'tenant 9', 'tenant x', 'y is no scope', 'rateLimitPerMinute', 'expiresAt'])
      expect(refusal.message).toContain(text);
  });
});

describe('revoking a key', () => {
  it('takes effect at once, and can be repeated without changing its time', async () => {
    const { manager, authenticator } = setUp();
    const { keyId, key } = await manager.create('agent', request({ tenantIds: ['1'] }), AN_ATTEMPT);
    expect(await authenticator.authenticate(key)).not.toBeNull();
    expect(await manager.revoke(keyId, AN_ATTEMPT)).toMatchObject({ revokedAt: NOW });
    expect(await authenticator.authenticate(key)).toBeNull();
    expect(await manager.revoke(keyId, AN_ATTEMPT)).toMatchObject({ revokedAt: NOW });
  });

  it('of a key that does not exist is not_found', async () => {
    await expect(
      setUp().manager.revoke('00000000-0000-8000-8000-000000000000', AN_ATTEMPT),
    ).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});

it('a name of a key may hold letters of any script, up to its limit', () => {
  for (const name of ['Büro Zürich', '東京', "O'Neill & Söhne", 'x'.repeat(LIMITS.nameCharsMax)]) {
    expect(nameProblems(name)).toEqual([]);
  }
});

describe('rotating a key', () => {
  const how = (change = {}) => ({ overlapMinutes: 60, expiresAt: null, ...change });
  async function made(change: Partial<KeyRequest> = {}, kind: KeyKind = 'public') {
    const at = setUp();
    const old = await at.manager.create(kind, request(change), AN_ATTEMPT);
    return { ...at, old };
  }

  it('makes a key with the same rights, and ends the old key after the overlap', async () => {
    const allowed = { allowedAddresses: ['192.0.2.0/24'], rateLimitPerMinute: 7 };
    const { store, manager, authenticator, old } = await made(allowed);
    const rotated = await manager.rotate(old.keyId, how(), AN_ATTEMPT);
    expect(rotated).toMatchObject({ replaces: old.keyId, overlapEndsAt: new Date('2026-01-05T09:00:00Z') });
    const [before, after] = store.keys;
    const { keyId, keyHash, prefix, ...same } = after as StoredKey;
    expect(before).toMatchObject({ ...same, replaces: null, expiresAt: rotated.overlapEndsAt });
    expect(same).toMatchObject({ ...allowed, name: 'reporting', replaces: old.keyId, expiresAt: null });
    for (const { key } of [old, rotated]) expect(await authenticator.authenticate(key)).not.toBeNull();
  });

  it('with no overlap ends the old key at once', async () => {
    const { manager, authenticator, old } = await made();
    expect(await authenticator.authenticate(old.key)).not.toBeNull();
    const { key } = await manager.rotate(old.keyId, how({ overlapMinutes: 0 }), AN_ATTEMPT);
    expect(await authenticator.authenticate(old.key)).toBeNull();
    expect(await authenticator.authenticate(key)).not.toBeNull();
  });

  it('never extends the life of the old key', async () => {
    const expiresAt = '2026-01-05T08:30:00.000Z';
    const { manager, old } = await made({ expiresAt });
    const { overlapEndsAt } = await manager.rotate(old.keyId, how(), AN_ATTEMPT);
    expect(overlapEndsAt.toISOString()).toBe(expiresAt);
  });

  it.each<[string, string | null, string]>([
    ['as long as the old one was made to', null, '2026-02-04T08:00:00.000Z'],
    ['as long as is said', '2027-01-01T00:00:00Z', '2027-01-01T00:00:00.000Z'],
  ])('makes a key that lives %s', async (_, expiresAt, expected) => {
    const { store, manager, old } = await made();
    store.change(old.keyId, { createdAt: new Date('2026-01-01Z'), expiresAt: new Date('2026-01-31Z') });
    await manager.rotate(old.keyId, how({ expiresAt }), AN_ATTEMPT);
    expect(store.keys[1]?.expiresAt?.toISOString()).toBe(expected);
  });

  it('makes a key that ends in the year 9999 at the latest', async () => {
    const { store, manager, old } = await made();
    store.change(old.keyId, { createdAt: new Date('2020-01-01Z'), expiresAt: new Date('9999-12-31Z') });
    await manager.rotate(old.keyId, how(), AN_ATTEMPT);
    expect(store.keys[1]?.expiresAt?.toISOString()).toBe('9999-12-31T23:59:59.999Z');
  });

  it('happens only once: a second attempt names the key that replaced the old one', async () => {
    const { store, manager, old } = await made();
    await manager.rotate(old.keyId, how(), AN_ATTEMPT);
    await expect(manager.rotate(old.keyId, how(), AN_ATTEMPT)).rejects.toMatchObject({
      code: 'invalid_parameter',
      message: expect.stringContaining('was rotated before'),
    });
    expect(store.keys).toHaveLength(2);
  });

  it.each<[string, Partial<StoredKey>, object, string]>([
    ['of a revoked key', { revokedAt: NOW }, {}, 'the key is revoked'],
    ['of an expired key', { expiresAt: NOW }, {}, 'the key is expired'],
    [
      'with an overlap below nothing',
      {},
      { overlapMinutes: -1 },
      'overlapMinutes must be a whole number from 0',
    ],
    [
      'with an endless overlap',
      {},
      { overlapMinutes: 43_201 },
      'overlapMinutes must be a whole number from 0 to 43200',
    ],
    ['into the past', {}, { expiresAt: '2026-01-01' }, 'expiresAt must be in the future'],
  ])('is refused %s', async (_, change, wrong, problem) => {
    const { store, manager, old } = await made();
    store.change(old.keyId, change);
    await expect(manager.rotate(old.keyId, how(wrong), AN_ATTEMPT)).rejects.toMatchObject({
      code: 'invalid_parameter',
      message: expect.stringContaining(problem),
    });
    expect(store.keys).toHaveLength(1);
  });

  it('of a key that does not exist is not_found', async () => {
    await expect(setUp().manager.rotate('no', how(), AN_ATTEMPT)).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});

describe('operator keys', () => {
  const granted = request({ tenantIds: [], scopes: [] });
  const DAY_LATER = '2026-01-06T08:00:00.001Z';

  it('can be revoked while another one is valid for longer than a day, and the last one cannot', async () => {
    const { manager, authenticator } = setUp();
    const first = await manager.create('operator', granted, AN_ATTEMPT);
    await manager.create('operator', { ...granted, expiresAt: '2026-01-06T08:00:00Z' }, AN_ATTEMPT);
    await expect(manager.revoke(first.keyId, AN_ATTEMPT)).rejects.toMatchObject({
      code: 'invalid_parameter',
      message: expect.stringContaining('No other operator key is valid for the next 24 hours'),
    });
    expect(await authenticator.authenticate(first.key)).not.toBeNull();
    await manager.create('operator', { ...granted, expiresAt: DAY_LATER }, AN_ATTEMPT);
    expect((await manager.revoke(first.keyId, AN_ATTEMPT)).revokedAt).toEqual(NOW);
  });

  it('are not rotated into a key that expires within a day, which is too soon to make another', async () => {
    const { manager } = setUp();
    const { keyId } = await manager.create('operator', granted, AN_ATTEMPT);
    const rotate = (expiresAt: string) => manager.rotate(keyId, { overlapMinutes: 0, expiresAt }, AN_ATTEMPT);
    await expect(rotate('2026-01-06T08:00:00Z')).rejects.toMatchObject({ code: 'invalid_parameter' });
    expect(await rotate(DAY_LATER)).toMatchObject({ replaces: keyId });
  });
});
