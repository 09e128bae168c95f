import { type EngineSize, GroupStore } from '../../src/rules/group-store';
import { type Entry, merged, RECORD_IDS_MAX } from '../../src/rules/hit';
import { isOver } from '../../src/rules/stretches';
import { countHit, countValue, type Hits, noParts, type Parts, together } from '../../src/rules/windows';

const entryOf = (record: string, at: number): Entry => ({ f: at, l: at, r: [record], n: 1, p: [], i: [] });

it('a node with too many groups forgets those touched longest ago', () => {
  const tally: EngineSize = { size: 0, changed: [] };
  const store = new GroupStore<{ n: number }>('node', 2, ({ n }) => n, tally);
  const touch = (key: string, position: number) => {
    store.touch(key, {}, position, () => ({ n: 3 }));
    store.measure();
  };
  for (const [position, key] of ['a', 'b', 'a', 'c'].entries()) touch(key, position);
  expect([...store.all()].map(({ key, touched }) => [key, touched])).toEqual([
    ['a', 2],
    ['c', 3],
  ]);
  expect([store.size, tally.size]).toEqual([6, 6]);
  expect(store.takeChanges().map(({ key, body }) => [key, body !== null])).toEqual([
    ['a', true],
    ['b', false],
    ['c', true],
  ]);
  expect(store.takeChanges()).toEqual([]);
});

it('a stretch is over when its time and a day have passed since it was touched, by the times of events', () => {
  const [touched, within, day] = [1e15, 600e6, 86_400e6];
  const isOverAt = (newest: number, a = touched) => isOver({ a }, within, newest);
  expect([isOverAt(touched + within + day), isOverAt(touched + within + day + 1)]).toEqual([false, true]);
  // What an older build stored has no such time.
  expect(isOverAt(2 * touched, 0)).toBe(false);
});

it('a finding lists the first records of its events, and counts the others', () => {
  const count = RECORD_IDS_MAX + 5;
  const whole = merged(Array.from({ length: count }, (_, i) => entryOf(`record ${i}`, i)));
  expect([whole.n, whole.r.length, whole.r[0], whole.r.at(-1)]).toEqual([
    ...[count, RECORD_IDS_MAX, 'record 0', `record ${RECORD_IDS_MAX - 1}`],
  ]);
});

it('a hit between two bursts belongs to the later one', () => {
  const how = { within: 60, atLeast: 2, isKept: false };
  for (const times of [
    [100, 170],
    [170, 100],
  ]) {
    const own: Hits = { a: 0, entries: [] };
    const count = (record: string, at: number) =>
      countHit({ before: undefined, own, after: undefined }, entryOf(record, at), how);
    for (const at of times) expect(count(`at ${at}`, at)).toEqual([]);
    expect(count('between', 135).map(({ r }) => r)).toEqual([['between', 'at 170']]);
  }
});

it('a value between two windows that it makes whole belongs to the later one', () => {
  const how = { within: 10, atLeast: 3, isKept: false };
  const own: Hits = { a: 0, entries: [] };
  const count = (v: string, at: number) =>
    countValue({ before: undefined, own, after: undefined }, { ...entryOf(v, at), v }, how);
  for (const [v, at] of [
    ['b', 0],
    ['c', 3],
    ['d', 12],
  ] as const)
    expect(count(v, at)).toEqual([]);
  expect(count('a', 5).map(({ r }) => r)).toEqual([['c', 'a', 'd']]);
  expect(own.entries.map(({ v }) => v)).toEqual(['b']);
});

it('a late hit goes together with the first of many hits of another rule, and with the last', () => {
  for (const [late, isWhole] of [
    [-61, false],
    [-60, true],
    [99, true],
    [100, false],
  ] as const) {
    const own: Parts = { a: 0, parts: noParts(2) };
    const add = (child: number, at: number) =>
      together({ before: undefined, own, after: undefined }, child, entryOf(`${child} at ${at}`, at), {
        ...{ within: 60, isOrdered: false, atLeast: 2, isKept: true },
      });
    for (let at = 0; at < 40; at++) expect(add(0, at)).toBeNull();
    expect([late, add(1, late) !== null]).toEqual([late, isWhole]);
  }
});
