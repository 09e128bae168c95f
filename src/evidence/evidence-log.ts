import { DomainError } from '../errors';
import { LIMITS } from '../limits';
import { parseTenantId, type TenantScope, tenantScope } from '../tenant/tenant-scope';
import { idBytes } from './batch-seal';
import { parseNote } from './checkpoint';
import type { EvidenceStore, LogState, Removal } from './evidence-store';
import { consistencyProof, HASH_BYTES, inclusionPath, type NodeAt } from './merkle';
import { ID_BYTES, MissingNode, nodesOf, TILE_WIDTH, type Tile, tilesFor } from './tiles';

export interface LogEntries {
  readonly tenantId: number;
  readonly start: number;
  readonly count: number;
  readonly recordIds: Buffer;
  readonly leafHashes: Buffer;
}

export interface InclusionProof {
  readonly index: number;
  readonly leafHash: Buffer;
  readonly path: readonly Buffer[];
  /** The note whose root the path leads to. */
  readonly checkpoint: string;
}

/** What callers ask of the evidence log. */
export class EvidenceLog {
  /** @param problems of this instance, by tenant @param publicKey as verifiers are given it */
  constructor(
    private readonly store: EvidenceStore,
    readonly publicKey: string,
    private readonly problems: ReadonlyMap<number, string>,
  ) {}

  async states(tenants: TenantScope): Promise<(LogState & { publicKey: string; problem: string | null })[]> {
    const { publicKey, problems } = this;
    const states = await this.store.states(tenants);
    return states.map((state) => ({ ...state, publicKey, problem: problems.get(state.tenantId) ?? null }));
  }

  checkpoints(tenantId: number, after: number): Promise<readonly string[]> {
    return this.store.checkpoints(tenantId, after, LIMITS.evidenceCheckpointsMax);
  }

  removals(tenantId: number): Promise<readonly Removal[]> {
    return this.store.removals(tenantId);
  }

  async entries(tenantId: number, start: number): Promise<LogEntries> {
    const size = await this.#sizeOf(tenantId);
    const end = Math.min(size, start + LIMITS.evidenceEntriesMax);
    if (end <= start)
      return { tenantId, start, count: 0, recordIds: Buffer.alloc(0), leafHashes: Buffer.alloc(0) };
    const first = Math.floor(start / TILE_WIDTH);
    const ids = Array.from({ length: Math.ceil(end / TILE_WIDTH) - first }, (_, i) => first + i);
    const tiles = await this.#leafTiles(tenantId, ids);
    const [from, to] = [start - first * TILE_WIDTH, end - first * TILE_WIDTH];
    const together = (part: 'recordIds' | 'hashes', bytes: number) =>
      Buffer.concat(tiles.map((tile) => tile[part])).subarray(from * bytes, to * bytes);
    const count = end - start;
    return {
      ...{ tenantId, start, count },
      recordIds: together('recordIds', ID_BYTES),
      leafHashes: together('hashes', HASH_BYTES),
    };
  }

  /** @throws DomainError `invalid_parameter` */
  async consistency(tenantId: number, from: number, to: number): Promise<readonly Buffer[]> {
    const size = await this.#sizeOf(tenantId);
    if (from > to || to > size)
      throw new DomainError('invalid_parameter', {
        public: `from must not be more than to, nor to more than the ${size} entries of the log.`,
      });
    return this.#compute(tenantId, (node) => consistencyProof(from, to, node));
  }

  /** Null: the record is in no signed log yet. */
  async proof(tenantId: number, recordId: string): Promise<InclusionProof | null> {
    const [state] = await this.store.states(tenantScope([tenantId]));
    const checkpoint = state?.checkpoint ?? null;
    const size = checkpoint === null ? 0 : (parseNote(checkpoint)?.size ?? 0);
    const found = findLeaf(await this.store.tilesAround(tenantId, recordId), idBytes(recordId), size);
    if (!found || checkpoint === null) return null;
    const path = await this.#compute(tenantId, (node) => inclusionPath(found.index, size, node));
    return { ...found, path, checkpoint };
  }

  async #sizeOf(tenantId: number): Promise<number> {
    const [state] = await this.store.states(tenantScope([tenantId]));
    return state?.size ?? 0;
  }

  async #leafTiles(tenantId: number, ids: readonly number[]): Promise<readonly Tile[]> {
    const found = await this.store.tiles(
      tenantId,
      ids.map((tile) => ({ level: 0, tile })),
    );
    const byId = new Map(found.map((tile) => [tile.tile, tile]));
    return ids.map((tile) => byId.get(tile) ?? raise(new MissingNode({ level: 0, tile })));
  }

  async #compute(tenantId: number, compute: (node: NodeAt) => Buffer[]): Promise<Buffer[]> {
    return compute(nodesOf(await this.store.tiles(tenantId, tilesFor(compute))));
  }
}

/** The last place of a record: one that was removed and sent again is in the log twice. */
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

/** The tenant a caller means. @throws DomainError `invalid_parameter`, `not_found` */
export function tenantMeant(tenants: TenantScope, given: string | undefined): number {
  if (given === undefined) {
    if (tenants.length === 1) return tenants[0];
    throw new DomainError('invalid_parameter', {
      public: 'tenantId must be given: the key reads several tenants.',
    });
  }
  const tenantId = parseTenantId(given);
  if (tenantId !== null && tenants.includes(tenantId)) return tenantId;
  throw new DomainError('not_found', { public: 'There is no such tenant.' });
}

function raise(error: Error): never {
  throw error;
}
