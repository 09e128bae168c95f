import { MaskedTenants } from '../../src/caller/principal';
import { layout } from '../../src/database/each-tenant';

const AWAY = new Error('a node is away');

/** Tenants 2 and 4 mask their statements. While a node is away, only what is asked of one tenant on another is answered. */
function cluster({ isSpread = true } = {}) {
  const state = { away: new Set<number>(), nowMs: 0, asked: [] as (number | 'all')[] };
  const store = {
    masked: async (only?: number) => {
      state.asked.push(only ?? 'all');
      if (only === undefined ? state.away.size > 0 : state.away.has(only)) throw AWAY;
      return [2, 4].filter((tenantId) => only === undefined || tenantId === only);
    },
  };
  return Object.assign(state, { tenants: new MaskedTenants(store, layout(isSpread), () => state.nowMs) });
}

describe('tenants whose statements are masked', () => {
  it('are read for all callers at once, and known for a second', async () => {
    const at = cluster();
    expect(await at.tenants.among([1, 2])).toEqual([2]);
    at.nowMs = 900;
    expect(await at.tenants.among([4])).toEqual([4]);
    expect(at.asked).toEqual(['all']);
    at.nowMs = 1_100;
    expect(await at.tenants.among([3])).toEqual([]);
    expect(at.asked).toEqual(['all', 'all']);
  });

  it("are asked on each tenant's own node while another node is away", async () => {
    const at = cluster();
    at.away = new Set([3, 4]);
    expect(await at.tenants.among([1])).toEqual([]);
    expect(await at.tenants.among([2])).toEqual([2]);
    await expect(at.tenants.among([3])).rejects.toBe(AWAY);
    expect(at.asked).toEqual(['all', 1, 2, 3]);
  });

  it('include those on a node that is away, if a caller has others too', async () => {
    const at = cluster();
    at.away = new Set([3]);
    expect(await at.tenants.among([1, 2, 3])).toEqual([2, 3]);
    // What failed is not asked again at once.
    expect(await at.tenants.among([1, 2, 3])).toEqual([2, 3]);
    expect(at.asked).toEqual(['all', 1, 2, 3, 1, 2]);
  });

  it('are not guessed when the only database is away', async () => {
    const at = cluster({ isSpread: false });
    at.away = new Set([1]);
    await expect(at.tenants.among([1, 2])).rejects.toBe(AWAY);
    expect(at.asked).toEqual(['all']);
  });
});
