import { CallTenants } from '../../src/caller/call-tenants';
import type { Principal } from '../../src/caller/principal';
import { tenantSet } from '../../src/tenant-set';

const CALLER = { keyId: 'k', name: 'reporting' };
const OPERATOR: Principal = { kind: 'operator', ...CALLER };
const READER: Principal = {
  ...{ kind: 'public', ...CALLER, scopes: [], rateLimitPerMinute: null },
  tenantIds: tenantSet([2, 5]),
};

describe('the tenants of a call', () => {
  const there = [1, 2, 5];
  const tenants = new CallTenants({
    existing: async (ids) => ids.filter((id) => there.includes(id)),
    list: async () => there.map((tenantId) => ({ tenantId }) as never),
  });
  const one = (principal: Principal, id: string) => tenants.one({ principal } as never, id);
  const of = (principal: Principal, id?: string) => tenants.of({ principal } as never, id);

  it('are those of its key alone, whichever there are', async () => {
    expect([await one(READER, '5'), await of(READER), await of(READER, '2')]).toEqual([5, [2, 5], [2]]);
    for (const id of ['1', '7', 'x', '']) {
      await expect(one(READER, id)).rejects.toMatchObject({ code: 'not_found' });
      await expect(of(READER, id)).rejects.toMatchObject({ code: 'not_found' });
    }
  });

  it('are for an operator all that there are', async () => {
    expect([await one(OPERATOR, '1'), await of(OPERATOR), await of(OPERATOR, '5')]).toEqual([
      1,
      [1, 2, 5],
      [5],
    ]);
    await expect(one(OPERATOR, '7')).rejects.toMatchObject({ code: 'not_found' });
  });
});
