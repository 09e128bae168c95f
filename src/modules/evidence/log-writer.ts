import type { Step } from '../../database/clients';
import { HOUR_MS } from '../../event/event-time';
import { ID_BYTES, idBytes, idText } from '../../event/record-id';
import { LEAF_BYTES } from '../../store/log/evidence/batch-seal';
import { edgeOf, GrowingTree, TILE_WIDTH, type Tile, type TileId } from '../../store/log/evidence/tiles';
import { LogArrivals } from './log-arrivals';
import { BrokenLog, keyAtHand, type LogHead, type LogKeys, type StoredHead, sealOfHead } from './log-head';
import { HEAD, PUT_HEAD, PUT_PLACES, PUT_TILES, TILES } from './log-statements';

const MS_BYTES = 6;
export const NEVER = new Date(0);

export interface HeadRow {
  readonly tenant_id: number;
  readonly size: bigint;
  readonly root: Uint8Array;
  readonly checkpoints: number;
  readonly signed_size: bigint;
  readonly signed_at: Date;
  readonly backfilled: boolean;
  readonly key_id: string;
  readonly mac: Uint8Array;
}

/** @returns the end of a tenant's log; null if it has none @throws BrokenLog */
export async function loadHead(step: Step, tenantId: number, keys: LogKeys): Promise<StoredHead | null> {
  const [row] = await step<HeadRow>(HEAD, [tenantId]);
  if (!row) return null;
  const head = toHead(row);
  if (keys.former.includes(row.key_id)) return head;
  assertSealed(tenantId, row, head, keys);
  return head;
}

export const toHead = (row: HeadRow): StoredHead => ({
  size: Number(row.size),
  root: Buffer.from(row.root),
  checkpoints: row.checkpoints,
  signedSize: Number(row.signed_size),
  signedAt: row.signed_at,
  backfilled: row.backfilled,
  keyId: row.key_id,
});

/** @throws BrokenLog if none of the available keys sealed this head */
export function assertSealed(tenantId: number, row: HeadRow, head: LogHead, keys: LogKeys): void {
  const key = keyAtHand(keys, row.key_id);
  if (!key)
    throw new BrokenLog(
      `the log is kept with the checkpoint key ${row.key_id}, and this instance has ${keys.own.keyId}: ` +
        'start the instance that kept it with the CHECKPOINT_KEY_FILE of all, or, where its key is lost, name that one in CHECKPOINT_KEY_SUCCEEDS',
    );
  if (!sealOfHead(key, tenantId, head).equals(row.mac))
    throw new BrokenLog('where the log ends was changed in the database');
}

export async function saveHead(step: Step, tenantId: number, head: LogHead, { own }: LogKeys): Promise<void> {
  await step(PUT_HEAD, [
    ...[tenantId, head.size, head.root.toString('hex'), head.checkpoints, head.signedSize],
    // The driver writes a Date in the host's time zone, whose offset may have had seconds in 1970 (`NEVER`).
    ...[
      head.signedAt.toISOString(),
      head.backfilled,
      own.keyId,
      sealOfHead(own, tenantId, head).toString('hex'),
    ],
  ]);
}

export async function loadTiles(step: Step, tenantId: number, ids: readonly TileId[]): Promise<StoredTile[]> {
  const rows = await step<TileRow>(TILES, [
    tenantId,
    ids.map(({ level }) => level),
    ids.map(({ tile }) => tile),
  ]);
  return rows.map(({ level, tile, hashes, record_ids, arrivals }) => ({
    level,
    tile,
    arrivals,
    hashes: Buffer.from(hashes),
    recordIds: Buffer.from(record_ids),
  }));
}

interface TileRow {
  readonly level: number;
  readonly tile: number;
  readonly hashes: Uint8Array;
  readonly record_ids: Uint8Array;
  readonly arrivals: Uint8Array | null;
}

interface StoredTile extends Tile {
  /** The times of arrival of its entries (`arrival-runs.ts`). */
  readonly arrivals: Uint8Array | null;
}

/** Appends to a tenant's log within one transaction, during which no other transaction appends. */
export class LogWriter {
  readonly #tree: GrowingTree;
  readonly #arrivals: LogArrivals;
  readonly #stretches = new Map<string, Stretch>();
  #stretch: Stretch | undefined;

  private constructor(
    private readonly step: Step,
    private readonly tenantId: number,
    readonly head: LogHead | null,
    edge: readonly StoredTile[],
  ) {
    this.#tree = new GrowingTree(head?.size ?? 0, edge);
    const open = edge.find(({ level }) => level === 0);
    this.#arrivals = new LogArrivals(head?.size ?? 0, open?.arrivals ?? null);
    if (head && !this.#tree.root().equals(head.root))
      throw new BrokenLog('hashes at the end of the log were changed in the database');
  }

  /** @throws BrokenLog, MissingNode if the log was changed */
  static async open(step: Step, tenantId: number, keys: LogKeys): Promise<LogWriter> {
    const head = await loadHead(step, tenantId, keys);
    const edge = await loadTiles(step, tenantId, edgeOf(head?.size ?? 0));
    return new LogWriter(step, tenantId, head, edge);
  }

  /** @param leaves record id and leaf hash of each entry @param receivedAt null: not known */
  append(leaves: Buffer, receivedAt: Date | null): void {
    this.#arrivals.append(leaves.length / LEAF_BYTES, receivedAt?.getTime() ?? null);
    for (let at = 0; at < leaves.length; at += LEAF_BYTES) {
      const recordId = leaves.subarray(at, at + ID_BYTES);
      this.#note(recordId, Math.floor(this.#tree.size / TILE_WIDTH));
      this.#tree.append(recordId, leaves.subarray(at + ID_BYTES, at + LEAF_BYTES));
    }
  }

  async save(keys: LogKeys, backfilled: boolean): Promise<void> {
    const { step, tenantId, head } = this;
    const tiles = this.#tree.changed();
    await step(PUT_TILES, [
      tenantId,
      tiles.map(({ level }) => level),
      tiles.map(({ tile }) => tile),
      tiles.map(({ hashes }) => hashes.toString('base64')),
      tiles.map(({ recordIds }) => recordIds.toString('base64')),
      tiles.map(({ level, tile }) => (level === 0 ? this.#arrivals.of(tile) : null)),
    ]);
    await this.#arrivals.saveMinutes(step, tenantId);
    const places = [...this.#stretches.values()];
    await step(PUT_PLACES, [
      tenantId,
      places.map(({ hour }) => hour),
      places.map(({ tile }) => tile),
      places.map(({ first }) => idText(first)),
      places.map(({ last }) => idText(last)),
    ]);
    const { checkpoints = 0, signedSize = 0, signedAt = NEVER } = head ?? {};
    const { size } = this.#tree;
    const grown = { size, root: this.#tree.root(), checkpoints, signedSize, signedAt, backfilled };
    await saveHead(step, tenantId, grown, keys);
  }

  #note(recordId: Buffer, tile: number): void {
    const hour = hourOfId(recordId);
    // Usually it is the stretch of the record before.
    if (this.#stretch?.hour !== hour || this.#stretch.tile !== tile)
      this.#stretch = this.#stretchOf(hour, tile, recordId);
    const stretch = this.#stretch;
    if (recordId.compare(stretch.first) < 0) stretch.first = recordId;
    if (recordId.compare(stretch.last) > 0) stretch.last = recordId;
  }

  #stretchOf(hour: number, tile: number, recordId: Buffer): Stretch {
    const key = `${hour}/${tile}`;
    const stretch = this.#stretches.get(key) ?? { hour, tile, first: recordId, last: recordId };
    this.#stretches.set(key, stretch);
    return stretch;
  }
}

/** The records of an hour that a tile holds. */
interface Stretch {
  readonly hour: number;
  readonly tile: number;
  first: Buffer;
  last: Buffer;
}

/** The hour since 1970 of a record id. */
const hourOfId = (recordId: Buffer): number => Math.floor(recordId.readUIntBE(0, MS_BYTES) / HOUR_MS);

/** The leaves of a batch whose events were accepted. If a record occurs twice in the batch, the first one counts. */
export function acceptedLeaves(leaves: Buffer, accepted: readonly string[] | null): Buffer {
  if (accepted === null) return leaves;
  const wanted = new Set(accepted.map((recordId) => idBytes(recordId).toString('latin1')));
  const kept: Buffer[] = [];
  for (let at = 0; at < leaves.length; at += LEAF_BYTES) {
    if (wanted.delete(leaves.toString('latin1', at, at + ID_BYTES)))
      kept.push(leaves.subarray(at, at + LEAF_BYTES));
  }
  return Buffer.concat(kept);
}
