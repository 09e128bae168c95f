import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { ERASURES_FOLDER, replaceDurably } from '../../../data-folder';
import type { OwnerDoor } from '../../../database/clients';
import { ID_BYTES, idText } from '../../../event/record-id';
import { isUuid } from '../../../event/uuid';
import { LIMITS } from '../../../limits';
import { type Erasure, parseErasure } from './erasure-entry';
import { HASH_BYTES } from './merkle';
import { isOfNoEvent } from './own-entry';
import { TILE_WIDTH } from './tiles';

const ENDING = '.json';
/** So much of a hash tells entries of one log apart. */
const KEPT_BYTES = 8;
const TILES_AT_ONCE = 64;
const IDS_AT_ONCE = 1_000;

const TILES = `
SELECT t.tile, t.hashes, t.record_ids AS ids FROM audit_log_tile t
WHERE t.tenant_id = $1::int AND t.level = 0 AND t.tile = ANY(string_to_array($2::text, ',')::int[])`;
const KNOWN = `
SELECT e.erasure_id::text AS id FROM audit_erasure e WHERE e.erasure_id = ANY(string_to_array($1::text, ',')::uuid[])`;

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
 * entries, in order. The log publishes both, and they tell nothing of the events. The folder has a bound: the oldest go first.
 */
export class ErasureFiles {
  readonly #folder: string;
  readonly #known = new Set<string>();
  /** The files with their bytes; their names are in the order of time. Null: not read yet. */
  #sizes: Map<string, number> | null = null;
  #unreadable: readonly string[] = [];

  constructor(
    private readonly owner: OwnerDoor,
    dataDir: string,
  ) {
    this.#folder = path.join(dataDir, ERASURES_FOLDER);
  }

  /** Whether nothing is to be noted of an erasure any more. */
  has(erasureId: string): boolean {
    return this.#known.has(erasureId);
  }

  /** Files that the last look found, and that have no erasure. */
  get unreadable(): readonly string[] {
    return this.#unreadable;
  }

  /** To be called before an erased event goes. @param text the entry of the erasure */
  async note(text: string): Promise<void> {
    const erasure = parseErasure(text);
    if (!erasure || this.has(erasure.erasureId)) return;
    const sizes = await this.#load();
    if (isFull(sizes) && erasure.erasureId < oldestOf(sizes)) {
      this.#known.add(erasure.erasureId);
      return;
    }
    const kept: Buffer[] = [];
    for await (const entry of this.#entriesOf(erasure))
      kept.push(entry ? entry.hash.subarray(0, KEPT_BYTES) : Buffer.alloc(KEPT_BYTES));
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const body = JSON.stringify({ entry: text, hashes: Buffer.concat(kept).toString('base64') });
    await replaceDurably(this.#fileOf(erasure.erasureId), body);
    this.#known.add(erasure.erasureId);
    sizes.set(erasure.erasureId, body.length);
    while (isOver(sizes)) {
      const oldest = oldestOf(sizes);
      await rm(this.#fileOf(oldest), { force: true });
      sizes.delete(oldest);
    }
  }

  /**
   * Erasures that were noted here, and that are to be made again, the oldest first.
   * @param among looks at these alone
   */
  async lost(among?: ReadonlySet<string>): Promise<readonly LostErasure[]> {
    const lost: LostErasure[] = [];
    const unreadable: string[] = [];
    for (const erasureId of await this.#unknown(among)) {
      const file = await this.#read(erasureId);
      if (!file) {
        unreadable.push(`${ERASURES_FOLDER}/${erasureId}${ENDING}`);
        continue;
      }
      const { erasure, hashes } = file;
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
    if (!among) this.#unreadable = unreadable;
    return lost;
  }

  readonly #fileOf = (erasureId: string) => path.join(this.#folder, erasureId + ENDING);

  /** The noted erasures of which the database knows nothing. Of all others, each file is read once. */
  async #unknown(among?: ReadonlySet<string>): Promise<readonly string[]> {
    const noted = (await this.#names()).filter((erasureId) => among?.has(erasureId) !== false);
    const known = new Set<string>();
    for (let i = 0; i < noted.length; i += IDS_AT_ONCE) {
      const some = noted.slice(i, i + IDS_AT_ONCE);
      const rows = await this.owner.models.$queryRawUnsafe<{ id: string }[]>(KNOWN, some.join());
      for (const { id } of rows) known.add(id);
    }
    // A damaged file of an erasure that the database has is written anew.
    for (const erasureId of noted)
      if (!known.has(erasureId) || (!this.has(erasureId) && (await this.#read(erasureId)) !== null))
        this.#known.add(erasureId);
    return noted.filter((erasureId) => !known.has(erasureId));
  }

  async #load(): Promise<Map<string, number>> {
    if (this.#sizes) return this.#sizes;
    const sizes = new Map<string, number>();
    for (const erasureId of await this.#names())
      sizes.set(erasureId, (await stat(this.#fileOf(erasureId))).size);
    this.#sizes = sizes;
    return sizes;
  }

  async #names(): Promise<string[]> {
    const names = await readdir(this.#folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    });
    const ids = names.flatMap((name) => (name.endsWith(ENDING) ? name.slice(0, -ENDING.length) : []));
    return ids.filter(isUuid).sort();
  }

  /** @returns null: the file has no erasure */
  async #read(erasureId: string): Promise<{ readonly erasure: Erasure; readonly hashes: Buffer } | null> {
    const text = await readFile(this.#fileOf(erasureId), 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '';
      throw error;
    });
    const { entry, hashes } = parsed(text);
    const erasure = typeof entry === 'string' ? parseErasure(entry) : null;
    if (!erasure || typeof hashes !== 'string') return null;
    const kept = Buffer.from(hashes, 'base64');
    const entries = erasure.entries.reduce((sum, [from, to]) => sum + to - from, 0);
    return kept.length === entries * KEPT_BYTES ? { erasure, hashes: kept } : null;
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

const bytesOf = (sizes: ReadonlyMap<string, number>) =>
  [...sizes.values()].reduce((sum, one) => sum + one, 0);
const isOver = (sizes: ReadonlyMap<string, number>) =>
  sizes.size > LIMITS.erasureNotesMax || bytesOf(sizes) > LIMITS.erasureNotesBytesMax;
const isFull = (sizes: ReadonlyMap<string, number>) =>
  sizes.size >= LIMITS.erasureNotesMax || bytesOf(sizes) >= LIMITS.erasureNotesBytesMax;
/** Ids are in the order of time. */
const oldestOf = (sizes: ReadonlyMap<string, number>) => [...sizes.keys()].sort()[0] ?? '';

function parsed(text: string): { readonly entry?: unknown; readonly hashes?: unknown } {
  try {
    return (JSON.parse(text) ?? {}) as object;
  } catch {
    return {};
  }
}

function entryAt(tile: { hashes: Uint8Array; ids: Uint8Array } | undefined, at: number): Entry | null {
  if (!tile || tile.hashes.length < (at + 1) * HASH_BYTES) return null;
  const hash = Buffer.from(tile.hashes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES));
  const id = Buffer.from(tile.ids.subarray(at * ID_BYTES, (at + 1) * ID_BYTES));
  return { hash, recordId: isOfNoEvent(tile.ids, at * ID_BYTES) ? null : idText(id) };
}
