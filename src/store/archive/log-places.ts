import { type OwnerDoor, Prisma } from '../../database/clients';
import { HOUR_MS } from '../../event/event-time';
import { ID_BYTES, msOfRecordId } from '../../event/record-id';
import { arrivalTimes } from '../log/arrivals/arrival-runs';
import { HASH_BYTES } from '../log/evidence/merkle';
import { TILE_WIDTH } from '../log/evidence/tiles';

/** What the evidence log says of an event. */
export interface LogEntry {
  readonly position: number;
  readonly receivedMs: number | null;
  /** The record id and the hash of the leaf, side by side. */
  readonly leaf: Buffer;
}

/** Tiles of level 0 that hold records of some hours. */
const tilesStatement = (
  tenantId: number,
  hours: readonly [number, number],
  ids: readonly [string, string],
) => Prisma.sql`
SELECT t.tile, t.record_ids, t.hashes, t.arrivals FROM audit_log_tile t
WHERE t.tenant_id = ${tenantId}::int AND t.level = 0 AND t.tile IN (
  SELECT p.tile FROM audit_log_place p
  WHERE p.tenant_id = ${tenantId}::int AND p.hour >= ${hours[0]}::int AND p.hour <= ${hours[1]}::int
    AND p.last_id >= ${ids[0]}::uuid AND p.first_id <= ${ids[1]}::uuid)
ORDER BY t.tile`;

interface TileRow {
  readonly tile: number;
  readonly record_ids: Uint8Array;
  readonly hashes: Uint8Array;
  readonly arrivals: Uint8Array | null;
}

/** Finds events in the evidence log of a tenant. */
export class LogPlaces {
  constructor(
    private readonly owner: OwnerDoor,
    private readonly tenantId: number,
  ) {}

  /**
   * The last entry of each event: an event that retention removed, and that was sent again, stands there twice.
   * @param ids in order
   */
  async of(ids: readonly string[]): Promise<ReadonlyMap<string, LogEntry>> {
    const [first, last] = [ids[0], ids.at(-1)];
    if (!first || !last) return new Map();
    const hourOf = (id: string) => Math.floor(msOfRecordId(id) / HOUR_MS);
    const tiles = await this.owner.ask<TileRow>(
      tilesStatement(this.tenantId, [hourOf(first), hourOf(last)], [first, last]),
    );
    const wanted = new Map(ids.map((id) => [id.replaceAll('-', ''), id]));
    const found = new Map<string, LogEntry>();
    for (const tile of tiles) {
      const [recordIds, hashes] = [Buffer.from(tile.record_ids), Buffer.from(tile.hashes)];
      const count = Math.floor(recordIds.length / ID_BYTES);
      const times = arrivalTimes(tile.arrivals, count);
      for (let at = 0; at < count; at++) {
        const id = recordIds.subarray(at * ID_BYTES, (at + 1) * ID_BYTES);
        const text = wanted.get(id.toString('hex'));
        if (text === undefined) continue;
        const hash = hashes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES);
        found.set(text, {
          position: tile.tile * TILE_WIDTH + at,
          receivedMs: times[at] ?? null,
          leaf: Buffer.concat([id, hash]),
        });
      }
    }
    return found;
  }
}
