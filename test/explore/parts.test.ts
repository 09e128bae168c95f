import { parseTicks } from '../../src/event/event-time';
import { Zone } from '../../src/event/zone';
import { bucketsOf, fittingWidth } from '../../src/modules/explore/buckets';
import { gridOf } from '../../src/modules/explore/group-grid';
import { weekHoursOf } from '../../src/modules/explore/week-hours';

const HOUR_MS = 3_600_000;
const ticks = (time: string) => parseTicks(time) ?? 0n;

describe('hours of a week', () => {
  const part = (time: string) => Date.parse(time) / HOUR_MS;
  const of = (...counted: readonly (readonly [time: string, n: number])[]) =>
    weekHoursOf(
      new Map(counted.map(([time, n]) => [part(time), { succeeded: n, failed: 1 }])),
      HOUR_MS,
      new Zone('Europe/Berlin'),
    ).hours;

  it('name the busiest of their hours, and of equal ones the last, in whatever order these are counted', () => {
    const [first, last, quiet] = ['2026-01-06T07:00:00Z', '2026-01-13T07:00:00Z', '2026-01-20T07:00:00Z'];
    const [ofTuesday] = [of([first, 4], [last, 4], [quiet, 2])[24 + 8]];
    expect(ofTuesday).toEqual({ succeeded: 10, failed: 3, busiest: 5, busiestMs: Date.parse(last) });
    expect(of([quiet, 2], [last, 4], [first, 4])[24 + 8]).toEqual(ofTuesday);
  });

  it('that the clock shows twice are two', () => {
    const twice = of(['2026-10-25T00:00:00Z', 3], ['2026-10-25T01:00:00Z', 5])[6 * 24 + 2];
    expect(twice).toMatchObject({ succeeded: 8, busiest: 6 });
  });
});

describe('a grid of groups', () => {
  const group = (login: string, action: string, n: number, failed = 0) =>
    ({ values: [login, action], n, failed, sum: null }) as never;
  const of = (valuesMax: number) =>
    gridOf(
      [group('eve', 'SL', 9, 2), group('bob', 'SL', 5), group('joe', 'SL', 2, 1), group('ann', 'UP', 2)],
      { fields: ['serverPrincipalName', 'actionId'], sumOf: null, valuesMax },
      async () => {},
    );

  it('has what is not among its first values in a place behind them', async () => {
    const grid = await of(2);
    expect(grid.axes.map(({ values, distinct }) => [values, distinct])).toEqual([
      [['eve', 'bob'], 4],
      [['SL', 'UP'], 2],
    ]);
    expect(grid.cells.map(({ places, n, failed }) => [...places, n, failed])).toEqual([
      [0, 0, 9, 2],
      [1, 0, 5, 0],
      [2, 0, 2, 1],
      [2, 1, 2, 0],
    ]);
    expect([grid.totalCount, grid.groupCount]).toEqual([18, 4]);
  });

  it('has equal values in the order of their texts', async () => {
    expect((await of(4)).axes[0]?.values).toEqual(['eve', 'bob', 'ann', 'joe']);
  });

  it('adds up the numbers that events state; where none does, there is no sum', async () => {
    const stating = (login: string, action: string, sum: number | bigint | null) =>
      ({ values: [login, action], n: 1, failed: 0, sum }) as never;
    const { axes, cells } = await gridOf(
      [
        stating('eve', 'SL', null),
        stating('bob', 'SL', -3),
        stating('joe', 'UP', null),
        stating('ann', 'SL', 0),
      ],
      { fields: ['serverPrincipalName', 'actionId'], sumOf: 'responseRows', valuesMax: 2 },
      async () => {},
    );
    // What states no number counts as 0 in the order alone.
    expect(axes[0]?.values).toEqual(['ann', 'eve']);
    expect(cells.map(({ places, sum }) => [...places, sum])).toEqual([
      ...[
        [0, 1, 0],
        [1, 1, null],
        [2, 0, null],
        [2, 1, -3],
      ],
    ]);
  });
});

describe('buckets', () => {
  const day = { from: ticks('2026-01-05T00:00:00Z'), to: ticks('2026-01-06T00:00:00Z') };

  it('end with the range: one that ends at a border has no empty one behind it', () => {
    expect(fittingWidth(day, 24)).toBe(HOUR_MS);
    expect(bucketsOf(day, 6 * HOUR_MS, new Map()).map(({ to }) => to)).toEqual(
      ['06', '12', '18'].map((hour) => ticks(`2026-01-05T${hour}:00:00Z`)).concat(day.to),
    );
    const longer = { ...day, to: day.to + 1n };
    expect(fittingWidth(longer, 24)).toBe(2 * HOUR_MS);
    expect(bucketsOf(longer, 12 * HOUR_MS, new Map()).at(-1)).toMatchObject({ from: day.to, to: longer.to });
  });
});
