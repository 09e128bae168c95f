import { Client } from 'pg';
import { PostgresKeyStore } from '../../src/caller/key.store';
import type { KeyRequest } from '../../src/modules/keys/key-parameters';
import { KeyManager } from '../../src/modules/keys/manage-keys';
import { AN_ATTEMPT } from '../support/attempt';
import { describeOnPostgres } from '../support/engines';
import { FakeTenantStore } from '../support/fakes/key-store';
import { waitersOn } from '../support/lock-waiters';
import { Store } from '../support/store';

const REQUEST: KeyRequest = {
  name: 'SIEM',
  tenantIds: ['1'],
  scopes: [],
  expiresAt: null,
  rateLimitPerMinute: null,
  allowedAddresses: [],
};

describeOnPostgres('a key that one operator rotates while another revokes it', () => {
  let store: Store;
  let manager: KeyManager;
  let blocker: Client;
  beforeAll(async () => {
    store = await Store.open('postgresql');
    manager = new KeyManager(new PostgresKeyStore(store.database.service), new FakeTenantStore(1), {
      forget: () => {},
    });
    blocker = new Client({ connectionString: store.place.databaseUrl ?? '' });
    await blocker.connect();
  });
  afterAll(async () => {
    await blocker.end();
    await store.close();
  });

  const rotate = (keyId: string) =>
    manager.rotate(keyId, { overlapMinutes: 60, expiresAt: null }, AN_ATTEMPT);
  const revoke = (keyId: string) => manager.revoke(keyId, AN_ATTEMPT);

  /** Makes changes of a new key that overlap, in this order. @returns their outcomes and the state of the key */
  async function atOnce(...changes: readonly ((keyId: string) => Promise<unknown>)[]) {
    const { keyId } = await manager.create('public', REQUEST, AN_ATTEMPT);
    await blocker.query('BEGIN');
    await blocker.query('SELECT 1 FROM api_key WHERE key_id = $1 FOR UPDATE', [keyId]);
    const outcomes: Promise<string>[] = [];
    for (const change of changes) {
      outcomes.push(
        change(keyId).then(
          () => 'done',
          ({ code }) => code,
        ),
      );
      await waitersOn(blocker, outcomes.length);
    }
    await blocker.query('COMMIT');
    const told = await Promise.all(outcomes);
    const keys = await manager.list();
    const old = keys.find((key) => key.keyId === keyId);
    const successors = keys.filter(({ replaces }) => replaces === keyId);
    return { told, isRevoked: old?.revokedAt !== null, expiresAt: old?.expiresAt, successors };
  }

  it('has no successor once it is revoked: a rotation is refused', async () => {
    expect(await atOnce(revoke, rotate)).toEqual({
      told: ['done', 'invalid_parameter'],
      isRevoked: true,
      expiresAt: null,
      successors: [],
    });
  });

  it('can be revoked during the overlap too, and its successor stays valid', async () => {
    expect(await atOnce(rotate, revoke)).toMatchObject({
      told: ['done', 'done'],
      isRevoked: true,
      successors: [{ revokedAt: null }],
    });
  });

  it('is rotated once if two rotations come together', async () => {
    const { told, successors } = await atOnce(rotate, rotate);
    expect([told, successors.length]).toEqual([['done', 'invalid_parameter'], 1]);
  });
});
