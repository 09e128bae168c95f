import { Sums } from '../../../src/store/columns/tally';
import { TenantCounts } from '../../../src/store/columns/tenant-counts';

describe('the counts of a tenant', () => {
  it('are exact where a value has more events than fit into 32 bits', () => {
    const asked = { windowMs: null, fields: ['actionId'], hasOutcomes: true } as const;
    const counts = new TenantCounts(1, asked, new Sums(), new Map());
    const [n, ok] = [1_500_000_000, 1_400_000_000];
    // Of one day: total, no windows, and the value 300 of the first field.
    const day = Float64Array.of(n, ok, 0, 0, 300, n, ok);
    counts.take(day);
    counts.take(day);
    expect([...counts.pack()]).toEqual([2 * n, 2 * ok, 0, 0, 300, 2 * n, 2 * ok]);
  });
});
