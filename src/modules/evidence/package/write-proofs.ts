import { countAtLevel, type ProofLine, placesOfTile } from '../../../package-check/layout';
import { otherHashes } from '../../../package-check/multiproof';
import { HASH_BYTES, hashOfPair, type NodeAt, rangeHash } from '../../../store/log/evidence/merkle';
import { nodesOf, TILE_WIDTH, type Tile, type TileId, tilesFor } from '../../../store/log/evidence/tiles';
import type { PackageRecords } from './places';

/** Reads tiles of a log. */
type ReadTiles = (ids: readonly TileId[]) => Promise<readonly Tile[]>;

/** Tiles that are read by one statement: 8 KB each, and those of level 0 have record ids. */
const TILES_AT_ONCE = 64;

interface Touched {
  readonly tile: number;
  readonly places: number[];
  readonly events: number[];
}

/**
 * Writes the proofs of a package: for each tile with such a place one line, level by level up to the root.
 * @param size entries of the checkpoint @throws MissingNode when the database lacks hashes
 */
export async function* proofLines(
  records: PackageRecords,
  size: number,
  read: ReadTiles,
): AsyncGenerator<string> {
  let touched = touchedBy(records, size);
  const edge = await edgeHashes(size, read);
  for (let level = 0; touched.length > 0; level++) {
    for (let from = 0; from < touched.length; from += TILES_AT_ONCE) {
      const some = touched.slice(from, from + TILES_AT_ONCE);
      const tiles = new Map(
        (await read(some.map(({ tile }) => ({ level, tile })))).map((tile) => [tile.tile, tile]),
      );
      for (const one of some)
        yield `${JSON.stringify(lineOf(level, one, size, tiles.get(one.tile), edge))}\n`;
    }
    if (countAtLevel(size, level + 1) <= 1) return;
    touched = above(touched);
  }
}

function touchedBy(records: PackageRecords, size: number): Touched[] {
  const touched: Touched[] = [];
  for (const event of records.inOrder(size)) {
    const index = records.indexOf(event);
    const tile = Math.floor(index / TILE_WIDTH);
    let last = touched.at(-1);
    if (last?.tile !== tile) {
      last = { tile, places: [], events: [] };
      touched.push(last);
    }
    // One entry proves one event: records of one question differ.
    last.places.push(index % TILE_WIDTH);
    last.events.push(event);
  }
  return touched;
}

function above(touched: readonly Touched[]): Touched[] {
  const next: Touched[] = [];
  for (const { tile } of touched) {
    const parent = Math.floor(tile / TILE_WIDTH);
    let last = next.at(-1);
    if (last?.tile !== parent) {
      last = { tile: parent, places: [], events: [] };
      next.push(last);
    }
    last.places.push(tile % TILE_WIDTH);
  }
  return next;
}

function lineOf(
  level: number,
  { tile, places, events }: Touched,
  size: number,
  stored: Tile | undefined,
  edge: ReadonlyMap<string, Buffer>,
): ProofLine {
  const count = placesOfTile(size, level, tile);
  const hashAt = (place: number): Buffer => {
    // The last hash of a level covers less than the others, unless it is complete: tiles do not have it.
    const last = edge.get(`${level} ${tile * TILE_WIDTH + place}`);
    if (last) return last;
    const hash = stored?.hashes.subarray(place * HASH_BYTES, (place + 1) * HASH_BYTES);
    if (hash?.length !== HASH_BYTES) throw new Error(`a hash of tile ${tile} of level ${level} is missing`);
    return hash;
  };
  const hashOf = (start: number, end: number): Buffer => {
    if (end - start === 1) return hashAt(start);
    const middle = start + 2 ** (Math.ceil(Math.log2(end - start)) - 1);
    return hashOfPair(hashOf(start, middle), hashOf(middle, end));
  };
  const others = base64(otherHashes(count, places, hashOf) as Buffer[]);
  const hash = base64([hashOf(0, count)]);
  if (level > 0) return { level, tile, hash, places, others };
  return { level, tile, hash, places, events, leaves: base64(places.map(hashAt)), others };
}

const base64 = (hashes: readonly Buffer[]): string => Buffer.concat(hashes).toString('base64');

/** The last hash of each level above the leaves, where it covers a tile that is not full. */
async function edgeHashes(size: number, read: ReadTiles): Promise<ReadonlyMap<string, Buffer>> {
  const found = new Map<string, Buffer>();
  for (let level = 1; countAtLevel(size, level - 1) > 1; level++) {
    const width = TILE_WIDTH ** level;
    const start = Math.floor((size - 1) / width) * width;
    if (start + width === size) continue;
    const compute = (node: NodeAt) => rangeHash(start, size, node);
    found.set(`${level} ${start / width}`, compute(nodesOf(await read(tilesFor(compute)))));
  }
  return found;
}
