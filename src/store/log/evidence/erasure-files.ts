import { mkdir, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { ERASURES_FOLDER, replaceDurably } from '../../../data-folder';
import type { OwnerDoor } from '../../../database/clients';
import { ID_BYTES, idText } from '../../../event/record-id';
import { isUuid } from '../../../event/uuid';
import { type Erasure, parseErasure } from './erasure-entry';
import { HASH_BYTES } from './merkle';
import { isOfNoEvent } from './own-entry';
import { TILE_WIDTH } from './tiles';

const ENDING = '.json';
/** So much of a hash tells entries of one log apart. */
const KEPT_BYTES = 8;
const TILES_AT_ONCE = 64;

const TILES = `
SELECT t.tile, t.hashes, t.record_ids AS ids FROM audit_log_tile t
WHERE t.tenant_id = $1::int AND t.level = 0 AND t.tile = ANY(string_to_array($2::text, ',')::int[])`;
const KNOWN = 'SELECT e.erasure_id::text AS id FROM audit_erasure e WHERE e.tenant_id = $1::int';

/** An erasure that the database does not know, although the events that it erased are there. */
export interface LostErasure extends Erasure {
  /** The record ids of those that are there. */
  readonly recordIds: readonly string[];
}

interface Entry {
  readonly hash: Buffer;
  /** Null: no event has this place of the log, or it was erased. */
  readonly recordId: string | null;
}

/**
 * Erasures, one file each, outside of the database: a database that was restored from before an erasure has its events
 * again, and does not know of it. A file has the entry of the erasure, and the beginnings of the hashes of the erased
 * entries, in order. The log publishes both, and they tell nothing of the events.
 */
export class ErasureFiles {
  readonly #folder: string;
  readonly #known = new Set<string>();

  constructor(
    private readonly owner: OwnerDoor,
    dataDir: string,
  ) {
    this.#folder = path.join(dataDir, ERASURES_FOLDER);
  }

  has(erasureId: string): boolean {
    return this.#known.has(erasureId);
  }

  /** To be called before an erased event goes. @param text the entry of the erasure */
  async note(text: string): Promise<void> {
    const erasure = parseErasure(text);
    if (!erasure || this.has(erasure.erasureId)) return;
    const kept: Buffer[] = [];
    for await (const entry of this.#entriesOf(erasure))
      kept.push(entry ? entry.hash.subarray(0, KEPT_BYTES) : Buffer.alloc(KEPT_BYTES));
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const file = path.join(this.#folder, erasure.erasureId + ENDING);
    await replaceDurably(
      file,
      JSON.stringify({ entry: text, hashes: Buffer.concat(kept).toString('base64') }),
    );
    this.#known.add(erasure.erasureId);
  }

  /** Erasures that were noted here, and that are to be made again, the oldest first. */
  async lost(): Promise<readonly LostErasure[]> {
    const lost: LostErasure[] = [];
    const known = new Map<string, ReadonlySet<string>>();
    for (const { erasure, hashes } of await this.#read()) {
      const { tenantId, erasureId } = erasure;
      this.#known.add(erasureId);
      if (!known.has(tenantId)) {
        const rows = await this.owner.models.$queryRawUnsafe<{ id: string }[]>(KNOWN, Number(tenantId));
        known.set(tenantId, new Set(rows.map(({ id }) => id)));
      }
      if (known.get(tenantId)?.has(erasureId)) continue;
      const recordIds: string[] = [];
      let at = 0;
      for await (const entry of this.#entriesOf(erasure)) {
        const wanted = hashes.subarray(at, at + KEPT_BYTES);
        if (entry?.recordId != null && entry.hash.subarray(0, KEPT_BYTES).equals(wanted))
          recordIds.push(entry.recordId);
        at += KEPT_BYTES;
      }
      if (recordIds.length > 0) lost.push({ ...erasure, recordIds });
    }
    return lost;
  }

  async #read() {
    const names = await readdir(this.#folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    });
    const all: { readonly erasure: Erasure; readonly hashes: Buffer }[] = [];
    for (const name of names.sort()) {
      if (!name.endsWith(ENDING) || !isUuid(name.slice(0, -ENDING.length))) continue;
      const { entry, hashes } = JSON.parse(await readFile(path.join(this.#folder, name), 'utf8')) as {
        readonly entry: string;
        readonly hashes: string;
      };
      const erasure = parseErasure(entry);
      if (!erasure) throw new Error(`${ERASURES_FOLDER}/${name} in DATA_DIR is no erasure: take it away`);
      all.push({ erasure, hashes: Buffer.from(hashes, 'base64') });
    }
    return all;
  }

  /** The entries that an erasure names, in order; null: the log is shorter. */
  async *#entriesOf({ tenantId, entries }: Erasure): AsyncGenerator<Entry | null> {
    const tiles = [
      ...new Set(
        entries.flatMap(([from, to]) => {
          const first = Math.floor(from / TILE_WIDTH);
          return Array.from({ length: Math.floor((to - 1) / TILE_WIDTH) - first + 1 }, (_, i) => first + i);
        }),
      ),
    ];
    for (let i = 0; i < tiles.length; i += TILES_AT_ONCE) {
      const some = tiles.slice(i, i + TILES_AT_ONCE);
      const rows = await this.owner.models.$queryRawUnsafe<
        { tile: number; hashes: Uint8Array; ids: Uint8Array }[]
      >(TILES, Number(tenantId), some.join());
      const byTile = new Map(rows.map((row) => [row.tile, row]));
      for (const tile of some)
        for (const [from, to] of entries)
          for (let at = Math.max(from, tile * TILE_WIDTH); at < Math.min(to, (tile + 1) * TILE_WIDTH); at++)
            yield entryAt(byTile.get(tile), at % TILE_WIDTH);
    }
  }
}

function entryAt(tile: { hashes: Uint8Array; ids: Uint8Array } | undefined, at: number): Entry | null {
  if (!tile || tile.hashes.length < (at + 1) * HASH_BYTES) return null;
  const hash = Buffer.from(tile.hashes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES));
  const id = Buffer.from(tile.ids.subarray(at * ID_BYTES, (at + 1) * ID_BYTES));
  return { hash, recordId: isOfNoEvent(tile.ids, at * ID_BYTES) ? null : idText(id) };
}
