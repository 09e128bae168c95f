import fc from 'fast-check';
import type { Entry } from '../../src/rules/hit';
import { countHit, countValue, noLanes, noParts, together } from '../../src/rules/windows';

const WITHIN = 60;
const AT_LEAST = 30;

type Seen = Pick<Entry, 'v' | 'l'>;

const entryOf = (record: string, at: number): Entry => ({ f: at, l: at, r: [record], n: 1, p: [], i: [] });

/** Counts distinct values by looking through all of them at each hit. */
class PlainWindow {
  seen: Seen[] = [];
  #max = 0;

  count(hit: Seen): boolean {
    this.#max = Math.max(this.#max, hit.l);
    const same = hit.v === undefined ? undefined : this.seen.find(({ v }) => v === hit.v);
    if (same && same.l > hit.l) return false;
    this.seen = [...this.seen.filter((one) => one !== same), hit].filter(({ l }) => l >= this.#max - WITHIN);
    if (this.seen.length < AT_LEAST) return false;
    this.seen = [];
    return true;
  }
}

const byValue = (seen: readonly Seen[]) => seen.map(({ v, l }) => `${v} ${l}`).sort();

it.each([
  ['distinct values', countValue],
  ['hits', countHit],
] as const)('counts %s like a plain window, while the window grows and shrinks', (what, count) => {
  let longest = 0;
  let found = 0;
  fc.assert(
    fc.property(
      fc.array(
        // Time goes on by a little, rarely by much, and a hit may be late by less than the window.
        fc.record({
          on: fc.oneof(
            { weight: 20, arbitrary: fc.nat(3) },
            { weight: 1, arbitrary: fc.integer({ min: 30, max: 40 }) },
          ),
          late: fc.nat(20),
          v: fc.nat(60),
        }),
        { minLength: 50, maxLength: 400 },
      ),
      (hits) => {
        const [body, plain] = [noLanes(), new PlainWindow()];
        let time = 1_000;
        for (const { on, late, v } of hits) {
          time += on;
          const value = what === 'hits' ? {} : { v: `value ${v}` };
          const hit: Entry = { ...entryOf('record', time - late), ...value };
          const whole = count(body, hit, WITHIN, AT_LEAST);
          expect(whole !== null).toBe(plain.count(hit));
          const kept = body.lanes.flatMap(({ entries }) => entries);
          expect(byValue(kept)).toEqual(byValue(plain.seen));
          longest = Math.max(longest, kept.length);
          if (whole) found++;
        }
      },
    ),
  );
  expect(longest).toBeGreaterThan(20);
  expect(found).toBeGreaterThan(0);
});

const CHILDREN = 3;
/** Hits of several rules. An event that matches several of them is a hit of each, one after the other. */
const hitsOf = fc
  .uniqueArray(
    fc.record({ at: fc.nat(200), rules: fc.uniqueArray(fc.nat(CHILDREN - 1), { minLength: 1 }) }),
    {
      selector: ({ at }) => at,
      maxLength: 6,
    },
  )
  .map((events) =>
    events.flatMap(({ at, rules }) =>
      rules.sort().map((child) => ({ child, entry: entryOf(`at ${at}`, at) })),
    ),
  );
type ChildHit = { readonly child: number; readonly entry: Entry };

/** Every choice of one hit or none of each rule. */
const choices = (hits: readonly ChildHit[]): ChildHit[][] =>
  Array.from({ length: CHILDREN }, (_, i) => hits.filter(({ child }) => child === i)).reduce<ChildHit[][]>(
    (all, own) => all.flatMap((some) => [some, ...own.map((one) => [...some, one])]),
    [[]],
  );
const spanOf = (hits: readonly ChildHit[]) => {
  const times = hits.map(({ entry }) => entry.l);
  return Math.max(...times) - Math.min(...times);
};
const inOrder = (hits: readonly ChildHit[]) =>
  hits.every(({ entry }, i) => i === 0 || entry.l > (hits[i - 1] as ChildHit).entry.l);

it.each([
  ['all rules in their order, each by an event of its own', true, CHILDREN],
  ['all rules in any order', false, CHILDREN],
  ['two rules in any order', false, 2],
])('combines hits within a time when there are such of %s', (_, isOrdered, atLeast) => {
  let found = 0;
  fc.assert(
    fc.property(hitsOf, (hits) => {
      const body = noParts(CHILDREN);
      let kept: ChildHit[] = [];
      for (const hit of hits) {
        kept.push(hit);
        const whole = together(body, hit.child, hit.entry, { within: WITHIN, isOrdered, atLeast });
        const isWhole = choices(kept).some(
          (some) =>
            some.includes(hit) &&
            some.length >= atLeast &&
            spanOf(some) <= WITHIN &&
            (!isOrdered || inOrder(some)),
        );
        expect([hit, whole !== null]).toEqual([hit, isWhole]);
        if (!whole) continue;
        expect(whole.l - whole.f).toBeLessThanOrEqual(WITHIN);
        expect(whole.n).toBe(whole.r.length);
        kept = [];
        found++;
      }
    }),
    { numRuns: 300 },
  );
  expect(found).toBeGreaterThan(20);
});
