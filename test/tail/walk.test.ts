import { LIMITS } from '../../src/limits';
import { Walk } from '../../src/modules/tail/walk';
import type { Arrivals, ArrivedText } from '../../src/store/log/arrivals/arrival-reader';

/** A call that stands before position 10 of tenant 3, at the beginning of 4, and before 5 of 9. */
const walkAt = (turn: number) =>
  new Walk({
    ...{ turn, filter: Buffer.from('f'), epoch: 'e', mark: 'm' },
    positions: new Map([
      [3, 10],
      [4, 0],
      [9, 5],
    ]),
  });
/** Events of tenant 4 at these positions, of the first eight entries, of which three were skipped unread. */
const arrived = (...positions: readonly number[]): Arrivals<ArrivedText> => ({
  ...{ tenantId: 4, from: 0, next: 8, size: 20, removed: 0, others: [], skipped: 3, bytes: 100 },
  items: positions.map((position) => ({ position, json: `${position}` }) as ArrivedText),
});
const EVERY = { limit: 10, matches: null, isEnough: () => false };
const state = (walk: Walk) => ({
  found: walk.items.map(({ position }) => position),
  at: walk.positions.get(4),
  ...{ removed: walk.removed, passed: walk.passed, bytes: walk.bytes },
  ...{ mark: walk.mark, turn: walk.place.turn },
});

describe('the walk of a call through logs', () => {
  it('begins with the tenant whose turn it is, or the one after it', () => {
    const order = (turn: number) =>
      walkAt(turn)
        .places()
        .map(({ tenantId, from }) => [tenantId, from]);
    const [three, four, nine] = [
      [3, 10],
      [4, 0],
      [9, 5],
    ];
    expect(order(0)).toEqual([three, four, nine]);
    expect([order(4), order(5)]).toEqual([
      [four, nine, three],
      [nine, three, four],
    ]);
    expect(order(10)).toEqual([three, four, nine]);
  });

  it('is at the end where each log ends there, and beyond it where one is shorter', () => {
    const of = (...sizes: readonly (readonly [number, number])[]) => [
      walkAt(0).isAtEnd(new Map(sizes)),
      walkAt(0).isBeyond(new Map(sizes)),
    ];
    expect(of([3, 10], [4, 0], [9, 5])).toEqual([true, false]);
    expect(of([3, 10], [4, 1], [9, 5])).toEqual([false, false]);
    expect(of([3, 9], [4, 1], [9, 5])).toEqual([false, true]);
    expect(of([3, 10], [9, 5])).toEqual([false, false]);
    expect(of([3, 10], [4, 0])).toEqual([false, true]);
  });

  it('takes what there is room for, and counts what is gone and what was read', async () => {
    const all = walkAt(4);
    await all.take(arrived(0, 2, 5, 7), EVERY);
    const read = { bytes: 100, mark: null, turn: 5 };
    expect(state(all)).toEqual({ found: [0, 2, 5, 7], at: 8, removed: 4, passed: 5, ...read });
    const two = walkAt(4);
    await two.take(arrived(0, 2, 5, 7), { ...EVERY, limit: 2 });
    expect(state(two)).toEqual({ found: [0, 2], at: 5, removed: 3, passed: 2, ...read });
    const none = walkAt(4);
    await none.take({ ...arrived(), next: 0, skipped: 0 }, EVERY);
    expect(state(none)).toEqual({ found: [], at: 0, removed: 0, passed: 0, bytes: 100, mark: 'm', turn: 4 });
  });

  it('adds up what is gone of several reads and logs', async () => {
    const walk = walkAt(4);
    await walk.take(arrived(0, 2, 5, 7), EVERY);
    await walk.take({ ...arrived(10), from: 8, next: 11, skipped: 0 }, EVERY);
    await walk.take({ ...arrived(5, 7), tenantId: 9, from: 5, next: 8, skipped: 0 }, EVERY);
    expect([walk.removed, walk.passed]).toEqual([4 + 2 + 1, 5 + 3 + 3]);
  });

  it('does not count entries of the service as removed events', async () => {
    const passed = async (limit: number) => {
      const walk = walkAt(4);
      await walk.take({ ...arrived(0, 2, 5, 7), others: [1, 6] }, { ...EVERY, limit });
      return [walk.positions.get(4), walk.removed];
    };
    expect([await passed(10), await passed(2)]).toEqual([
      [8, 2],
      [5, 2],
    ]);
  });

  it('passes what does not match, and compares at least one event', async () => {
    const even = async ({ position }: { readonly position: number }) => position % 2 === 0;
    const some = walkAt(4);
    await some.take(arrived(0, 2, 5, 7), { ...EVERY, matches: even });
    expect(state(some)).toMatchObject({ found: [0, 2], at: 8, removed: 4 });
    const first = walkAt(4);
    await first.take(arrived(1, 2, 5), { limit: 10, matches: even, isEnough: () => true });
    expect(state(first)).toMatchObject({ found: [], at: 2, removed: 1 });
  });

  it('takes nothing where a comparison fails', async () => {
    const walk = walkAt(4);
    const matches = async ({ position }: { readonly position: number }) => {
      if (position === 5) throw new Error('away');
      return true;
    };
    await expect(walk.take(arrived(0, 2, 5), { ...EVERY, matches })).rejects.toThrow('away');
    expect(state(walk)).toMatchObject({ found: [], at: 0, passed: 0, mark: 'm', turn: 4 });
  });

  it('goes on while there is room for events, positions and bytes', async () => {
    const walk = walkAt(4);
    await walk.take(arrived(0, 2), EVERY);
    expect([walk.mayGoOn(3), walk.mayGoOn(2)]).toEqual([true, false]);
    for (const [name, most] of [
      ['passed', LIMITS.tailPositionsMax],
      ['bytes', LIMITS.tailReadBytes],
    ] as const) {
      const other = walkAt(4);
      other[name] = most - 1;
      expect(other.mayGoOn(1)).toBe(true);
      other[name] = most;
      expect(other.mayGoOn(1)).toBe(false);
    }
  });
});
