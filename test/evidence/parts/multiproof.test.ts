import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { otherHashes, rootOfProof } from '../../../src/package-check/multiproof';
import { hashOfPair, inclusionPath, rootByInclusion, rootOf } from '../../../src/store/log/evidence/merkle';

const leafOf = (i: number) => createHash('sha256').update(`leaf ${i}`).digest();
const pair = (left: Uint8Array, right: Uint8Array) => hashOfPair(Buffer.from(left), Buffer.from(right));

function hashOf(start: number, end: number): Buffer {
  if (end - start === 1) return leafOf(start);
  const middle = start + 2 ** (Math.ceil(Math.log2(end - start)) - 1);
  return hashOfPair(hashOf(start, middle), hashOf(middle, end));
}
const nodeAt = (height: number, index: number): Buffer =>
  height === 0 ? leafOf(index) : hashOfPair(nodeAt(height - 1, 2 * index), nodeAt(height - 1, 2 * index + 1));

const trees = fc
  .integer({ min: 1, max: 70 })
  .chain((count) =>
    fc.tuple(
      fc.constant(count),
      fc.uniqueArray(fc.integer({ min: 0, max: count - 1 }), { minLength: 1, maxLength: count }),
    ),
  )
  .map(([count, places]) => ({ count, places: places.sort((a, b) => a - b) }));

describe('one proof for several leaves', () => {
  it('leads to the root of RFC 9162', () =>
    fc.assert(
      fc.property(trees, ({ count, places }) => {
        const others = otherHashes(count, places, hashOf);
        const root = rootOfProof(count, places, places.map(leafOf), others, pair);
        expect(Buffer.from(root ?? []).toString('hex')).toBe(rootOf(count, nodeAt).toString('hex'));
      }),
      { numRuns: 200 },
    ));

  it('is for one leaf as long as its inclusion proof, and as good', () => {
    for (const count of [1, 2, 3, 7, 8, 9, 64, 65])
      for (let place = 0; place < count; place++) {
        const others = otherHashes(count, [place], hashOf);
        const path = inclusionPath(place, count, nodeAt);
        expect(others.map(String).sort()).toEqual(path.map(String).sort());
        expect(rootByInclusion(leafOf(place), place, count, path)).toEqual(
          rootOfProof(count, [place], [leafOf(place)], others, pair),
        );
      }
  });

  it('leads nowhere with another leaf, another place, or a hash too many or too few', () =>
    fc.assert(
      fc.property(trees, fc.nat(), ({ count, places }, n) => {
        const others = otherHashes(count, places, hashOf);
        const root = rootOf(count, nodeAt).toString('hex');
        const at = n % places.length;
        const found = (
          changed: Partial<{ places: number[]; leaves: Buffer[]; others: Uint8Array[] }>,
        ): string => {
          const of = { places, leaves: places.map(leafOf), others, ...changed };
          return Buffer.from(rootOfProof(count, of.places, of.leaves, of.others, pair) ?? []).toString('hex');
        };
        expect(found({ leaves: places.map((place, i) => leafOf(i === at ? place + 100 : place)) })).not.toBe(
          root,
        );
        expect(found({ others: [...others, leafOf(1)] })).toBe('');
        expect(found({ others: others.slice(1) })).toBe(others.length === 0 ? root : '');
        expect(found({ places: [...places].reverse() })).toBe(places.length === 1 ? root : '');
        expect(found({ places: places.map((place) => place + count) })).toBe('');
      }),
      { numRuns: 200 },
    ));
});
