import { HOUR_MS } from '../../../event/event-time';
import { ID_BYTES, idText, msOfRecordId } from '../../../event/record-id';
import { TILE_WIDTH } from '../../../store/log/evidence/tiles';

/** Reads which records a log has where. */
export interface PlaceReader {
  /**
   * The record ids of the tiles of level 0 behind a tile that may have one of the records, in order.
   * @param hours of the records, since 1970
   */
  idsAround(
    tenantId: number,
    recordIds: readonly string[],
    hours: readonly number[],
    after: number,
    limit: number,
  ): Promise<readonly { readonly tile: number; readonly recordIds: Buffer }[]>;
}

/** Asked with one statement, and tiles of one answer: half a MB of ids. */
const [RECORDS_AT_ONCE, TILES_AT_ONCE] = [512, 128];
const NOWHERE = -1;
/** Grows by this many records at once. */
const STEP = 4_096;

/** The records of a package, in the order of their events, and where the log has them. */
export class PackageRecords {
  #ids = Buffer.alloc(STEP * ID_BYTES);
  #indexes = new Float64Array(STEP).fill(NOWHERE);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  add(recordId: Buffer): void {
    if (this.#count === this.#indexes.length) {
      const length = 2 * this.#count;
      const indexes = new Float64Array(length).fill(NOWHERE);
      indexes.set(this.#indexes);
      this.#ids = Buffer.concat([this.#ids], length * ID_BYTES);
      this.#indexes = indexes;
    }
    recordId.copy(this.#ids, this.#count * ID_BYTES);
    this.#count++;
  }

  /** The records that the first `size` entries of the log do not have, as far as is known. */
  missing(size: number): number[] {
    const found: number[] = [];
    for (let i = 0; i < this.#count; i++) {
      const index = this.#indexes[i] as number;
      if (index === NOWHERE || index >= size) found.push(i);
    }
    return found;
  }

  /** The events that the first `size` entries have, in the order of the log. */
  inOrder(size: number): Uint32Array {
    const missing = new Set(this.missing(size));
    const all = new Uint32Array(this.#count - missing.size);
    let at = 0;
    for (let i = 0; i < this.#count; i++) if (!missing.has(i)) all[at++] = i;
    return all.sort((a, b) => this.indexOf(a) - this.indexOf(b));
  }

  indexOf(event: number): number {
    return this.#indexes[event] as number;
  }

  /** Finds the last entry of each of these events among the first `size`. A record that was sent again has several. */
  async find(reader: PlaceReader, tenantId: number, events: readonly number[], size: number): Promise<void> {
    for (let from = 0; from < events.length; from += RECORDS_AT_ONCE)
      await this.#findSome(reader, tenantId, events.slice(from, from + RECORDS_AT_ONCE), size);
  }

  async #findSome(
    reader: PlaceReader,
    tenantId: number,
    events: readonly number[],
    size: number,
  ): Promise<void> {
    const byId = new Map(events.map((event) => [this.#key(event), event]));
    const ids = events.map((event) => idText(this.#ids.subarray(event * ID_BYTES, (event + 1) * ID_BYTES)));
    const hours = ids.map((id) => Math.floor(msOfRecordId(id) / HOUR_MS));
    for (let after = NOWHERE; ; ) {
      const tiles = await reader.idsAround(tenantId, ids, hours, after, TILES_AT_ONCE);
      for (const { tile, recordIds } of tiles) {
        const held = recordIds.toString('latin1');
        for (let at = 0; at < recordIds.length / ID_BYTES; at++) {
          const event = byId.get(held.slice(at * ID_BYTES, (at + 1) * ID_BYTES));
          const index = tile * TILE_WIDTH + at;
          if (event !== undefined && index < size && index > this.indexOf(event))
            this.#indexes[event] = index;
        }
      }
      const last = tiles.at(-1);
      if (!last || tiles.length < TILES_AT_ONCE) return;
      after = last.tile;
    }
  }

  #key(event: number): string {
    return this.#ids.toString('latin1', event * ID_BYTES, (event + 1) * ID_BYTES);
  }
}
