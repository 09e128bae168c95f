import { MarkedTenants, masksOf } from '../../src/caller/principal';
import { layout } from '../../src/database/each-tenant';
import { OPERATOR, READER } from '../support/fake-service';

const AWAY = new Error('a node is away');

/** Tenants 2 and 4 have the mark. While a node is away, only what is asked of one tenant on another is answered. */
function cluster({ isSpread = true, isUnknownMarked = true, keptMs = 1_000 } = {}) {
  const state = { away: new Set<number>(), nowMs: 0, asked: [] as (number | 'all')[] };
  const marked = async (only?: number) => {
    state.asked.push(only ?? 'all');
    if (only === undefined ? state.away.size > 0 : state.away.has(only)) throw AWAY;
    return [2, 4].filter((tenantId) => only === undefined || tenantId === only);
  };
  const options = { keptMs, isUnknownMarked };
  return Object.assign(state, {
    tenants: new MarkedTenants(marked, layout(isSpread), options, () => state.nowMs),
  });
}

describe('tenants with a mark', () => {
  it.each([1_000, 400])('are read for all callers at once, and known for %d ms', async (keptMs) => {
    const at = cluster({ keptMs });
    expect(await at.tenants.among([1, 2])).toEqual([2]);
    at.nowMs = 0.9 * keptMs;
    expect(await at.tenants.among([4])).toEqual([4]);
    expect(at.asked).toEqual(['all']);
    at.nowMs = 1.1 * keptMs;
    expect(await at.tenants.among([3])).toEqual([]);
    expect(at.asked).toEqual(['all', 'all']);
    at.tenants.forget();
    expect(await at.tenants.among([4])).toEqual([4]);
    expect(at.asked).toEqual(['all', 'all', 'all']);
  });

  it('are not asked about for a caller without tenants', async () => {
    const at = cluster();
    at.away = new Set([1]);
    expect(await at.tenants.among([])).toEqual([]);
    expect(at.asked).toEqual([]);
  });

  it("are asked on each tenant's own node while another node is away", async () => {
    const at = cluster();
    at.away = new Set([3, 4]);
    expect(await at.tenants.among([1])).toEqual([]);
    expect(await at.tenants.among([2])).toEqual([2]);
    await expect(at.tenants.among([3])).rejects.toBe(AWAY);
    expect(at.asked).toEqual(['all', 1, 2, 3]);
  });

  it.each([
    { isUnknownMarked: true, found: [2, 3] },
    { isUnknownMarked: false, found: [2] },
  ])(
    'among several, $found while the node of 3 is away and unknown ones count as $isUnknownMarked',
    async ({ isUnknownMarked, found }) => {
      const at = cluster({ isUnknownMarked });
      at.away = new Set([3]);
      expect(await at.tenants.among([1, 2, 3])).toEqual(found);
      // What failed is not asked again at once.
      expect(await at.tenants.among([1, 2, 3])).toEqual(found);
      expect(at.asked).toEqual(['all', 1, 2, 3, 1, 2]);
    },
  );

  it('are not guessed when the only database is away', async () => {
    const at = cluster({ isSpread: false, isUnknownMarked: false });
    at.away = new Set([1]);
    await expect(at.tenants.among([1, 2])).rejects.toBe(AWAY);
    expect(at.asked).toEqual(['all']);
    // A reading that failed is not kept.
    at.away = new Set();
    expect(await at.tenants.among([1, 2])).toEqual([2]);
    expect(at.asked).toEqual(['all', 'all']);
  });
});

it('statements of masked tenants are whole for who may unmask them, and without literals for others', async () => {
  const tenants = { among: async (ids: readonly number[]) => ids.filter((id) => id > 4) };
  const ofTenants = (tenantIds: readonly number[], scopes: readonly string[] = []) =>
    masksOf({ ...READER, tenantIds, scopes } as never, tenants);
  expect(await ofTenants([1, 5, 7])).toEqual({ masked: new Set(['5', '7']) });
  expect(await ofTenants([1, 5], ['read:audit-activity', 'unmask'])).toEqual({ unmasked: new Set(['5']) });
  expect(await ofTenants([1, 4])).toEqual({});
  expect(await masksOf(OPERATOR, tenants)).toEqual({});
});
