import { Prisma, type ServiceDoor } from '../../database/clients';
import { guarded } from '../../database/limited';
import { HOUR_MS, TICKS_PER_MS } from '../../event/event-time';
import { ticksOfRecordId } from '../../event/record-id';
import type { SealedPosition } from '../../store/log/arrivals/gone-seal';
import { fileText, type SealedFile } from '../../store/log/evidence/file-entry';
import type { Tile, TileId } from '../../store/log/evidence/tiles';
import { startOfWeek } from '../../store/rows/partitions';
import { oneTenant, type TenantSet } from '../../tenant-set';
import type { StatedFiles } from './verify/sealed-files';

export interface LogState {
  readonly tenantId: number;
  /** The number of entries. */
  readonly size: number;
  /** The root of the tree of these entries; null: there is no log. */
  readonly root: Buffer | null;
  readonly waitingEvents: number;
  readonly oldestWaitingAt: Date | null;
  readonly refusedEvents: number;
  readonly backfilling: boolean;
  /** Events from before the log are listed, but the log's head was not sealed for them. */
  readonly hasUnsealedBacklog: boolean;
  /** The newest checkpoint. */
  readonly checkpoint: string | null;
}

/** A checkpoint with what an authority said of it. */
export interface SignedCheckpoint {
  readonly number: number;
  readonly note: string;
  /** Of a time-stamp authority (RFC 3161); null: it was not stamped. */
  readonly token: Buffer | null;
}

/** What the runs of retention that began on one day removed of one tenant. */
export interface Removal {
  /** Whole hours around the removed events. */
  readonly from: Date;
  readonly to: Date;
  /** Only older events were removed. */
  readonly before: Date;
  readonly events: number;
  readonly lastRunAt: Date;
}

/** Port: reads the evidence logs. */
export interface EvidenceStore {
  states(tenants: TenantSet): Promise<readonly LogState[]>;
  /**
   * In the order of their numbers. @param after a number
   * @param stampsMax of the time stamps among them: the answer ends before a further one
   */
  checkpoints(
    tenantId: number,
    after: number,
    limit: number,
    stampsMax: number,
  ): Promise<readonly SignedCheckpoint[]>;
  /** The newest checkpoint that was stamped. */
  newestStamped(tenantId: number): Promise<SignedCheckpoint | null>;
  /** @returns the tiles that exist */
  tiles(tenantId: number, ids: readonly TileId[]): Promise<readonly Tile[]>;
  /** @returns the existing tiles of level 0 from one on, in order */
  leafTiles(tenantId: number, from: number, limit: number): Promise<readonly Tile[]>;
  /** Tiles of level 0 that may hold the record. */
  tilesAround(tenantId: number, recordId: string): Promise<readonly Tile[]>;
  /**
   * The record ids of the existing tiles of level 0 behind a tile that may hold one of the records, in order.
   * @param hours of the records, since 1970
   */
  idsAround(
    tenantId: number,
    recordIds: readonly string[],
    hours: readonly number[],
    after: number,
    limit: number,
  ): Promise<readonly { readonly tile: number; readonly recordIds: Buffer }[]>;
  /** Oldest first. */
  removals(tenantId: number): Promise<readonly Removal[]>;
  /** The texts of the entries of erasures, oldest first. */
  erasures(tenantId: number): Promise<readonly string[]>;
  /** What the log and the list say of the files of sealed weeks, in the order of weeks. */
  sealedFiles(tenantId: number): Promise<StatedFiles>;
  /** Whether any event of the tenant is stored. */
  hasEvents(tenantId: number): Promise<boolean>;
  /** The removed beginning of the log, which readers pass. */
  goneBeginning(tenantId: number): Promise<SealedPosition>;
}

interface FileRow {
  readonly entry: string | null;
  readonly week: number;
  readonly layout: number;
  readonly sha256: string;
  readonly bytes: number;
  readonly events: number;
  readonly first_id: string;
  readonly last_id: string;
}
const toFile = ({ week, layout, sha256, bytes, events, first_id, last_id }: FileRow): SealedFile => ({
  week: new Date(startOfWeek(week)).toISOString(),
  layout,
  sha256,
  bytes,
  events,
  firstId: first_id,
  lastId: last_id,
});

const TILE_COLUMNS = Prisma.raw('t.level, t.tile, t.hashes, t.record_ids');

export class PostgresEvidenceStore implements EvidenceStore {
  constructor(private readonly service: ServiceDoor) {}

  async states(tenants: TenantSet): Promise<readonly LogState[]> {
    const statement = this.service.each(tenants).dependent(logStateOf);
    return (await this.#rows<StateRow>(statement, tenants)).map(toState);
  }

  async checkpoints(tenantId: number, after: number, limit: number, stampsMax: number) {
    const rows = await this.#rows<CheckpointRow>(
      Prisma.sql`SELECT s.number, s.note, s.token FROM (
          SELECT c.number, c.note, c.token, count(c.token) OVER (ORDER BY c.number) AS stamps
          FROM audit_log_checkpoint c
          WHERE c.tenant_id = ${tenantId}::int AND c.number > ${after}::int ORDER BY c.number LIMIT ${limit}::int) s
        WHERE s.stamps <= ${stampsMax}::int ORDER BY s.number`,
      oneTenant(tenantId),
    );
    return rows.map(toCheckpoint);
  }

  async newestStamped(tenantId: number): Promise<SignedCheckpoint | null> {
    const [row] = await this.#rows<CheckpointRow>(
      Prisma.sql`SELECT c.number, c.note, c.token FROM audit_log_checkpoint c
        WHERE c.tenant_id = ${tenantId}::int AND c.token IS NOT NULL ORDER BY c.number DESC LIMIT 1`,
      oneTenant(tenantId),
    );
    return row ? toCheckpoint(row) : null;
  }

  async tiles(tenantId: number, ids: readonly TileId[]): Promise<readonly Tile[]> {
    const [levels, tiles] = [ids.map(({ level }) => level), ids.map(({ tile }) => tile)];
    const rows = await this.#rows<TileRow>(
      Prisma.sql`SELECT ${TILE_COLUMNS} FROM audit_log_tile t WHERE t.tenant_id = ${tenantId}::int
        AND (t.level, t.tile) IN (SELECT * FROM unnest(${levels}::int[], ${tiles}::int[]))`,
      oneTenant(tenantId),
    );
    return rows.map(toTile);
  }

  async leafTiles(tenantId: number, from: number, limit: number): Promise<readonly Tile[]> {
    const rows = await this.#rows<TileRow>(
      Prisma.sql`SELECT ${TILE_COLUMNS} FROM audit_log_tile t WHERE t.tenant_id = ${tenantId}::int AND t.level = 0
        AND t.tile >= ${from}::int ORDER BY t.tile LIMIT ${limit}::int`,
      oneTenant(tenantId),
    );
    return rows.map(toTile);
  }

  async tilesAround(tenantId: number, recordId: string): Promise<readonly Tile[]> {
    const hour = Number(ticksOfRecordId(recordId) / TICKS_PER_MS / BigInt(HOUR_MS));
    const rows = await this.#rows<TileRow>(
      Prisma.sql`SELECT ${TILE_COLUMNS} FROM audit_log_place p, audit_log_tile t
        WHERE p.tenant_id = ${tenantId}::int AND p.hour = ${hour}::int
          AND p.first_id <= ${recordId}::uuid AND p.last_id >= ${recordId}::uuid
          AND t.tenant_id = ${tenantId}::int AND t.level = 0 AND t.tile = p.tile ORDER BY t.tile`,
      oneTenant(tenantId),
    );
    return rows.map(toTile);
  }

  async idsAround(
    tenantId: number,
    recordIds: readonly string[],
    hours: readonly number[],
    after: number,
    limit: number,
  ) {
    const rows = await this.#rows<Pick<TileRow, 'tile' | 'record_ids'>>(
      Prisma.sql`SELECT t.tile, t.record_ids FROM audit_log_tile t
        WHERE t.tenant_id = ${tenantId}::int AND t.level = 0 AND t.tile > ${after}::int AND t.tile IN (
          SELECT p.tile FROM unnest(${recordIds}::uuid[], ${hours}::int[]) AS r(record_id, hour), audit_log_place p
          WHERE p.tenant_id = ${tenantId}::int AND p.hour = r.hour
            AND p.first_id <= r.record_id AND p.last_id >= r.record_id)
        ORDER BY t.tile LIMIT ${limit}::int`,
      oneTenant(tenantId),
    );
    return rows.map((row) => ({ tile: row.tile, recordIds: Buffer.from(row.record_ids) }));
  }

  async removals(tenantId: number): Promise<readonly Removal[]> {
    const rows = await this.#rows<RemovalRow>(
      Prisma.sql`SELECT r.tenant_id, min(r.from_time) AS from_time, max(r.to_time) AS to_time, sum(r.events)::float8 AS events,
          max(r.started_at) AS started_at, max(CASE WHEN r.by_arrival THEN r.to_time
            ELSE r.started_at - make_interval(hours => 24 * r.retention_days) END) AS before
        FROM retention_run r WHERE r.tenant_id = ${tenantId}::int
        GROUP BY r.tenant_id, date_trunc('day', r.started_at, 'UTC'), r.by_arrival ORDER BY max(r.started_at)`,
      oneTenant(tenantId),
    );
    return rows.map((row) => ({
      from: new Date(row.from_time),
      to: new Date(row.to_time),
      before: new Date(row.before),
      events: Number(row.events),
      lastRunAt: new Date(row.started_at),
    }));
  }

  async sealedFiles(tenantId: number): Promise<StatedFiles> {
    // One statement: a week that is sealed meanwhile is in both or in none.
    const rows = await this.#rows<FileRow>(
      Prisma.sql`SELECT n.entry, NULL::int AS week, NULL::int AS layout, NULL AS sha256, NULL::float8 AS bytes, NULL::float8 AS events,
          NULL AS first_id, NULL AS last_id FROM audit_sealed_entry n WHERE n.tenant_id = ${tenantId}::int
        UNION ALL
        SELECT NULL, w.week, w.layout::int, w.sha256, w.bytes::float8, w.events::float8, w.first_id::text, w.last_id::text
        FROM audit_sealed_week w WHERE w.tenant_id = ${tenantId}::int ORDER BY week`,
      oneTenant(tenantId),
    );
    const files = rows.filter((row) => row.entry === null).map((row) => fileText(toFile(row)));
    return { fileEntries: rows.flatMap(({ entry }) => entry ?? []), files };
  }

  async erasures(tenantId: number): Promise<readonly string[]> {
    const rows = await this.#rows<{ entry: string }>(
      Prisma.sql`SELECT e.entry FROM audit_erasure e
        WHERE e.tenant_id = ${tenantId}::int AND e.entry IS NOT NULL ORDER BY e.erasure_id`,
      oneTenant(tenantId),
    );
    return rows.map(({ entry }) => entry);
  }

  async hasEvents(tenantId: number): Promise<boolean> {
    const [row] = await this.#rows<{ has: boolean }>(
      Prisma.sql`SELECT EXISTS (SELECT FROM audit_event e WHERE e.tenant_id = ${tenantId}::int)
        OR EXISTS (SELECT FROM audit_sealed_week w WHERE w.tenant_id = ${tenantId}::int) AS has`,
      oneTenant(tenantId),
    );
    return row?.has === true;
  }

  async goneBeginning(tenantId: number): Promise<SealedPosition> {
    const [row] = await this.#rows<GoneRow>(
      Prisma.sql`SELECT g.position, g.key_id, g.mac FROM audit_log_gone g WHERE g.tenant_id = ${tenantId}::int`,
      oneTenant(tenantId),
    );
    return { position: Number(row?.position ?? 0), keyId: row?.key_id ?? null, mac: row?.mac ?? null };
  }

  #rows<R extends object>(statement: Prisma.Sql, tenants: TenantSet): Promise<readonly R[]> {
    return guarded(() => this.service.ask<R>(statement, tenants));
  }
}

/** Separate scalars, because each then finds its rows by an index, and all rows of a tenant are on one node. */
const logStateOf = (tenant: Prisma.Sql): Prisma.Sql => Prisma.sql`
  SELECT ${tenant} AS tenant_id,
    (SELECT h.size FROM audit_log_head h WHERE h.tenant_id = ${tenant}) AS size,
    (SELECT h.root FROM audit_log_head h WHERE h.tenant_id = ${tenant}) AS root,
    (SELECT sum(q.events)::float8 FROM audit_log_queue q WHERE q.tenant_id = ${tenant} AND NOT q.refused) AS waiting,
    (SELECT min(q.received_at) FROM audit_log_queue q WHERE q.tenant_id = ${tenant} AND NOT q.refused) AS oldest,
    (SELECT sum(q.events)::float8 FROM audit_log_queue q WHERE q.tenant_id = ${tenant} AND q.refused) AS refused,
    EXISTS (SELECT FROM audit_log_head h WHERE h.tenant_id = ${tenant} AND NOT h.backfilled) AS backfilling,
    EXISTS (SELECT FROM audit_log_backlog b WHERE b.tenant_id = ${tenant}) AS has_backlog,
    (SELECT c.note FROM audit_log_checkpoint c WHERE c.tenant_id = ${tenant} ORDER BY c.number DESC LIMIT 1) AS note`;

interface StateRow {
  readonly tenant_id: number;
  readonly size: bigint | string | null;
  readonly root: Uint8Array | null;
  readonly waiting: number | null;
  readonly oldest: Date | string | null;
  readonly refused: number | null;
  readonly backfilling: boolean;
  readonly has_backlog: boolean;
  readonly note: string | null;
}
interface CheckpointRow {
  readonly number: number;
  readonly note: string;
  readonly token: Uint8Array | null;
}
interface TileRow extends TileId {
  readonly hashes: Uint8Array;
  readonly record_ids: Uint8Array;
}
interface GoneRow {
  readonly position: bigint | string;
  readonly key_id: string | null;
  readonly mac: Uint8Array | null;
}
interface RemovalRow {
  readonly from_time: Date | string;
  readonly to_time: Date | string;
  readonly before: Date | string;
  readonly events: number;
  readonly started_at: Date | string;
}

const toState = (row: StateRow): LogState => ({
  tenantId: row.tenant_id,
  size: Number(row.size ?? 0),
  root: row.root && Buffer.from(row.root),
  waitingEvents: Number(row.waiting ?? 0),
  oldestWaitingAt: row.oldest === null ? null : new Date(row.oldest),
  refusedEvents: Number(row.refused ?? 0),
  backfilling: row.backfilling,
  hasUnsealedBacklog: row.has_backlog && !row.backfilling,
  checkpoint: row.note,
});

const toCheckpoint = ({ number, note, token }: CheckpointRow): SignedCheckpoint => ({
  number,
  note,
  token: token && Buffer.from(token),
});

const toTile = ({ level, tile, hashes, record_ids }: TileRow): Tile => ({
  level,
  tile,
  hashes: Buffer.from(hashes),
  recordIds: Buffer.from(record_ids),
});
