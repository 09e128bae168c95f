import fc from 'fast-check';
import {
  consistencyProof,
  inclusionPath,
  isConsistent,
  rootByInclusion,
  rootOf,
} from '../../../src/store/log/evidence/merkle';
import { leafOf, nodesOfLeaves, plainConsistency, plainPath, plainRoot, someLeaves } from './support';

/** Entries and roots with which implementations of transparency logs test themselves. */
const ENTRIES = [
  ...['', '00', '10', '2021', '3031', '40414243', '5051525354555657'],
  '606162636465666768696a6b6c6d6e6f',
];
const ROOTS = [
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];

const sizes = fc.integer({ min: 1, max: 70 });
/** A tree, and two numbers 1 <= a <= b <= its size. */
const trees = sizes.chain((size) =>
  fc
    .tuple(fc.integer({ min: 1, max: size }), fc.integer({ min: 1, max: size }))
    .map(([a, b]) => ({ leaves: someLeaves(size), from: Math.min(a, b), to: Math.max(a, b) })),
);
/** Variants of a proof with one hash changed, removed or added. */
const spoilt = (proof: readonly Buffer[]): Buffer[][] => [
  ...proof.map((_, i) => proof.map((hash, j) => (i === j ? Buffer.from(hash).reverse() : hash))),
  ...proof.map((_, i) => proof.filter((_hash, j) => i !== j)),
  [...proof, Buffer.alloc(32)],
];

describe('a Merkle tree', () => {
  it.each(ROOTS.map((root, size) => [size, root]))('of %i entries has the known root', (size, root) => {
    const leaves = ENTRIES.slice(0, Number(size)).map((entry) => leafOf(Buffer.from(entry, 'hex')));
    expect(rootOf(leaves.length, nodesOfLeaves(leaves)).toString('hex')).toBe(root);
  });

  it('has the roots, paths and proofs that RFC 9162 defines', () => {
    fc.assert(
      fc.property(trees, ({ leaves, from, to }) => {
        const node = nodesOfLeaves(leaves);
        const some = leaves.slice(0, to);
        expect(rootOf(to, node)).toEqual(plainRoot(some));
        expect(inclusionPath(from - 1, to, node)).toEqual(plainPath(from - 1, some));
        expect(consistencyProof(from, to, node)).toEqual(plainConsistency(from, some));
      }),
    );
  });

  it('proves that a leaf is in it at its place, and at no other place and by no other path', () => {
    fc.assert(
      fc.property(trees, ({ leaves, from, to }) => {
        const index = from - 1;
        const some = leaves.slice(0, to);
        const [leaf, root, path] = [some[index] ?? Buffer.of(), plainRoot(some), plainPath(index, some)];
        expect(rootByInclusion(leaf, index, to, path)).toEqual(root);
        expect(rootByInclusion(Buffer.alloc(32), index, to, path)).not.toEqual(root);
        for (const other of spoilt(path)) expect(rootByInclusion(leaf, index, to, other)).not.toEqual(root);
        for (let place = 0; place <= to; place++)
          if (place !== index) expect(rootByInclusion(leaf, place, to, path)).not.toEqual(root);
      }),
    );
  });

  it('proves that it extends an older tree, and no other tree', () => {
    fc.assert(
      fc.property(trees, ({ leaves, from, to }) => {
        const [older, newer] = [leaves.slice(0, from), leaves.slice(0, to)];
        const [old, now] = [
          { size: from, root: plainRoot(older) },
          { size: to, root: plainRoot(newer) },
        ];
        const proof = plainConsistency(from, newer);
        expect(isConsistent(old, now, proof)).toBe(true);
        for (const other of spoilt(proof)) expect(isConsistent(old, now, other)).toBe(false);
        const changed = older.with(from - 1, Buffer.alloc(32));
        expect(isConsistent({ ...old, root: plainRoot(changed) }, now, proof)).toBe(false);
        expect(
          isConsistent(old, { ...now, root: plainRoot([...changed, ...leaves.slice(from, to)]) }, proof),
        ).toBe(false);
        expect(isConsistent({ ...old, size: to + 1 }, now, proof)).toBe(false);
      }),
    );
  });
});
