import fc from 'fast-check';
import { consistencyProof, inclusionPath, rootOf } from '../../../src/store/log/evidence/merkle';
import {
  edgeOf,
  GrowingTree,
  MissingNode,
  nodesOf,
  type Tile,
  type TileId,
  tilesFor,
} from '../../../src/store/log/evidence/tiles';
import { plainConsistency, plainPath, plainRoot, someLeaves } from './support';

/** Tiles as a table would keep them. */
class Shelf {
  readonly #tiles = new Map<string, Tile>();
  put(tiles: readonly Tile[]): void {
    for (const tile of tiles) this.#tiles.set(`${tile.level}/${tile.tile}`, tile);
  }
  get(ids: readonly TileId[]): Tile[] {
    return ids.flatMap(({ level, tile }) => this.#tiles.get(`${level}/${tile}`) ?? []);
  }
}
const idOf = (i: number) => Buffer.from(i.toString(16).padStart(32, '0'), 'hex');

/** A log that grew in pieces of these sizes. */
function grow(pieces: readonly number[]): { shelf: Shelf; leaves: Buffer[] } {
  const leaves = someLeaves(pieces.reduce((sum, n) => sum + n, 0));
  const shelf = new Shelf();
  let size = 0;
  for (const piece of pieces) {
    const tree = new GrowingTree(size, shelf.get(edgeOf(size)));
    for (let i = 0; i < piece; i++) tree.append(idOf(size + i), leaves[size + i] ?? Buffer.of());
    size += piece;
    expect(tree.size).toBe(size);
    expect(tree.root()).toEqual(plainRoot(leaves.slice(0, size)));
    shelf.put(tree.changed());
  }
  return { shelf, leaves };
}

describe('a log in tiles', () => {
  it('grows by pieces of any size, and gives every proof from few tiles', () => {
    const pieces = fc.array(fc.constantFrom(0, 1, 2, 3, 200, 255, 256, 257, 700), {
      minLength: 1,
      maxLength: 5,
    });
    fc.assert(
      fc.property(pieces, fc.nat(), fc.nat(), (of, a, b) => {
        const { shelf, leaves } = grow(of);
        if (leaves.length === 0) return;
        const to = 1 + (a % leaves.length);
        const from = 1 + (b % to);
        const some = leaves.slice(0, to);
        const path = (node: Parameters<typeof rootOf>[1]) => inclusionPath(from - 1, to, node);
        const proof = (node: Parameters<typeof rootOf>[1]) => consistencyProof(from, to, node);
        expect(tilesFor(path).length).toBeLessThanOrEqual(4);
        expect(path(nodesOf(shelf.get(tilesFor(path))))).toEqual(plainPath(from - 1, some));
        expect(proof(nodesOf(shelf.get(tilesFor(proof))))).toEqual(plainConsistency(from, some));
        expect(rootOf(to, nodesOf(shelf.get(tilesFor((node) => rootOf(to, node)))))).toEqual(plainRoot(some));
      }),
      { numRuns: 12 },
    );
  });

  it('is correct on a third level of tiles', () => {
    const { shelf, leaves } = grow([65_530, 10, 300]);
    expect(edgeOf(leaves.length)).toEqual([
      { level: 0, tile: 257 },
      { level: 1, tile: 1 },
      { level: 2, tile: 0 },
    ]);
    const compute = (node: Parameters<typeof rootOf>[1]) => inclusionPath(65_535, leaves.length, node);
    expect(compute(nodesOf(shelf.get(tilesFor(compute))))).toEqual(plainPath(65_535, leaves));
  });

  it('keeps the record ids beside the hashes', () => {
    const { shelf } = grow([300]);
    const [first, second] = shelf.get([
      { level: 0, tile: 0 },
      { level: 0, tile: 1 },
    ]);
    expect(first?.recordIds).toEqual(Buffer.concat(Array.from({ length: 256 }, (_, i) => idOf(i))));
    expect(second?.recordIds).toEqual(Buffer.concat(Array.from({ length: 44 }, (_, i) => idOf(256 + i))));
  });

  it('is not continued if a tile at its edge is missing or has another length', () => {
    const { shelf } = grow([700]);
    const edge = shelf.get(edgeOf(700));
    expect(() => new GrowingTree(700, edge)).not.toThrow();
    expect(() => new GrowingTree(700, edge.slice(1))).toThrow(MissingNode);
    const [leaves, ...others] = edge;
    const cut = { ...leaves, hashes: leaves?.hashes.subarray(32) } as Tile;
    expect(() => new GrowingTree(700, [cut, ...others])).toThrow(MissingNode);
    expect(() => nodesOf([])(0, 0)).toThrow(MissingNode);
  });
});
