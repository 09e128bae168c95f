import fc from 'fast-check';
import type { Entry } from '../../src/detection/hit';
import { countValue, noLanes } from '../../src/detection/windows';

const WITHIN = 60;
const AT_LEAST = 30;

type Seen = Pick<Entry, 'v' | 'l'>;

/** Counts distinct values by looking through all of them at each hit. */
class PlainWindow {
  seen: Seen[] = [];
  #max = 0;

  count(hit: Seen): boolean {
    this.#max = Math.max(this.#max, hit.l);
    const same = this.seen.find(({ v }) => v === hit.v);
    if (same && same.l > hit.l) return false;
    this.seen = [...this.seen.filter((one) => one !== same), hit].filter(({ l }) => l >= this.#max - WITHIN);
    if (this.seen.length < AT_LEAST) return false;
    this.seen = [];
    return true;
  }
}

const byValue = (seen: readonly Seen[]) => seen.map(({ v, l }) => `${v} ${l}`).sort();

it('counts distinct values like a plain window, while the window grows and shrinks', () => {
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
          const at = time - late;
          const hit: Entry = { f: at, l: at, r: ['record'], n: 1, p: [], i: [], v: `value ${v}` };
          const whole = countValue(body, hit, WITHIN, AT_LEAST);
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
