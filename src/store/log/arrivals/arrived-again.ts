import type { ServiceDoor } from '../../../database/clients';
import { guarded } from '../../../database/limited';
import { DAY_MS, HOUR_MS, TICKS_PER_MS } from '../../../event/event-time';
import { ID_BYTES, recordIdFloor, ticksOfRecordId } from '../../../event/record-id';
import { oneTenant } from '../../../tenant-set';
import { TILE_WIDTH } from '../evidence/tiles';
import { laterTilesStatement, removedStatement } from './arrival.statements';

/** How long an answer about retention is kept: retention runs at most every quarter of an hour. */
const KEPT_MS = 10_000;
const TILES_AT_ONCE = 256;

interface LogEntry {
  readonly position: number;
  readonly recordId: string;
}

/**
 * Finds records that stand in a log twice: retention removed them, and they were sent again. Only records of a time
 * from which retention has removed events can be: one at least a day ago, or one ahead of the clock, since such events
 * go by their arrival. A reader of new events never asks.
 */
export class ArrivedAgain {
  readonly #removedUntil = new Map<number, { readonly at: number; readonly floor: string | null }>();

  constructor(
    private readonly ask: ServiceDoor['ask'],
    private readonly nowMs: () => number,
  ) {}

  /** @returns the positions whose record also stands at a later position of the log */
  async superseded(tenantId: number, entries: readonly LogEntry[]): Promise<ReadonlySet<number>> {
    const now = BigInt(this.nowMs());
    const dayAgo = recordIdFloor((now - BigInt(DAY_MS)) * TICKS_PER_MS);
    const ahead = recordIdFloor(now * TICKS_PER_MS);
    const old = entries.filter(({ recordId }) => recordId < dayAgo || recordId >= ahead);
    const floor = old.length > 0 ? await this.#floor(tenantId) : null;
    return floor === null
      ? new Set()
      : this.#find(
          tenantId,
          old.filter(({ recordId }) => recordId < floor),
        );
  }

  /** The id below which retention may have removed events; null: it has removed none. */
  async #floor(tenantId: number): Promise<string | null> {
    const known = this.#removedUntil.get(tenantId);
    if (known && Math.abs(this.nowMs() - known.at) < KEPT_MS) return known.floor;
    const [row] = await guarded(() => this.ask(removedStatement(tenantId), oneTenant(tenantId)));
    const until = row?.until as Date | string | null | undefined;
    const floor = until ? recordIdFloor(BigInt(new Date(until).getTime()) * TICKS_PER_MS) : null;
    if (this.#removedUntil.size > TENANTS_KEPT_MAX) this.#removedUntil.clear();
    this.#removedUntil.set(tenantId, { at: this.nowMs(), floor });
    return floor;
  }

  async #find(tenantId: number, entries: readonly LogEntry[]): Promise<ReadonlySet<number>> {
    const found = new Set<number>();
    if (entries.length === 0) return found;
    const byId = new Map<string, number[]>();
    for (const { recordId, position } of entries) {
      const id = recordId.replaceAll('-', '');
      byId.set(id, [...(byId.get(id) ?? []), position]);
    }
    const ids = entries.map(({ recordId }) => recordId).sort();
    const range = {
      hours: [...new Set(ids.map(hourOfId))],
      lowest: ids[0] ?? '',
      highest: ids.at(-1) ?? '',
    };
    let first = Math.floor(Math.min(...entries.map(({ position }) => position)) / TILE_WIDTH);
    for (;;) {
      const statement = laterTilesStatement(tenantId, range, { first, limit: TILES_AT_ONCE });
      const tiles = await guarded(() => this.ask(statement, oneTenant(tenantId)));
      for (const { tile, record_ids } of tiles) {
        for (const [position, id] of entriesOf(Number(tile), record_ids as Uint8Array))
          for (const earlier of byId.get(id) ?? []) if (earlier < position) found.add(earlier);
      }
      if (tiles.length < TILES_AT_ONCE) return found;
      first = Number(tiles.at(-1)?.tile) + 1;
    }
  }
}

const TENANTS_KEPT_MAX = 10_000;
const hourOfId = (recordId: string) => Number(ticksOfRecordId(recordId) / TICKS_PER_MS / BigInt(HOUR_MS));

function* entriesOf(tile: number, recordIds: Uint8Array): Generator<[number, string]> {
  const hex = Buffer.from(recordIds).toString('hex');
  const chars = 2 * ID_BYTES;
  for (let at = 0; at * chars < hex.length; at++)
    yield [tile * TILE_WIDTH + at, hex.slice(at * chars, (at + 1) * chars)];
}
