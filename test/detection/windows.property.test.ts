import fc from 'fast-check';
import { GroupStore } from '../../src/rules/group-store';
import type { Entry } from '../../src/rules/hit';
import { type Stretch, Stretches } from '../../src/rules/stretches';
import { countHit, countValue, type Hits, noParts, type Parts, together } from '../../src/rules/windows';

const WITHIN = 60;
const AT_LEAST = 30;

type Seen = Pick<Entry, 'v' | 'l'>;

const entryOf = (record: string, at: number): Entry => ({ f: at, l: at, r: [record], n: 1, p: [], i: [] });

/** The stretches of one group. */
function stretchesOf<Body extends Stretch>(empty: () => Omit<Body, 'a'>, isEmpty: (body: Body) => boolean) {
  const store = new GroupStore<Body>('node', 1_000, () => 1, { size: 0, changed: [] });
  const moment = { newest: 0, position: 0 };
  const stretches = new Stretches<Body>(store, { within: WITHIN, moment, empty, isEmpty });
  return {
    around: (at: number) => stretches.around('', {}, at),
    taken: (at: number) => stretches.taken('', {}, at),
    bodies: () => [...store.all()].map(({ body }) => body),
  };
}
const hitStretches = () =>
  stretchesOf<Hits>(
    () => ({ entries: [] }),
    ({ entries }) => entries.length === 0,
  );

/** Looks through all windows at each hit. */
class PlainWindow {
  seen: Seen[] = [];

  count(hit: Seen): boolean {
    this.seen = [...this.seen, hit].sort((a, b) => a.l - b.l);
    const ends = this.seen.map(({ l }) => l).filter((l) => l >= hit.l && l - hit.l <= WITHIN);
    for (const end of ends.reverse()) {
      const inside = this.seen.filter(({ l }) => l <= end && l >= end - WITHIN);
      const used = hit.v === undefined ? inside.slice(-AT_LEAST) : inside;
      const values = hit.v === undefined ? used : [...new Set(used.map(({ v }) => v))];
      if (!used.includes(hit) || values.length < AT_LEAST) continue;
      this.seen = this.seen.filter((one) => !used.includes(one));
      return true;
    }
    return false;
  }
}

it.each([
  ['distinct values', countValue],
  ['hits', countHit],
] as const)('counts %s like a plain window, however late they come', (what, count) => {
  let longest = 0;
  let found = 0;
  fc.assert(
    fc.property(
      fc.array(
        // Time goes on by a little, rarely by much, and a hit may be late by several windows.
        fc.record({
          on: fc.oneof(
            { weight: 20, arbitrary: fc.nat(3) },
            { weight: 1, arbitrary: fc.integer({ min: 30, max: 40 }) },
          ),
          late: fc.oneof({ weight: 3, arbitrary: fc.nat(20) }, { weight: 1, arbitrary: fc.nat(4 * WITHIN) }),
          v: fc.nat(60),
        }),
        { minLength: 50, maxLength: 400 },
      ),
      (hits) => {
        let [stretches, plain] = [hitStretches(), new PlainWindow()];
        let time = 1_000;
        for (const [i, { on, late, v }] of hits.entries()) {
          time += on;
          const value = what === 'hits' ? {} : { v: `value ${v}` };
          const hit: Entry = { ...entryOf(`record ${i}`, time - late), ...value };
          const around = stretches.around(hit.l);
          const whole = count(around, hit, { within: WITHIN, atLeast: AT_LEAST, isKept: false });
          expect(whole.length > 0).toBe(plain.count(hit));
          longest = Math.max(longest, ...stretches.bodies().map(({ entries }) => entries.length));
          if (whole.length === 0) continue;
          found++;
          stretches.taken(hit.l);
          // Hits between two of their value are not kept, so what is left over may differ.
          if (what !== 'hits') [stretches, plain] = [hitStretches(), new PlainWindow()];
        }
      },
    ),
  );
  expect(longest).toBeGreaterThan(20);
  expect(found).toBeGreaterThan(0);
});

/** More than the windows that are reported at once. */
const KEPT = 12;
const WHOLE_MAX = 8;

it.each([
  ['distinct values', countValue],
  ['hits', countHit],
] as const)(
  'keeps %s of whole windows for the node above, and reports windows of a late hit',
  (what, count) => {
    let [found, most] = [0, 0];
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            on: fc.nat(1),
            late: fc.oneof({ weight: 3, arbitrary: fc.nat(5) }, { weight: 1, arbitrary: fc.nat(4 * WITHIN) }),
            v: fc.nat(60),
          }),
          { minLength: 50, maxLength: 200 },
        ),
        (hits) => {
          const stretches = hitStretches();
          const seen: Entry[] = [];
          let time = 1_000;
          for (const [i, { on, late, v }] of hits.entries()) {
            time += on;
            const value = what === 'hits' ? {} : { v: `value ${v}` };
            const hit: Entry = { ...entryOf(`record ${i}`, time - late), ...value };
            const how = { within: WITHIN, atLeast: KEPT, isKept: true };
            const whole = count(stretches.around(hit.l), hit, how);
            let at = seen.length;
            while (at > 0 && (seen[at - 1] as Entry).l > hit.l) at -= 1;
            seen.splice(at, 0, hit);
            const isWhole = seen.slice(at).some((end, after) => {
              const inside = seen.slice(0, at + after + 1).filter(({ l }) => end.l - l <= WITHIN);
              if (!inside.includes(hit)) return false;
              if (what === 'hits') return after < KEPT && inside.length >= KEPT;
              return new Set(inside.map((one) => one.v)).size >= KEPT;
            });
            const isSound = whole.every(
              ({ f, l, n, r }, place) =>
                l - f <= WITHIN &&
                l >= (whole[place - 1]?.l ?? 0) &&
                (what === 'hits' ? n === KEPT && r.includes(`record ${i}`) : n >= KEPT),
            );
            expect([whole.length > 0, isSound, whole.length <= WHOLE_MAX]).toEqual([isWhole, true, true]);
            if (isWhole) found++;
            most = Math.max(most, whole.length);
          }
        },
      ),
      { numRuns: 20 },
    );
    expect([found > 0, most]).toEqual([true, WHOLE_MAX]);
  },
);

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
      const stretches = stretchesOf<Parts>(
        () => ({ parts: noParts(CHILDREN) }),
        ({ parts }) => parts.flat().length === 0,
      );
      let kept: ChildHit[] = [];
      for (const hit of hits) {
        kept.push(hit);
        const how = { within: WITHIN, isOrdered, atLeast, isKept: false };
        const whole = together(stretches.around(hit.entry.l), hit.child, hit.entry, how);
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
        const left = stretches.bodies().flatMap(({ parts }) => parts);
        stretches.taken(hit.entry.l);
        // Hits that the finding did not use stay.
        const used = kept.filter(({ entry }) => whole.r.includes(entry.r[0] as string));
        expect(kept.length - left.flat().length).toBeGreaterThanOrEqual(atLeast);
        expect(kept.length - left.flat().length).toBeLessThanOrEqual(used.length);
        kept = kept.filter(({ child, entry }) =>
          stretches.bodies().some(({ parts }) => parts[child]?.some((one) => one.r[0] === entry.r[0])),
        );
        found++;
      }
    }),
    { numRuns: 300 },
  );
  expect(found).toBeGreaterThan(20);
});
