import { addToSum, noSums } from '../../src/rules/baseline';
import { Engine } from '../../src/rules/engine';
import type { Entry } from '../../src/rules/hit';
import { parseRules } from '../../src/rules/sigma/rule-file';
import { unseenInLogins } from './support/sigma';

const DAY_US = 86_400e6;
const HOUR_US = 3_600e6;

describe('a sum that is far above the days before', () => {
  const NODE = {
    within: HOUR_US,
    days: 3,
    learnDays: 2,
    atLeast: 5,
    times: 2,
    isSame: false,
    unlearnedAtLeast: null,
  };
  /** @returns whether each of these values is told; a time is in days, and a value belongs to the hour at its time */
  const told = (...values: readonly (readonly [at: number, value: number])[]) => toldBy(NODE, values);
  const toldBy = (
    node: Parameters<typeof addToSum>[3],
    values: readonly (readonly [at: number, value: number])[],
  ) => {
    const body = noSums();
    return values.map(([at, value], i) => {
      const us = 100 * DAY_US + at * DAY_US;
      const entry: Entry = { f: us, l: us, r: [`record ${i}`], n: 1, p: [], i: [] };
      return addToSum(body, entry, { value, child: 0 }, node, true) !== null;
    });
  };

  it('is told above a multiple of the highest sum of a window, once for each window', () => {
    expect(told([0, 10], [2, 20])).toEqual([false, false]);
    expect(told([0, 10], [2, 20], [2, 1], [2, 50])).toEqual([false, false, true, false]);
    // Two windows of a day are not added up.
    expect(told([0, 6], [0.5, 6], [2, 13])).toEqual([false, false, true]);
    expect(told([0, 20], [0.5, 1], [2, 30])).toEqual([false, false, false]);
  });

  it('is told from its least number on', () => {
    expect(told([0, 1], [2, 4])).toEqual([false, false]);
    expect(told([0, 1], [2, 5])).toEqual([false, true]);
  });

  it('is told when the group has been known for long enough', () => {
    expect(told([0, 1], [1, 99])).toEqual([false, false]);
    expect(told([0, 1], [2, 99])).toEqual([false, true]);
  });

  it('is told before that from a limit of its own on, and afterwards only by comparison', () => {
    const node = { ...NODE, unlearnedAtLeast: 100 };
    const days = [
      [0, 99],
      [0.5, 60],
      [0.5, 40],
      [0.5, 9],
      [1, 100],
      [2, 218],
      [2, 1],
    ] as const;
    expect(toldBy(node, days)).toEqual([false, false, true, false, true, false, true]);
  });

  it('is, where several rules tell of the same amounts, the largest of theirs, of each server instance', () => {
    const body = noSums();
    const node = { ...NODE, learnDays: 1, unlearnedAtLeast: 100, isSame: true };
    const add = (child: number, instance: string, value: number) => {
      const entry: Entry = { f: 1, l: 1, r: ['record'], n: 1, p: [], i: [instance] };
      const isTold = addToSum(body, entry, { value, child }, node, true) !== null;
      return [body.windows[0]?.sum, isTold];
    };
    expect(add(0, 'SQL01', 30)).toEqual([30, false]);
    expect(add(1, 'SQL01', 20)).toEqual([30, false]);
    expect(add(1, 'SQL01', 20)).toEqual([40, false]);
    expect(add(1, 'SQL02', 50)).toEqual([90, false]);
    expect(add(0, 'SQL01', 19)).toEqual([99, false]);
    expect(add(0, 'SQL01', 1)).toEqual([100, true]);
  });

  it('keeps the amounts of twenty server instances apart, and those of the others together', () => {
    const body = noSums();
    for (let i = 0; i < 100; i++) {
      const entry: Entry = { f: 1, l: 1, r: ['record'], n: 1, p: [], i: [`SQL${i}`] };
      addToSum(body, entry, { value: 1, child: i % 2 }, { ...NODE, isSame: true }, true);
    }
    expect(Object.keys(body.windows[0]?.of ?? {})).toHaveLength(21);
    expect(body.windows[0]?.sum).toBe(60);
  });

  it('is compared with as many days as the rule says, also at its second event', () => {
    expect(told([0, 20], [1, 1], [3, 30], [3, 5])).toEqual([false, false, false, false]);
    expect(told([0, 20], [1, 1], [4, 30])).toEqual([false, false, true]);
  });

  it('is compared with as many days where it came a day late', () => {
    const late = [
      [1, 20],
      [3, 1],
      [5, 1],
      [4, 30],
    ] as const;
    expect(toldBy({ ...NODE, learnDays: 1 }, late)).toEqual([false, false, false, false]);
  });
});

describe('a value that was not seen for days', () => {
  const SOURCE = unseenInLogins('New principal', 'serverPrincipalName');
  /** @param events a day, a login, and the day of arrival if the time of the event cannot be right */
  const foundBy = (
    isReady: boolean,
    ...events: readonly (readonly [day: number, login: string, arrived?: number])[]
  ) => {
    const engine = new Engine(
      1,
      parseRules(SOURCE).map((rule) => ({ rule, version: 1 })),
    );
    engine.isReady = isReady;
    return events.map(
      ([day, serverPrincipalName, arrived], position) =>
        engine.evaluate(
          [
            {
              recordId: `record ${position}`,
              at: 1e15 + day * DAY_US,
              position,
              additional: markOf(arrived),
              fields: { actionId: 'LGIS', serverInstanceName: 'SQL01', serverPrincipalName },
            },
          ],
          0,
        ).length,
    );
  };

  it('is told after more days than that, in a group that has been known for long enough', () => {
    expect(foundBy(true, [0, 'a'], [60, 'a'])).toEqual([0, 0]);
    expect(foundBy(true, [0, 'a'], [61, 'a'])).toEqual([0, 1]);
    expect(foundBy(true, [0, 'a'], [6, 'b'])).toEqual([0, 0]);
    expect(foundBy(true, [0, 'a'], [7, 'b'], [7, 'B'])).toEqual([0, 1, 0]);
  });

  it('is not told before the baselines have been built', () => {
    expect(foundBy(false, [0, 'a'], [7, 'b'])).toEqual([0, 0]);
  });

  it('was seen when it arrived where its time cannot be right', () => {
    expect(foundBy(true, [0, 'a'], [30_000, 'a', 1], [62, 'a'])).toEqual([0, 0, 1]);
    expect(foundBy(true, [0, 'a'], [30_000, 'a', 2], [62, 'a'])).toEqual([0, 0, 0]);
    // The group is not known since then.
    expect(foundBy(true, [-11_000, 'a', 0], [1, 'b'], [7, 'c'])).toEqual([0, 0, 1]);
  });
});

/** What the service adds to an event whose time cannot be right. @param day of its arrival */
const markOf = (day: number | undefined) =>
  day === undefined ? {} : { clock: new Date((1e15 + day * DAY_US) / 1_000).toISOString() };

it('sums are compared by the days of arrival where times of events cannot be right', () => {
  const SOURCE = `title: Rows
name: rows
logsource:
  product: sqlserver
detection:
  s:
    actionId: SL
  condition: s
---
title: Many rows
correlation:
  type: above
  rules: [rows]
  group-by: [serverPrincipalName]
  timespan: 1h
  condition:
    field: additional.responseRows
    gte: 5
  days: 3
  learn-days: 2
  times: 2
`;
  const foundBy = (...events: readonly (readonly [day: number, rows: number, arrived?: number])[]) => {
    const engine = new Engine(
      1,
      parseRules(SOURCE).map((rule) => ({ rule, version: 1 })),
    );
    return events.map(([day, responseRows, arrived], position) => {
      const event = {
        ...{ recordId: `record ${position}`, at: 1e15 + day * DAY_US, position },
        additional: { responseRows, ...markOf(arrived) },
        fields: { actionId: 'SL', serverInstanceName: 'SQL01', serverPrincipalName: 'a' },
      };
      return engine.evaluate([event], 0).length;
    });
  };
  const days = [0, 1, 2].map((day) => [day, 10] as const);
  expect(foundBy(...days, [3, 30])).toEqual([0, 0, 0, 1]);
  // A time in the future makes nobody forget the days before, nor take the place of windows.
  const future = [0, 1, 2].map((n) => [30_000 + n, 1, 2] as const);
  expect(foundBy(...days, ...future, [3, 15], [3, 15])).toEqual([0, 0, 0, 0, 0, 0, 0, 1]);
  // One in the past makes no login known for longer than it is.
  expect(foundBy([2, 10], [-11_000, 1, 2], [3, 50])).toEqual([0, 0, 0]);
  expect(foundBy([2, 10], [-11_000, 30, 4])).toEqual([0, 1]);
});
