import { parseTicks } from '../../src/event/event-time';
import type { SealedWeeks } from '../../src/store/archive/archive';
import { partsOf } from '../../src/store/archive/in-parts';
import { weekOfMs } from '../../src/store/rows/partitions';
import { tenantSet } from '../../src/tenant-set';

const at = (day: string) => parseTicks(`${day}T00:00:00Z`) as bigint;
const week = (day: string) => ({ week: weekOfMs(Date.parse(`${day}T00:00:00Z`)) });
/** Two tenants, whose last files are of weeks that begin on the 5th and on the 12th of January. */
const FILES: Readonly<Record<number, readonly object[]>> = {
  7: [week('2025-12-29'), week('2026-01-05')],
  8: [week('2026-01-12')],
  9: [],
};
const END = at('2026-01-19');
const partsFor = (
  ids: readonly number[],
  from: bigint | null,
  to: bigint | null,
  rows: readonly number[] = [],
) =>
  partsOf(
    {
      list: async (tenantId: number) => FILES[tenantId] ?? [],
      hasRows: async (tenantId: number) => rows.includes(tenantId),
    } as unknown as SealedWeeks,
    tenantSet(ids),
    { from, to },
  );

describe('a range that reaches into files', () => {
  it('is cut where the last file of all its tenants ends', async () => {
    const [from, to] = [at('2026-01-01'), at('2026-02-01')];
    expect(await partsFor([7, 8, 9], from, to)).toEqual({
      inFiles: { from, to: END },
      inRows: { from: END, to },
    });
    expect(await partsFor([7], from, null)).toEqual({
      inFiles: { from, to: at('2026-01-12') },
      inRows: { from: at('2026-01-12'), to: null },
    });
  });

  it('has one part where it ends with the files, or begins behind them, or where there are none', async () => {
    const from = at('2026-01-01');
    expect(await partsFor([7, 8], from, END)).toEqual({ inFiles: { from, to: END }, inRows: null });
    expect(await partsFor([7, 8], END, null)).toEqual({ inFiles: null, inRows: { from: END, to: null } });
    expect(await partsFor([9], from, null)).toEqual({ inFiles: null, inRows: { from, to: null } });
  });

  it('is not cut where a tenant has rows before the end of the files', async () => {
    expect(await partsFor([7, 8], at('2026-01-01'), null, [8])).toBeNull();
  });
});
