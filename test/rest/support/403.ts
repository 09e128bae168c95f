import { SCOPE_NAMES } from '../../../src/caller/scopes';
import { ONE_ENGINE } from '../../support/engines';
import { useSharedWorld } from '../../support/use-world';
import { expectError, newestRecord, type Operation } from './operations';

const SCOPE = 'read:audit-activity';

export function refusesKeysWithoutScopeOrTenant(operation: Operation): void {
  describe.each(ONE_ENGINE)(`403 of ${operation.title} on %s`, (engine) => {
    const at = useSharedWorld(engine);
    let tenantId: string;
    let recordId: string;
    let agentKey: string;
    beforeAll(async () => {
      const acme = await at.world.tenant();
      await acme.audited();
      recordId = await newestRecord(acme);
      ({ tenantId, agentKey } = acme);
    });
    const call = (key: string) => at.world.get(operation.path(recordId), key);

    it('a key without any scope', async () => {
      const { key } = await at.world.key({ tenantIds: [tenantId], scopes: [] });
      expectError(await call(key), 403, 'forbidden');
    });

    it('a key with every scope but the required one, which the message names', async () => {
      const scopes = SCOPE_NAMES.filter((scope) => scope !== SCOPE);
      expect(scopes).toHaveLength(SCOPE_NAMES.length - 1);
      const { key } = await at.world.key({ tenantIds: [tenantId], scopes });
      const answer = await call(key);
      expectError(answer, 403, 'forbidden');
      expect(answer.body.error.message).toContain(SCOPE);
    });

    it('a key with the scope but without a tenant', async () => {
      const { key } = await at.world.keyWithoutTenants();
      expectError(await call(key), 403, 'forbidden');
    });

    it('an agent key, even for its own tenant', async () => {
      expectError(await call(agentKey), 403, 'forbidden');
    });

    it('an operator key', async () => {
      expectError(await call(at.world.operatorKey), 403, 'forbidden');
    });

    it('not a key that has the scope among others', async () => {
      const { key } = await at.world.key({ tenantIds: [tenantId], scopes: SCOPE_NAMES });
      expect((await call(key)).status).toBe(200);
    });
  });
}
