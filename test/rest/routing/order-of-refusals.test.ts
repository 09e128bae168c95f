import { ONE_ENGINE } from '../../support/engines';
import { useWorld } from '../../support/use-world';
import { OPERATIONS } from '../support/operations';

describe.each(ONE_ENGINE)('order of refusals on %s', (engine) => {
  const at = useWorld(engine);

  describe.each(OPERATIONS)('$title', ({ mistaken: [path, query] }) => {
    const call = async (key: string | null) => (await at.world.get(path, key, { query })).status;

    it('401 before 400: without a key, a caller learns nothing about parameters', async () => {
      expect(await call(null)).toBe(401);
    });

    it('401 before 429: a revoked key is refused as a key, even after its calls are used up', async () => {
      const { tenantId } = await at.world.tenant();
      const { key, keyId } = await at.world.key({ tenantIds: [tenantId], rate: 1 });
      expect([await call(key), await call(key)]).toEqual([400, 429]);
      await at.world.operate('mutation($keyId: String!) { revokeApiKey(keyId: $keyId) { keyId } }', {
        keyId,
      });
      expect(await call(key)).toBe(401);
    });

    it('429 before 403 and 400', async () => {
      const { key } = await at.world.key({ scopes: [], rate: 1 });
      expect([await call(key), await call(key)]).toEqual([403, 429]);
    });

    it('403 before 400: without the scope or a tenant, a caller learns nothing about parameters', async () => {
      const { tenantId } = await at.world.tenant();
      const withoutScope = await at.world.key({ tenantIds: [tenantId], scopes: ['read:alerts'] });
      const withoutTenant = await at.world.keyWithoutTenants();
      expect([await call(withoutScope.key), await call(withoutTenant.key)]).toEqual([403, 403]);
    });

    it('400 and 403 count as calls for the rate limit', async () => {
      const { tenantId } = await at.world.tenant();
      const { key } = await at.world.key({ tenantIds: [tenantId], rate: 2 });
      expect([await call(key), await call(key), await call(key)]).toEqual([400, 400, 429]);
    });
  });
});
