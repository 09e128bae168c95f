import { newKey } from '../../../src/caller/key-format';
import { ONE_ENGINE } from '../../support/engines';
import { until } from '../../support/until';
import { useSharedWorld } from '../../support/use-world';
import { expectError, type Operation, UNKNOWN_RECORD } from './operations';

/** @returns the key with another last character of its checksum */
const mistyped = (key: string) => key.slice(0, -1) + (key.endsWith('A') ? 'B' : 'A');

export function refusesMissingAndInvalidKeys(operation: Operation): void {
  describe.each(ONE_ENGINE)(`401 of ${operation.title} on %s`, (engine) => {
    const at = useSharedWorld(engine);
    const call = (key: string | null, headers = {}) =>
      at.world.get(operation.path(UNKNOWN_RECORD), key, { headers });

    it('a call without a key', async () => {
      expectError(await call(null), 401, 'unauthorized');
    });

    it.each([
      ['of another form', 'secret'],
      ['with the prefix only', 'aak_'],
      ['well-formed but unknown', newKey('public')],
      ['followed by a second one', `${newKey('public')}, ${newKey('public')}`],
    ])('a key %s', async (_, key) => {
      expectError(await call(key), 401, 'unauthorized');
    });

    it('a key in any other place than X-Api-Key', async () => {
      const { key } = await at.world.tenant();
      expectError(await call(null, { Authorization: `Bearer ${key}` }), 401, 'unauthorized');
    });

    it('a mistyped key', async () => {
      const { key } = await at.world.tenant();
      expectError(await call(mistyped(key)), 401, 'unauthorized');
    });

    it('a revoked key, at once on the instance that revoked it', async () => {
      const { key, keyId } = await at.world.tenant();
      expect((await call(key)).status).not.toBe(401);
      await at.world.operate('mutation($keyId: String!) { revokeApiKey(keyId: $keyId) { keyId } }', {
        keyId,
      });
      expectError(await call(key), 401, 'unauthorized');
    });

    it('a key from the moment of its expiry, even if it was used just before', async () => {
      const { tenantId } = await at.world.tenant();
      // A busy machine may need longer for the first call than the key lives, so longer lives are tried too.
      for (const livesMs of [500, 3_000, 20_000]) {
        const expires = Date.now() + livesMs;
        const { key } = await at.world.key({
          tenantIds: [tenantId],
          expiresAt: new Date(expires).toISOString(),
        });
        const first = await call(key);
        if (Date.now() >= expires) continue;
        expect(first.status).not.toBe(401);
        const refused = await until(
          () => call(key),
          ({ status }) => status === 401,
        );
        expectError(refused, 401, 'unauthorized');
        expect(Date.now()).toBeGreaterThanOrEqual(expires);
        return;
      }
      throw new Error('no key was used before it expired');
    });

    it('says nothing about why the key was refused', async () => {
      const unknown = await call(newKey('public'));
      const missing = await call(null);
      expect(unknown.body.error.message).toBe(missing.body.error.message);
    });
  });
}
