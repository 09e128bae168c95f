import { gather, KeptDays } from '../../../src/store/columns/kept-days';

describe('the counts of a day', () => {
  const stored = [0, 1].map((hour) => ({ hour, n: 1, has: true, version: '1' }));
  /** Counts a day of two hours, one of which may stay unread, a few times. @returns the hours asked for, and the sums */
  const counted = async (...unread: readonly (readonly number[])[]) => {
    const kept = new KeptDays<Int32Array>(100_000, 10_000);
    const asked: number[][] = [];
    const sums: number[] = [];
    for (const left of unread) {
      let sum = 0;
      const hours = {
        ...{ tenantId: 7, expression: null, stored, cut: [], clock: { take: async () => {} } },
        visit: async (_: unknown, add: (block: { hour: number }) => void, wanted: ReadonlySet<number>) => {
          asked.push([...wanted]);
          for (const hour of wanted) if (!left.includes(hour)) add({ hour });
          return left;
        },
      };
      const open = () => {
        let n = 0;
        return { add: () => void n++, pack: () => Int32Array.of(n) };
      };
      const take = (packed: Int32Array) => {
        sum += packed[0] ?? 0;
      };
      await gather(hours as never, { name: 'x', wanted: [] as never, kept, open: open as never, take });
      sums.push(sum);
    }
    return { asked, sums };
  };

  it('are kept once each of its hours was read', async () => {
    expect(await counted([], [])).toEqual({ asked: [[0, 1], []], sums: [2, 2] });
  });

  it('are not kept while one of its hours is unread', async () => {
    expect(await counted([1], [], [])).toEqual({ asked: [[0, 1], [0, 1], []], sums: [1, 2, 2] });
    expect(await counted([0, 1], [])).toEqual({
      asked: [
        [0, 1],
        [0, 1],
      ],
      sums: [0, 2],
    });
  });
});
