import { tenantSet } from '../../caller/tenant-set';
import { LIMITS } from '../../limits';
import type { ArrivalReader } from '../../trail/arrivals/arrival-reader';
import { idText } from '../../trail/evidence/batch-seal';
import { leafHashOf } from '../../trail/evidence/entry';
import { HASH_BYTES, rootOf, rootOfHashes } from '../../trail/evidence/merkle';
import { ID_BYTES, MissingNode, nodesOf, TILE_WIDTH, type Tile, tilesFor } from '../../trail/evidence/tiles';
import { type Checkpoint, isSignedBy, parseNote } from './checkpoint';
import type { EvidenceStore } from './evidence.store';
import { Removals } from './verify/removals';

/** A stretch of a tenant's log held against the events that are stored. */
interface LogCheck {
  readonly from: number;
  /** Where the next stretch begins; `signed`: there is none. */
  readonly next: number;
  /** Entries that the newest checkpoint signs. */
  readonly signed: number;
  /** Entries of the stretch whose event is there as it was accepted. */
  readonly sound: number;
  /** Entries whose event retention removed. */
  readonly removed: number;
  /** Events that runs of retention removed of the tenant in all: no more entries than these may lack theirs. */
  readonly removedByRetention: number;
  readonly altered: readonly string[];
  readonly missing: readonly string[];
  /** How many records are altered or missing: those named are the first. */
  readonly wrong: number;
  /** Of the log itself, in sentences. */
  readonly problems: readonly string[];
}

type Store = Pick<EvidenceStore, 'states' | 'leafTiles' | 'tiles' | 'removals'>;

/**
 * Verifies a log a stretch at a time: each entry against its event, each tile against the level above, and, in the last
 * stretch, the upper levels against what was signed.
 */
export class LogChecker {
  constructor(
    private readonly store: Store,
    private readonly arrivals: Pick<ArrivalReader, 'read'>,
    private readonly publicKey: string,
  ) {}

  async check(tenantId: number, from: number): Promise<LogCheck> {
    const [state] = await this.store.states(tenantSet([tenantId]));
    const note = state?.checkpoint ?? null;
    const checkpoint = note === null ? null : parseNote(note);
    const signed = checkpoint?.size ?? 0;
    const stretch = await this.#stretch(tenantId, Math.min(from, signed), signed);
    const problems = [...stretch.problems];
    if (note !== null && from === 0 && !isSignedBy(this.publicKey, note))
      problems.push('The newest checkpoint is not signed by the key of this service.');
    if (checkpoint && stretch.next === signed)
      problems.push(...(await this.#upperLevels(tenantId, checkpoint)));
    return { ...stretch, signed, problems };
  }

  async #stretch(tenantId: number, from: number, signed: number): Promise<Omit<LogCheck, 'signed'>> {
    const read = await this.arrivals.read(tenantId, from, { ...LIMITS.evidenceCheckStep, isWhole: true });
    const next = Math.min(Math.max(read.next, from + 1), signed);
    const removals = new Removals(await this.store.removals(tenantId), '');
    const first = Math.floor(from / TILE_WIDTH);
    const tiles = await this.store.leafTiles(tenantId, first, Math.ceil(next / TILE_WIDTH) - first);
    const found = new Map(read.items.map(({ position, event }) => [position, event]));
    const byNumber = new Map(tiles.map((tile) => [tile.tile, tile]));
    const [altered, missing, gone]: [string[], string[], number[]] = [[], [], []];
    let [sound, removed] = [0, 0];
    for (let position = from; position < next; position++) {
      const entry = entryAt(byNumber, position);
      const event = found.get(position);
      if (!entry) gone.push(position);
      else if (event && leafHashOf(event) === entry.hash) sound++;
      else if (event) altered.push(entry.recordId);
      else if (removals.explain(entry.recordId)) removed++;
      else missing.push(entry.recordId);
    }
    const problems = gone.length === 0 ? [] : [goneText(gone)];
    problems.push(...(await this.#wholeTiles(tenantId, tiles, { from, next })));
    const shown = (ids: readonly string[]) => ids.slice(0, LIMITS.evidenceCheckRecordsShown);
    const wrong = altered.length + missing.length;
    return {
      ...{ from, next, sound, removed, removedByRetention: removals.events },
      ...{ altered: shown(altered), missing: shown(missing), wrong, problems },
    };
  }

  /** The whole tiles that end in the stretch, against the level above. */
  async #wholeTiles(
    tenantId: number,
    tiles: readonly Tile[],
    { from, next }: { from: number; next: number },
  ) {
    const ended = tiles.filter(
      ({ tile }) => (tile + 1) * TILE_WIDTH > from && (tile + 1) * TILE_WIDTH <= next,
    );
    const wanted = [...new Set(ended.map(({ tile }) => Math.floor(tile / TILE_WIDTH)))];
    const above = await this.store.tiles(
      tenantId,
      wanted.map((tile) => ({ level: 1, tile })),
    );
    return unlike(ended, above);
  }

  async #upperLevels(tenantId: number, { size, root, number }: Checkpoint): Promise<string[]> {
    const problems: string[] = [];
    for (let level = 1; wholeAt(level, size) > 0; level++) {
      const below = await this.#tiles(tenantId, level, wholeAt(level, size));
      const above = await this.#tiles(tenantId, level + 1, Math.ceil(wholeAt(level, size) / TILE_WIDTH));
      const lost = wholeAt(level, size) - below.length;
      if (lost > 0) problems.push(`${lost} tiles of level ${level} of the log are not there any more.`);
      problems.push(...unlike(below, above));
    }
    const compute = (node: Parameters<typeof rootOf>[1]) => rootOf(size, node);
    try {
      const tiles = await this.store.tiles(tenantId, tilesFor(compute));
      if (!compute(nodesOf(tiles)).equals(root))
        problems.push(`The log is not the one that checkpoint ${number} signs.`);
    } catch (error) {
      if (!(error instanceof MissingNode)) throw error;
      problems.push(`The log was changed in the database: ${error.message}.`);
    }
    return problems;
  }

  /** Those that there are of the first tiles of a level. */
  async #tiles(tenantId: number, level: number, count: number): Promise<readonly Tile[]> {
    const tiles: Tile[] = [];
    for (let at = 0; at < count; at += TILES_AT_ONCE) {
      const width = Math.min(TILES_AT_ONCE, count - at);
      const ids = Array.from({ length: width }, (_, i) => ({ level, tile: at + i }));
      tiles.push(...(await this.store.tiles(tenantId, ids)));
    }
    return tiles;
  }
}

const TILES_AT_ONCE = 256;
/** How many tiles of a level are whole. */
const wholeAt = (level: number, size: number) => Math.floor(size / TILE_WIDTH ** (level + 1));

/** Sentences about whole tiles of which the level above states another hash, or none. */
function unlike(tiles: readonly Tile[], above: readonly Tile[]): string[] {
  const byNumber = new Map(above.map((tile) => [tile.tile, tile.hashes]));
  return tiles.flatMap(({ level, tile, hashes }) => {
    const at = (tile % TILE_WIDTH) * HASH_BYTES;
    const stated = byNumber.get(Math.floor(tile / TILE_WIDTH))?.subarray(at, at + HASH_BYTES);
    const isSound = hashes.length === TILE_WIDTH * HASH_BYTES && stated?.equals(rootOfHashes(hashes));
    return isSound ? [] : [`Tile ${tile} of level ${level} of the log is not what the level above states.`];
  });
}

function entryAt(tiles: ReadonlyMap<number, Tile>, position: number) {
  const tile = tiles.get(Math.floor(position / TILE_WIDTH));
  const at = position % TILE_WIDTH;
  if (!tile || tile.hashes.length < (at + 1) * HASH_BYTES || tile.recordIds.length < (at + 1) * ID_BYTES)
    return null;
  return {
    recordId: idText(tile.recordIds.subarray(at * ID_BYTES, (at + 1) * ID_BYTES)),
    hash: tile.hashes.toString('hex', at * HASH_BYTES, (at + 1) * HASH_BYTES),
  };
}

const goneText = (positions: readonly number[]) =>
  `${positions.length} entries of the log are not there any more, the first at ${positions[0]}.`;
