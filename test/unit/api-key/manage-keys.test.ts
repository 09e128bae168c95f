import { Authenticator } from '../../../src/api-key/authenticate';
import { hashOfKey, isWellFormedKey } from '../../../src/api-key/key-format';
import { KeyManager, type KeyRequest, nameProblems } from '../../../src/api-key/manage-keys';
import { SCOPE_NAMES } from '../../../src/api-key/scopes';
import { LIMITS } from '../../../src/limits';
import { FakeKeyStore, FakeTenantStore } from '../../support/fakes/key-store';

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
  ...change,
});

describe('making a key', () => {
  it('answers the key, and keeps only its hash', async () => {
    const { store, manager, authenticator } = setUp();
    const { keyId, key } = await manager.create('public', request());
    expect(isWellFormedKey(key)).toBe(true);
    expect(store.keys).toMatchObject([{ keyId, kind: 'public', tenantIds: [1, 2], keyHash: hashOfKey(key) }]);
    expect(JSON.stringify(store.keys)).not.toContain(key);
    expect(await authenticator.authenticate(key)).toMatchObject({ kind: 'public', keyId });
  });

  it('grants every scope there is, also those whose endpoints are still to come', async () => {
    const { store, manager } = setUp();
    await manager.create('public', request({ scopes: [...SCOPE_NAMES, ...SCOPE_NAMES] }));
    expect(store.keys[0]?.scopes).toEqual(SCOPE_NAMES);
  });

  it('is possible without scope and without tenant: such a key is valid', async () => {
    const { manager, authenticator } = setUp();
    const { key } = await manager.create('public', request({ scopes: [], tenantIds: [] }));
    expect(await authenticator.authenticate(key)).toMatchObject({ scopes: [], tenantIds: [] });
  });

  it.each<[string, Partial<KeyRequest>, string]>([
    ['an empty name', { name: ' ' }, 'name must not be empty'],
    ['a name with a line end', { name: 'a\nb' }, 'control characters'],
    ['half a surrogate pair', { name: 'a\uD800' }, 'control characters'],
    ['a long name', { name: 'x'.repeat(LIMITS.nameCharsMax + 1) }, `at most ${LIMITS.nameCharsMax}`],
    ['an unknown tenant', { tenantIds: ['4'] }, 'tenant 4 does not exist'],
    ['a tenant id that is no number', { tenantIds: ['acme'] }, 'tenant acme does not exist'],
    ['a tenant id in another spelling', { tenantIds: ['01'] }, 'tenant 01 does not exist'],
    ['a tenant id too large to be one', { tenantIds: ['99999999999'] }, 'does not exist'],
    ['an unknown scope', { scopes: ['read:everything'] }, 'read:everything is no scope'],
    ['a scope that every object has', { scopes: ['toString'] }, 'toString is no scope'],
    ['a limit of nothing', { rateLimitPerMinute: 0 }, 'rateLimitPerMinute'],
    ['a limit beyond all', { rateLimitPerMinute: LIMITS.rateLimitPerMinuteMax + 1 }, 'rateLimitPerMinute'],
    ['an expiry that is no time', { expiresAt: 'tomorrow' }, 'expiresAt must be an ISO 8601 time'],
    [
      'an expiry beyond all',
      { expiresAt: '9999-12-31T23:59:59-01:00' },
      'expiresAt must be an ISO 8601 time',
    ],
    ['an expiry that has passed', { expiresAt: '2026-01-05T08:00:00Z' }, 'expiresAt must be in the future'],
  ])('refuses %s, and stores nothing', async (_, change, problem) => {
    const { store, manager } = setUp();
    await expect(manager.create('public', request(change))).rejects.toMatchObject({
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
    const refusal: Error = await manager.create('public', wrong).then(
      () => new Error('made'),
      (error) => error,
    );
    for (const text of ['name ', 'tenant 9', 'tenant x', 'y is no scope', 'rateLimitPerMinute', 'expiresAt'])
      expect(refusal.message).toContain(text);
  });
});

describe('revoking a key', () => {
  it('holds at once, keeps its first time, and can be repeated', async () => {
    const { manager, authenticator } = setUp();
    const { keyId, key } = await manager.create('agent', request({ tenantIds: ['1'] }));
    expect(await authenticator.authenticate(key)).not.toBeNull();
    expect(await manager.revoke(keyId)).toMatchObject({ revokedAt: NOW });
    expect(await authenticator.authenticate(key)).toBeNull();
    expect(await manager.revoke(keyId)).toMatchObject({ revokedAt: NOW });
  });

  it('of a key that does not exist is not_found', async () => {
    await expect(setUp().manager.revoke('00000000-0000-8000-8000-000000000000')).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});

it('a name may hold any letters of any script, up to its limit', () => {
  for (const name of ['Büro Zürich', '東京', "O'Neill & Söhne", 'x'.repeat(LIMITS.nameCharsMax)]) {
    expect(nameProblems(name)).toEqual([]);
  }
});
