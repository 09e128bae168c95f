import { ID_BYTES } from '../../../event/record-id';
import { HASH_BYTES, type NodeAt, rootOf, rootOfHashes } from './merkle';

/**
 * The tree in pieces of 256 hashes. A tile of level 0 holds leaf hashes and their record ids. A tile of level n holds
 * the roots of 256 whole tiles below it. Only the last tile of each level can be incomplete.
 */
export const TILE_WIDTH = 256;
const TILE_HEIGHT = 8;

export interface TileId {
  readonly level: number;
  /** 0-based, within its level. */
  readonly tile: number;
}
export interface Tile extends TileId {
  /** 32 bytes each. */
  readonly hashes: Buffer;
  /** 16 bytes each in level 0; empty in other levels. */
  readonly recordIds: Buffer;
}

const keyOf = ({ level, tile }: TileId) => `${level}/${tile}`;
const countAt = (level: number, size: number) => Math.floor(size / TILE_WIDTH ** level);

/** The incomplete tiles of a tree: enough to append to it and to compute its root. */
export function edgeOf(size: number): TileId[] {
  const edge: TileId[] = [];
  for (let level = 0; countAt(level, size) > 0; level++) {
    const count = countAt(level, size);
    if (count % TILE_WIDTH > 0) edge.push({ level, tile: Math.floor(count / TILE_WIDTH) });
  }
  return edge;
}

/** Nodes of a tree, read from its tiles. @throws MissingNode when the tiles do not hold one */
export function nodesOf(tiles: readonly Tile[]): NodeAt {
  const byKey = new Map(tiles.map((tile) => [keyOf(tile), tile]));
  return (height, index) => {
    const { id, first, count } = placeOf(height, index);
    const hashes = byKey.get(keyOf(id))?.hashes;
    if (!hashes || hashes.length < (first + count) * HASH_BYTES) throw new MissingNode(id);
    return rootOfHashes(hashes.subarray(first * HASH_BYTES, (first + count) * HASH_BYTES));
  };
}

/** The log lacks hashes that it must hold, so it was changed. */
export class MissingNode extends Error {
  override readonly name = 'MissingNode';
  constructor({ level, tile }: TileId) {
    super(`the log has no hashes where tile ${tile} of level ${level} should have them`);
  }
}

/** The tiles that a computation needs. The computation is run once with empty hashes to find them. */
export function tilesFor(compute: (node: NodeAt) => unknown): TileId[] {
  const ids = new Map<string, TileId>();
  const nothing = Buffer.alloc(HASH_BYTES);
  compute((height, index) => {
    const { id } = placeOf(height, index);
    ids.set(keyOf(id), id);
    return nothing;
  });
  return [...ids.values()];
}

function placeOf(height: number, index: number): { id: TileId; first: number; count: number } {
  const level = Math.floor(height / TILE_HEIGHT);
  const count = 2 ** (height % TILE_HEIGHT);
  const first = index * count;
  return { id: { level, tile: Math.floor(first / TILE_WIDTH) }, first: first % TILE_WIDTH, count };
}

interface OpenTile extends TileId {
  readonly hashes: Buffer;
  readonly recordIds: Buffer;
  count: number;
  isChanged: boolean;
}

/** A tree while entries are added to it: its edge, and the tiles that changed. */
export class GrowingTree {
  /** The incomplete tile of each level. */
  readonly #open: OpenTile[] = [];
  readonly #complete: OpenTile[] = [];

  /** @param edge the tiles of `edgeOf(size)` @throws MissingNode when they do not fit the size */
  constructor(
    public size: number,
    edge: readonly Tile[],
  ) {
    const byKey = new Map(edge.map((tile) => [keyOf(tile), tile]));
    for (const id of edgeOf(size)) {
      const stored = byKey.get(keyOf(id));
      const count = countAt(id.level, size) % TILE_WIDTH;
      if (stored?.hashes.length !== count * HASH_BYTES) throw new MissingNode(id);
      const open = newTile(id);
      stored.hashes.copy(open.hashes);
      stored.recordIds.copy(open.recordIds);
      this.#open[id.level] = Object.assign(open, { count });
    }
  }

  /** @param recordId 16 bytes @param leaf 32 bytes */
  append(recordId: Buffer, leaf: Buffer): void {
    const open = this.#openAt(0);
    recordId.copy(open.recordIds, open.count * ID_BYTES);
    this.#add(open, leaf);
    this.size += 1;
  }

  root(): Buffer {
    return rootOf(this.size, nodesOf(this.#open.filter((tile) => tile !== undefined).map(toTile)));
  }

  /** Tiles that were added or changed. */
  changed(): Tile[] {
    return [...this.#complete, ...this.#open.filter((tile) => tile?.isChanged)].map(toTile);
  }

  #add(open: OpenTile, hashOfNode: Buffer): void {
    hashOfNode.copy(open.hashes, open.count * HASH_BYTES);
    open.count += 1;
    open.isChanged = true;
    if (open.count < TILE_WIDTH) return;
    this.#complete.push(open);
    delete this.#open[open.level];
    this.#add(this.#openAt(open.level + 1), rootOfHashes(open.hashes));
  }

  #openAt(level: number): OpenTile {
    const tile = Math.floor(countAt(level, this.size) / TILE_WIDTH);
    this.#open[level] ??= newTile({ level, tile });
    return this.#open[level];
  }
}

const newTile = ({ level, tile }: TileId): OpenTile => ({
  level,
  tile,
  count: 0,
  isChanged: false,
  hashes: Buffer.alloc(TILE_WIDTH * HASH_BYTES),
  recordIds: Buffer.alloc(level === 0 ? TILE_WIDTH * ID_BYTES : 0),
});

const toTile = ({ level, tile, count, hashes, recordIds }: OpenTile): Tile => ({
  level,
  tile,
  hashes: hashes.subarray(0, count * HASH_BYTES),
  recordIds: level === 0 ? recordIds.subarray(0, count * ID_BYTES) : recordIds,
});
