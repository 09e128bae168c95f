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
    const found = await readApart(read as never, placesOf([1, 2, 3, 4]), () => false);
    expect(found.map(({ tenantId }) => tenantId)).toEqual([1, 3]);
    expect(asked).toEqual([
      [1, 2, 3, 4],
      [1, 3, 4],
      [1, 3],
    ]);
  });

  it('say which file is away where the others are at their ends, or there are none', async () => {
    const readAll = (of: ReturnType<typeof reads>, tenants: readonly number[]) =>
      readApart(of.read as never, placesOf(tenants), () => false);
    await expect(readAll(reads([2], [1, 3]), [1, 2, 3])).rejects.toThrow('tenant 2');
    await expect(readAll(reads([5]), [5])).rejects.toThrow('tenant 5');
  });

  it.each([
    [0, 2],
    [3, 5],
  ])(
    'are left out one after the other until the time is over, and one in any case: %i',
    async (more, calls) => {
      const many = Array.from({ length: 30 }, (_, i) => i + 1);
      const { asked, read } = reads(many.slice(0, 12));
      let looks = 0;
      await expect(readApart(read as never, placesOf(many), () => ++looks > more)).rejects.toBeInstanceOf(
        UnreadWeek,
      );
      expect(asked).toHaveLength(calls);
    },
  );

  it('fail by any other error', async () => {
    const failing = async () => {
      throw new Error('no database');
    };
    await expect(readApart(failing, placesOf([1, 2]), () => false)).rejects.toThrow('no database');
  });
});
