import { tenantSet } from '../../caller/tenant-set';
import { ID_BYTES, idText } from '../../event/record-id';
import { LIMITS } from '../../limits';
import type { ArrivalReader } from '../../trail/arrivals/arrival-reader';
import { leafHashOf } from '../../trail/evidence/entry';
import { HASH_BYTES, rootOf, rootOfHashes } from '../../trail/evidence/merkle';
import { MissingNode, nodesOf, TILE_WIDTH, type Tile, tilesFor } from '../../trail/evidence/tiles';
import { type Checkpoint, isSignedBy, parseNote } from './checkpoint';
import type { EvidenceStore } from './evidence.store';
import { Removals } from './verify/removals';

/** The result of comparing a span of a tenant's log with the stored events. */
interface LogCheck {
  readonly from: number;
  /** Where the next span begins; equal to `signed` at the end. */
  readonly next: number;
  /** The number of entries that the newest checkpoint signs. */
  readonly signed: number;
  /** The entries of the span whose event is stored as it was accepted. */
  readonly sound: number;
  /** The entries whose event retention removed. */
  readonly removed: number;
  /**
   * The number of events of the tenant that retention removed in all. At most this many entries may lack their event.
   */
  readonly removedByRetention: number;
  readonly altered: readonly string[];
  readonly missing: readonly string[];
  /** The number of altered or missing records. Only the first of them are named. */
  readonly wrong: number;
  /** Problems of the log itself, in sentences. */
  readonly problems: readonly string[];
}

type Store = Pick<EvidenceStore, 'states' | 'leafTiles' | 'tiles' | 'removals'>;

/**
 * Verifies a log span by span: each entry against its event, each tile against the level above and, in the last span,
 * the upper levels against the signed root.
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

  /** Checks the complete tiles that end in the span against the level above. */
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

  /** @returns the first tiles of a level, as far as they exist */
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
/** The number of complete tiles of a level. */
const wholeAt = (level: number, size: number) => Math.floor(size / TILE_WIDTH ** (level + 1));

/** @returns a sentence for each complete tile whose hash differs from the level above or is missing there */
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
