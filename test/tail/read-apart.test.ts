import { DomainError } from '../../src/errors';
import { readApart } from '../../src/modules/tail/read-apart';
import { UnreadWeek } from '../../src/store/archive/archive';
import type { ArrivalPlace } from '../../src/store/log/arrivals/arrival-reader';

const placesOf = (tenants: readonly number[]): ArrivalPlace[] =>
  tenants.map((tenantId) => ({ tenantId, from: tenantId * 10 }));
const why = (tenantId: number) =>
  new UnreadWeek(tenantId, new DomainError('service_unavailable', { public: `tenant ${tenantId}` }));

/** Reads logs, of which some come to a file that is away, and others are at their end. Counts its calls. */
function reads(away: readonly number[], atEnd: readonly number[] = []) {
  const asked: number[][] = [];
  const read = async (places: readonly ArrivalPlace[]) => {
    asked.push(places.map(({ tenantId }) => tenantId));
    const lost = places.find(({ tenantId }) => away.includes(tenantId));
    if (lost) throw why(lost.tenantId);
    return places.map(({ tenantId, from }) => {
      const next = atEnd.includes(tenantId) ? from : from + 3;
      return { tenantId, from, next, size: next, items: [], removed: 0, bytes: 0 };
    });
  };
  return { asked, read };
}

describe('logs of several tenants, of which some come to a file that is away', () => {
  it('are read with one more call for each that is left out', async () => {
    const { asked, read } = reads([2, 4]);
    const found = await readApart(read as never, placesOf([1, 2, 3, 4]));
    expect(found.map(({ tenantId }) => tenantId)).toEqual([1, 3]);
    expect(asked).toEqual([
      [1, 2, 3, 4],
      [1, 3, 4],
      [1, 3],
    ]);
  });

  it('say which file is away where the others are at their ends, or there are none', async () => {
    await expect(readApart(reads([2], [1, 3]).read as never, placesOf([1, 2, 3]))).rejects.toThrow(
      'tenant 2',
    );
    await expect(readApart(reads([5]).read as never, placesOf([5]))).rejects.toThrow('tenant 5');
  });

  it('are not tried one after the other where the files of many are away', async () => {
    const many = Array.from({ length: 30 }, (_, i) => i + 1);
    const { asked, read } = reads(many.slice(0, 12));
    await expect(readApart(read as never, placesOf(many))).rejects.toBeInstanceOf(UnreadWeek);
    expect(asked).toHaveLength(9);
  });

  it('fail by any other error', async () => {
    const failing = async () => {
      throw new Error('no database');
    };
    await expect(readApart(failing, placesOf([1, 2]))).rejects.toThrow('no database');
  });
});
