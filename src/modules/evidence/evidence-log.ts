import { DomainError } from '../../errors';
import { ID_BYTES, idBytes } from '../../event/record-id';
import { LIMITS } from '../../limits';
import {
  consistencyProof,
  HASH_BYTES,
  inclusionPath,
  type NodeAt,
  rootOf,
} from '../../store/log/evidence/merkle';
import { MissingNode, nodesOf, TILE_WIDTH, type Tile, tilesFor } from '../../store/log/evidence/tiles';
import { type TenantSet, tenantSet } from '../../tenant-set';
import { parseNote } from './checkpoint';
import type { EvidenceStore, LogState, Removal, SignedCheckpoint } from './evidence.store';
import type { StatedFiles } from './verify/sealed-files';

interface LogEntries {
  readonly tenantId: number;
  readonly start: number;
  readonly count: number;
  readonly recordIds: Buffer;
  readonly leafHashes: Buffer;
}

interface InclusionProof {
  readonly index: number;
  readonly leafHash: Buffer;
  readonly path: readonly Buffer[];
  /** The note with the root that the path leads to. */
  readonly checkpoint: string;
}

const UNSEALED_BACKLOG =
  'events of before there was a log are listed in audit_log_backlog, and it was never sealed that there are any: they are not taken in';

/** Answers callers about the evidence log. */
export class EvidenceLog {
  /** @param problemOf why this instance does not append to a tenant's log @param publicKey as verifiers get it */
  constructor(
    private readonly store: EvidenceStore,
    readonly publicKey: string,
    private readonly problemOf: (tenantId: number) => string | null,
  ) {}

  async states(tenants: TenantSet): Promise<(LogState & { publicKey: string; problem: string | null })[]> {
    const { publicKey } = this;
    const states = await this.store.states(tenants);
    return states.map((state) => ({
      ...state,
      publicKey,
      problem: this.problemOf(state.tenantId) ?? (state.hasUnsealedBacklog ? UNSEALED_BACKLOG : null),
    }));
  }

  checkpoints(tenantId: number, after: number): Promise<readonly SignedCheckpoint[]> {
    const { evidenceCheckpointsMax, timeStampsMax } = LIMITS;
    return this.store.checkpoints(tenantId, after, evidenceCheckpointsMax, timeStampsMax);
  }

  /** The newest checkpoint that a time-stamp authority stamped. */
  newestStamped(tenantId: number): Promise<SignedCheckpoint | null> {
    return this.store.newestStamped(tenantId);
  }

  removals(tenantId: number): Promise<readonly Removal[]> {
    return this.store.removals(tenantId);
  }

  /** The texts of the entries that erasures have in the log (`erasure-entry.ts`), oldest first. */
  erasures(tenantId: number): Promise<readonly string[]> {
    return this.store.erasures(tenantId);
  }

  sealedFiles(tenantId: number): Promise<StatedFiles> {
    return this.store.sealedFiles(tenantId);
  }

  /** Entries from `start` on. If these are missing in the database, the entries after the hole. */
  async entries(tenantId: number, start: number): Promise<LogEntries> {
    const size = await this.#sizeOf(tenantId);
    if (start >= size) return { tenantId, ...entriesIn([], start, start) };
    const tilesMax = Math.ceil(LIMITS.evidenceEntriesMax / TILE_WIDTH) + 1;
    const tiles = await this.store.leafTiles(tenantId, Math.floor(start / TILE_WIDTH), tilesMax);
    const first = Math.max(start, (tiles[0]?.tile ?? 0) * TILE_WIDTH);
    const found = entriesIn(tiles, start, Math.min(size, first + LIMITS.evidenceEntriesMax));
    if (found.count > 0) return { tenantId, ...found };
    // None of these tiles holds an entry any more, so the caller continues behind them.
    const behind = ((tiles.at(-1)?.tile ?? 0) + 1) * TILE_WIDTH;
    return { tenantId, ...found, start: tiles.length < tilesMax ? size : Math.min(size, behind) };
  }

  /**
   * A proof about the whole log is given only if its hashes lead to the root that the log's head has.
   * @throws DomainError `invalid_parameter`, `internal_error`
   */
  async consistency(tenantId: number, from: number, to: number): Promise<readonly Buffer[]> {
    const [state] = await this.store.states(tenantSet([tenantId]));
    const size = state?.size ?? 0;
    if (from > to || to > size)
      throw new DomainError('invalid_parameter', {
        public: `from must not be more than to, nor to more than the ${size} entries of the log.`,
      });
    const { root, proof } = await this.#compute(tenantId, (node) => ({
      root: rootOf(to, node),
      proof: consistencyProof(from, to, node),
    }));
    if (to === size && !root.equals(state?.root ?? root))
      throw wasChanged(tenantId, 'its hashes do not lead to its root');
    return proof;
  }

  /** @returns null if no signed log has the record yet */
  async proof(tenantId: number, recordId: string): Promise<InclusionProof | null> {
    const [state] = await this.store.states(tenantSet([tenantId]));
    const checkpoint = state?.checkpoint ?? null;
    const size = checkpoint === null ? 0 : (parseNote(checkpoint)?.size ?? 0);
    const found = findLeaf(await this.store.tilesAround(tenantId, recordId), idBytes(recordId), size);
    if (!found || checkpoint === null) return null;
    const path = await this.#compute(tenantId, (node) => inclusionPath(found.index, size, node));
    return { ...found, path, checkpoint };
  }

  async #sizeOf(tenantId: number): Promise<number> {
    const [state] = await this.store.states(tenantSet([tenantId]));
    return state?.size ?? 0;
  }

  /** @throws DomainError that names the missing node */
  async #compute<T>(tenantId: number, compute: (node: NodeAt) => T): Promise<T> {
    const tiles = await this.store.tiles(tenantId, tilesFor(compute));
    try {
      return compute(nodesOf(tiles));
    } catch (error) {
      if (!(error instanceof MissingNode)) throw error;
      throw wasChanged(tenantId, error.message, error);
    }
  }
}

const wasChanged = (tenantId: number, how: string, cause?: unknown) =>
  new DomainError('internal_error', {
    public: `The evidence log of tenant ${tenantId} was changed in the database: ${how}.`,
    ...(cause !== undefined && { cause }),
  });

/**
 * The first run of entries without a hole, from `start` to below `end`. @param tiles the existing tiles of level 0, in
 * order
 */
function entriesIn(tiles: readonly Tile[], start: number, end: number): Omit<LogEntries, 'tenantId'> {
  const parts: { ids: Buffer; hashes: Buffer }[] = [];
  let [first, next] = [start, start];
  for (const { tile, recordIds, hashes } of tiles) {
    const from = tile * TILE_WIDTH;
    const whole = Math.min(recordIds.length / ID_BYTES, hashes.length / HASH_BYTES, TILE_WIDTH);
    const to = Math.min(from + Math.floor(whole), end);
    if (parts.length === 0) first = next = Math.max(start, from);
    if (from > next) break;
    if (to <= next) continue;
    parts.push({
      ids: recordIds.subarray((next - from) * ID_BYTES, (to - from) * ID_BYTES),
      hashes: hashes.subarray((next - from) * HASH_BYTES, (to - from) * HASH_BYTES),
    });
    next = to;
  }
  return {
    start: parts.length > 0 ? first : start,
    count: parts.length > 0 ? next - first : 0,
    recordIds: Buffer.concat(parts.map(({ ids }) => ids)),
    leafHashes: Buffer.concat(parts.map(({ hashes }) => hashes)),
  };
}

/** The last place of a record. A record that was removed and sent again is in the log twice. */
function findLeaf(tiles: readonly Tile[], recordId: Buffer, size: number) {
  let found: { index: number; leafHash: Buffer } | null = null;
  for (const { tile, recordIds, hashes } of tiles) {
    for (let at = 0; at < recordIds.length / ID_BYTES; at++) {
      const index = tile * TILE_WIDTH + at;
      if (index >= size || recordId.compare(recordIds, at * ID_BYTES, (at + 1) * ID_BYTES) !== 0) continue;
      found = { index, leafHash: hashes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES) };
    }
  }
  return found;
}
