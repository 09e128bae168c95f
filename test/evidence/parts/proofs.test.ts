import { checkProofs, proofsToAsk } from '../../../src/modules/evidence/verify/proofs';
import { consistencyProof, HASH_BYTES, type NodeAt, rootOf } from '../../../src/store/log/evidence/merkle';
import { GrowingTree, nodesOf, type Tile } from '../../../src/store/log/evidence/tiles';
import { anEventInFull, logOf } from './log-copies';
import { someLeaves } from './support';

/** The hashes of upper levels that proofs are made of, each as `level/index`. */
function touched(size: number): Set<string> {
  const found = new Set<string>();
  const note: NodeAt = (height, index) => {
    const level = Math.floor(height / 8);
    const count = 2 ** (height % 8);
    for (let i = 0; level > 0 && i < count; i++) found.add(`${level}/${index * count + i}`);
    return Buffer.alloc(HASH_BYTES);
  };
  for (const from of proofsToAsk(size)) consistencyProof(from, size, note);
  // The service compares the root with the one of the log's head, when it is asked about the whole log.
  rootOf(size, note);
  return found;
}

function hashesAbove(size: number): string[] {
  const found: string[] = [];
  for (let level = 1; size >= 256 ** level; level++)
    for (let i = 0; i < Math.floor(size / 256 ** level); i++) found.push(`${level}/${i}`);
  return found;
}

describe('the proofs that a verifier asks for', () => {
  it.each([
    256,
    257,
    300,
    512,
    800,
    65_535,
    65_536,
    65_537,
    65_792,
    65_793,
    131_072,
    200_000,
    16_777_217 + 65_536 * 3,
  ])('take in every hash above the entries of a log of %i', (size) => {
    const all = touched(size);
    expect(hashesAbove(size).filter((hash) => !all.has(hash))).toEqual([]);
  });

  it('are none where there is nothing above the entries, and few else', () => {
    expect([proofsToAsk(0), proofsToAsk(1), proofsToAsk(255)]).toEqual([[], [], []]);
    expect(proofsToAsk(300)).toEqual([1, 257]);
    expect(proofsToAsk(65_537)).toEqual([1, 257]);
    expect(proofsToAsk(10_000_000).length).toBe(306);
  });

  it('fit the entries, and show each hash of an upper level that was changed', () => {
    const leaves = someLeaves(66_100);
    const tree = new GrowingTree(0, []);
    for (const leaf of leaves) tree.append(Buffer.alloc(16), leaf);
    const tiles = tree.changed();
    const log = logOf([anEventInFull(1)], []);
    const checked = (of: readonly Tile[]) => {
      const to = leaves.length;
      const proofs = proofsToAsk(to).map((from) => ({
        from,
        to,
        hashes: consistencyProof(from, to, nodesOf(of)).map((hash) => hash.toString('base64')),
      }));
      return checkProofs({ ...log, proofs, leafHashes: Buffer.concat(leaves) });
    };
    expect(checked(tiles)).toEqual([]);
    for (const [level, index] of [
      [1, 0],
      [1, 1],
      [1, 130],
      [1, 255],
      [1, 256],
      [2, 0],
    ] as const) {
      const forged = tiles.map((tile) => {
        if (tile.level !== level || tile.tile !== Math.floor(index / 256)) return tile;
        const hashes = Buffer.from(tile.hashes);
        const at = (index % 256) * HASH_BYTES;
        hashes[at] = 1 ^ (hashes[at] ?? 0);
        return { ...tile, hashes };
      });
      expect(checked(forged)).toEqual([expect.stringContaining('a hash of an upper level')]);
    }
  });

  it('are wrong where the service cannot make one, and where one is of other sizes than the entries', () => {
    const log = logOf(
      [1, 2, 3].map((n) => anEventInFull(n)),
      [3],
    );
    const hashes = null;
    expect(checkProofs({ ...log, proofs: [{ from: 1, to: 3, hashes }] })).toHaveLength(1);
    expect(checkProofs({ ...log, proofs: [{ from: 2, to: 9, hashes: [] }] })).toHaveLength(1);
    expect(checkProofs({ ...log, proofs: [{ from: 3, to: 3, hashes: [] }] })).toEqual([]);
  });
});
