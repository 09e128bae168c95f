import { LIMITS } from '../../../src/limits';
import { Planner } from '../../../src/modules/destinations/planner';
import { itemMaker } from '../../../src/modules/destinations/to-item';
import { SharedDestination } from './support/shared-destination';

const planning = (statements: (string | null)[], filter = '') => {
  const shared = new SharedDestination(statements);
  return new Planner(shared.feed, shared.row.tenantId, itemMaker(filter, 'native'));
};
const MEBIBYTE = 'x'.repeat(LIMITS.destinationBatchBytes);
const HALF = 'x'.repeat(LIMITS.destinationBatchBytes / 2);

const QUARTER = 'x'.repeat(LIMITS.destinationBatchBytes / 4);

describe('the next batch', () => {
  it.each([
    ['two events that are too large together', [HALF, HALF, 'c'], 9, [0], 1],
    ['an event that is too large alone', [MEBIBYTE, 'b'], 9, [0], 1],
    ['a large event behind a small one', ['a', MEBIBYTE, 'c'], 9, [0], 1],
    ['as many as are asked for', ['a', 'b', 'c'], 2, [0, 1], 2],
    ['all there are', ['a', 'b', 'c'], 9, [0, 1, 2], 3],
  ])('holds %s', async (_, statements, eventsMax, positions, to) => {
    const { items, ...planned } = await planning(statements).next(0, eventsMax);
    expect(items.map(({ position }) => position)).toEqual(positions);
    expect(planned).toMatchObject({ from: 0, to, isEnd: to === statements.length });
  });

  it('takes events that fill it to the byte, and not one more', async () => {
    const sizes = (await planning([QUARTER, QUARTER]).next(0, 9)).items.map(({ json }) => json.length);
    const left = LIMITS.destinationBatchBytes - sizes.reduce((sum, size) => sum + size, 0);
    const [, , short] = (await planning([QUARTER, QUARTER, 'y']).next(0, 9)).items;
    const last = (more: number) => 'y'.repeat(left - (short?.json.length ?? 0) + 1 + more);
    const count = async (more: number) =>
      (await planning([QUARTER, QUARTER, last(more)]).next(0, 9)).items.length;
    expect([await count(0), await count(1)]).toEqual([3, 2]);
  });

  it('counts the events that are gone up to the event that begins the batch after it', async () => {
    const planner = planning([null, 'b', null, 'd', null, 'f']);
    expect(await planner.next(0, 2)).toMatchObject({ to: 5, removed: 3, isEnd: false });
    expect(await planner.next(5, 2)).toMatchObject({ to: 6, removed: 0, isEnd: true });
    expect(await planner.again({ from: 0, to: 3 })).toMatchObject({ from: 0, to: 3, removed: 2 });
  });

  it('does not count entries of the service as events that are gone', async () => {
    const shared = new SharedDestination([null, 'b', null, null, 'e', 'f', null]);
    shared.others.push(0, 3, 6);
    const planner = new Planner(shared.feed, shared.row.tenantId, itemMaker('', 'native'));
    expect(await planner.next(0, 2)).toMatchObject({ to: 5, removed: 1 });
    expect(await planner.next(5, 2)).toMatchObject({ to: 7, removed: 0, isEnd: true });
  });

  it('passes over a removed beginning in one go, and one that is repeated no further than to its end', async () => {
    const shared = new SharedDestination([...Array<null>(100).fill(null), 'b']);
    const { feed } = shared;
    const skipping: typeof feed = {
      marks: feed.marks,
      read: async (tenantId, from, { end = 100, ...limits }) => {
        const next = Math.min(end, 100);
        if (from >= next) return feed.read(tenantId, from, limits);
        return { ...(await feed.read(tenantId, from, limits)), next, items: [], removed: next - from };
      },
    };
    const planner = new Planner(skipping, shared.row.tenantId, itemMaker('', 'native'));
    expect(await planner.next(0, 5)).toMatchObject({ to: 101, removed: 100, items: [{ position: 100 }] });
    expect(await planner.again({ from: 0, to: 3 })).toMatchObject({ from: 0, to: 3, removed: 3, items: [] });
  });

  it('is looked for in a bounded part of the log', async () => {
    const statements = Array<string>(LIMITS.destinationScanMax + 10).fill('a');
    const planned = await planning(statements, 'actionId:IN').next(3, 5);
    expect(planned).toMatchObject({ to: LIMITS.destinationScanMax + 3, items: [], isEnd: false });
  });

  it('that is repeated holds every event within its bounds, whatever its size', async () => {
    const { items, to } = await planning([HALF, HALF, HALF, 'd']).again({ from: 0, to: 3 });
    expect([items.length, to]).toEqual([3, 3]);
  });
});
