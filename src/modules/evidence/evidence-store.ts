import type { TenantSet } from '../../caller/tenant-set';
import type { Tile, TileId } from '../../trail/evidence/tiles';

export interface LogState {
  readonly tenantId: number;
  /** Entries. */
  readonly size: number;
  readonly waitingEvents: number;
  readonly oldestWaitingAt: Date | null;
  readonly refusedEvents: number;
  readonly backfilling: boolean;
  /** Events of before there was a log are listed, and the log is not open to them. */
  readonly hasUnsealedBacklog: boolean;
  /** The newest checkpoint. */
  readonly checkpoint: string | null;
}

/** What runs of retention that began on one day removed of one tenant. */
export interface Removal {
  /** Whole hours around the events removed. */
  readonly from: Date;
  readonly to: Date;
  /** Only older events were removed. */
  readonly before: Date;
  readonly events: number;
  readonly lastRunAt: Date;
}

/** Port: where the evidence logs are read. */
export interface EvidenceStore {
  states(tenants: TenantSet): Promise<readonly LogState[]>;
  /** Notes in the order of their numbers. @param after a number */
  checkpoints(tenantId: number, after: number, limit: number): Promise<readonly string[]>;
  /** Those of the tiles that there are. */
  tiles(tenantId: number, ids: readonly TileId[]): Promise<readonly Tile[]>;
  /** Tiles of level 0 that there are, from one on, in their order. */
  leafTiles(tenantId: number, from: number, limit: number): Promise<readonly Tile[]>;
  /** Tiles of level 0 that may hold the record. */
  tilesAround(tenantId: number, recordId: string): Promise<readonly Tile[]>;
  /** Oldest first. */
  removals(tenantId: number): Promise<readonly Removal[]>;
}
