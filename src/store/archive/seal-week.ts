import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { entryIdAt } from '../../caller/access-log';
import { type OwnerDoor, type Prisma, stepIn } from '../../database/clients';
import type { Ask } from '../columns/ask';
import { BOTH_COUNTS, NO_MORE_NUMBERS, UNCOUNTED } from '../counts/by-instance';
import { HOURS_PER_DAY } from '../counts/dimensions';
import { takeTenant } from '../counts/turns';
import { enterOwn } from '../log/evidence/enter-own';
import { fileEntryLeaf, fileEntryText, type SealedFile } from '../log/evidence/file-entry';
import type { CheckpointKey } from '../log/evidence/note-key';
import { floorOfWeek, hoursOfWeek, startOfWeek } from '../rows/partitions';
import type { FileCache, ListedFile } from './file-cache';
import type { FileName, FilePlace } from './file-place';
import { forgetWeeks } from './forget-week';
import { LAYOUT_VERSION } from './layout';
import { listOutside, putOutside } from './outside-files';
import { NotProven, prove } from './prove-file';
import type { FileWriter } from './questions';
import { dropWeekIndex } from './week-index';
import { type Draft, writeDraft } from './write-draft';

/** The outcome of an attempt to seal a week. */
export type Sealing =
  /** Its events lie in a file now, and not in rows. */
  | { readonly outcome: 'sealed'; readonly events: number; readonly bytes: number }
  /** It has no rows. */
  | { readonly outcome: 'empty' }
  /** Something must happen first; a later attempt may succeed. */
  | { readonly outcome: 'waits'; readonly because: string };

/** Writes what else belongs to the change of a week, in its transaction. @param events that were moved */
export type InTransaction = (tx: Prisma.TransactionClient, events: number) => Promise<unknown>;

const CHANGED: Sealing = { outcome: 'waits', because: 'events of the week came or went meanwhile' };

/** Rolls the transaction back: the week's rows are not those of the file any more. */
class Changed extends Error {}

const PIECE_BYTES = 256 * 1024;
/** Whether the week has hours that are not folded yet, days that are still to be counted by instance, or events
 * that retention counts from their arrival. */
const WAITS = `
SELECT
  EXISTS (SELECT FROM audit_delta x WHERE x.tenant_id = $1::int AND x.hour >= $2::int AND x.hour < $3::int) AS folds,
  EXISTS (SELECT FROM audit_clock k WHERE k.tenant_id = $1::int AND k.record_id >= $4::uuid AND k.record_id < $5::uuid)
    AS marks,
  EXISTS (SELECT FROM audit_count c WHERE c.tenant_id = $1::int AND ${BOTH_COUNTS}
    AND c.bucket >= $2::int / ${HOURS_PER_DAY} AND c.bucket < $3::int / ${HOURS_PER_DAY}
    GROUP BY c.bucket HAVING ${UNCOUNTED} <> 0) AND NOT EXISTS (${NO_MORE_NUMBERS}) AS days`;

/** The file that a week has. */
const FILE = `
SELECT w.tenant_id AS "tenantId", w.week, w.sha256, w.events::float8 AS events, w.first_id::text AS "firstId",
  w.last_id::text AS "lastId"
FROM audit_sealed_week w WHERE w.tenant_id = $1::int AND w.week = $2::int`;

const NEXT_GENERATION = 'UPDATE audit_archive SET generation = generation + 1 WHERE tenant_id = $1::int';

const COUNT_ROWS = `
SELECT count(*)::float8 AS n, coalesce(bit_xor(uuid_hash_extended(e.record_id, 0)), 0)::text AS digest FROM audit_event e
WHERE e.tenant_id = $1::int AND e.record_id >= $2::uuid AND e.record_id < $3::uuid`;

const TAKE_ROWS = `
WITH gone AS (
  DELETE FROM audit_event e WHERE e.tenant_id = $1::int AND e.record_id >= $2::uuid AND e.record_id < $3::uuid
  RETURNING e.record_id)
SELECT count(*)::float8 AS n, coalesce(bit_xor(uuid_hash_extended(g.record_id, 0)), 0)::text AS digest FROM gone g`;

const PUT_WEEK = `
INSERT INTO audit_sealed_week (tenant_id, week, layout, sha256, bytes, events, first_id, last_id)
SELECT t.tenant_id, $2::int, $3::smallint, $4::text, $5::bigint, $6::bigint, $7::uuid, $8::uuid
FROM tenant t WHERE t.tenant_id = $1::int`;

const PUT_ENTRY = `
INSERT INTO audit_sealed_entry (tenant_id, entry_id, entry)
SELECT t.tenant_id, $2::uuid, $3::text FROM tenant t WHERE t.tenant_id = $1::int`;

const PUT_PIECE = `
INSERT INTO audit_sealed_piece (tenant_id, sha256, part, bytes)
SELECT t.tenant_id, $2::text, $3::int, $4::bytea FROM tenant t WHERE t.tenant_id = $1::int`;

interface Parts {
  readonly owner: OwnerDoor;
  /** Authenticates the entries of files on their way to the evidence log. */
  readonly key: CheckpointKey;
  readonly writer: FileWriter;
  readonly cache: FileCache;
  /** Where files are made. */
  readonly folder: string;
  /** Where files lie; null, or not given: in the database. */
  readonly place?: FilePlace | null;
  /** Left free on the disk of the folder. */
  readonly roomBytes?: number;
}

/** A week that was sealed before events of it came late. */
interface Former extends ListedFile {
  readonly events: number;
  readonly firstId: string;
  readonly lastId: string;
}

/**
 * Seals a week of a tenant: writes its rows to a file, with the events of the file that the week has, reads each event
 * back, compares the hash of its leaf with the evidence log's, and then, in one transaction, stores the file and its
 * entry in the list and deletes the rows.
 * @throws NotProven
 */
export async function sealWeek(
  parts: Parts,
  tenantId: number,
  week: number,
  also?: InTransaction,
): Promise<Sealing> {
  const { owner, folder } = parts;
  const waits = await whatWaits(owner.models, tenantId, week);
  if (waits) return { outcome: 'waits', because: waits };
  const own = await mkdtemp(path.join(folder, 'seal-'));
  const [lines, target] = [path.join(own, 'lines'), path.join(own, 'events.parquet')];
  try {
    const former = await formerOf(owner.models, tenantId, week);
    const draft = await writeDraft(owner, tenantId, week, lines, parts.roomBytes);
    if (draft === null) return { outcome: 'empty' };
    if ('because' in draft) return { outcome: 'waits', because: draft.because };
    // Else an event may be among the rows and in the file, which would look like one that somebody doubled.
    if ((await formerOf(owner.models, tenantId, week))?.sha256 !== former?.sha256) return CHANGED;
    const events = draft.events + (former?.events ?? 0);
    const written = await writeFile(parts, former, { lines, target, lineBytes: draft.lineBytes });
    await rm(lines);
    if (written !== events)
      throw new NotProven(`${events} events were to be written, and the file has ${written}`);
    try {
      await prove(parts, tenantId, target, events);
    } catch (error) {
      // An erasure takes the record ids out of the log, with the rows.
      if (error instanceof NotProven && !(await hasRowsOf(draft, owner.models, tenantId, week)))
        return CHANGED;
      throw error;
    }
    const bytes = await store(parts, { tenantId, week, target, draft, former, also });
    return bytes === null ? CHANGED : { outcome: 'sealed', events, bytes };
  } finally {
    await rm(own, { recursive: true, force: true });
  }
}

async function formerOf(
  tx: Pick<Prisma.TransactionClient, '$queryRawUnsafe'>,
  tenantId: number,
  week: number,
): Promise<Former | null> {
  const [former] = await tx.$queryRawUnsafe<Former[]>(FILE, tenantId, week);
  return former ?? null;
}

/** Whether the rows of the week are those that were written. */
async function hasRowsOf(
  draft: Draft,
  tx: Pick<Prisma.TransactionClient, '$queryRawUnsafe'>,
  tenantId: number,
  week: number,
): Promise<boolean> {
  const [row] = await tx.$queryRawUnsafe<{ n: number; digest: string }[]>(
    COUNT_ROWS,
    tenantId,
    floorOfWeek(week),
    floorOfWeek(week + 1),
  );
  return isOfDraft(row, draft);
}

const isOfDraft = (
  rows: { readonly n: number; readonly digest: string } | undefined,
  draft: Draft,
): boolean => rows?.n === draft.events && BigInt(rows.digest) === draft.digest;

/** @returns the number of events in the file */
function writeFile(
  { owner, writer, cache }: Parts,
  former: Former | null,
  {
    lines,
    target,
    lineBytes,
  }: { readonly lines: string; readonly target: string; readonly lineBytes: number },
): Promise<number> {
  const ask: Ask = <R extends object>({ text, values }: Prisma.Sql) =>
    owner.models.$queryRawUnsafe<R[]>(text, ...values);
  return cache.using(former ? [former] : [], ask, ([known]) =>
    writer.write(lines, known ?? null, target, lineBytes),
  );
}

async function whatWaits(
  tx: Pick<Prisma.TransactionClient, '$queryRawUnsafe'>,
  tenantId: number,
  week: number,
): Promise<string | null> {
  const [row] = await tx.$queryRawUnsafe<{ folds: boolean; marks: boolean; days: boolean }[]>(
    WAITS,
    tenantId,
    ...hoursOfWeek(week),
    floorOfWeek(week),
    floorOfWeek(week + 1),
  );
  if (row?.folds) return 'counts of the week are not folded';
  if (row?.days) return 'days of the week are not counted by instance yet';
  return row?.marks ? 'retention counts events of the week from their arrival' : null;
}

/** @returns the bytes of the file; null: the rows are not those of the file any more, and stay */
async function store(
  { owner, key, place = null }: Parts,
  {
    tenantId,
    week,
    target,
    draft,
    former,
    also,
  }: {
    readonly tenantId: number;
    readonly week: number;
    readonly target: string;
    readonly draft: Draft;
    readonly former: Former | null;
    readonly also: InTransaction | undefined;
  },
): Promise<number | null> {
  const name = { tenantId, sha256: await sha256Of(target) };
  const { size } = await stat(target);
  if (place) await putOutside(owner, place, name, target, size);
  const work = async (tx: Prisma.TransactionClient) => {
    await tx.$executeRawUnsafe(`SET LOCAL lock_timeout = '60s'`);
    await takeTenant(tx, tenantId);
    // Waits for whoever is storing events of earlier weeks; who comes later waits, and then finds another generation.
    if ((await tx.$executeRawUnsafe(NEXT_GENERATION, tenantId)) !== 1)
      throw new Error(`tenant ${tenantId} was not announced as one with files`);
    if (await whatWaits(tx, tenantId, week)) throw new Changed();
    if ((await formerOf(tx, tenantId, week))?.sha256 !== former?.sha256) throw new Changed();
    await forgetWeeks(tx, tenantId, { from: week, to: week + 1 });
    const [gone] = await tx.$queryRawUnsafe<{ n: number; digest: string }[]>(
      TAKE_ROWS,
      tenantId,
      floorOfWeek(week),
      floorOfWeek(week + 1),
    );
    if (!isOfDraft(gone, draft)) throw new Changed();
    await dropWeekIndex(tx, tenantId, week);
    if (!place) await storePieces(tx, name, target);
    else if (!(await listOutside(tx, name))) throw new Changed();
    const file: SealedFile = {
      week: new Date(startOfWeek(week)).toISOString(),
      layout: LAYOUT_VERSION,
      sha256: name.sha256,
      bytes: size,
      events: draft.events + (former?.events ?? 0),
      firstId: least(draft.firstId, former?.firstId),
      lastId: greatest(draft.lastId, former?.lastId),
    };
    const { layout, sha256, bytes, events, firstId, lastId } = file;
    await tx.$executeRawUnsafe(PUT_WEEK, tenantId, week, layout, sha256, bytes, events, firstId, lastId);
    await enterFile(tx, key, tenantId, file);
    await also?.(tx, draft.events);
    return size;
    // From the commit on the file answers. After a crash before, the rows do.
  };
  try {
    return await owner.models.$transaction(work, { timeout: 3_600_000, maxWait: 60_000 });
  } catch (error) {
    if (error instanceof Changed) return null;
    throw error;
  }
}

/** Lets the evidence log say that a week was put into this file. */
async function enterFile(
  tx: Prisma.TransactionClient,
  key: CheckpointKey,
  tenantId: number,
  file: SealedFile,
): Promise<void> {
  const at = new Date();
  const entryId = entryIdAt(at.getTime());
  const text = fileEntryText({ entryId, tenantId: String(tenantId), at: at.toISOString(), file });
  await tx.$executeRawUnsafe(PUT_ENTRY, tenantId, entryId, text);
  await enterOwn(stepIn(tx), key, tenantId, { id: entryId, leaf: fileEntryLeaf(text) });
}

async function storePieces(
  tx: Prisma.TransactionClient,
  { tenantId, sha256 }: FileName,
  file: string,
): Promise<void> {
  let part = 0;
  for await (const piece of createReadStream(file, { highWaterMark: PIECE_BYTES })) {
    await tx.$executeRawUnsafe(PUT_PIECE, tenantId, sha256, part, piece);
    part += 1;
  }
}

async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(file)) hash.update(piece as Buffer);
  return hash.digest('hex');
}

const least = (id: string, other = id) => (other < id ? other : id);
const greatest = (id: string, other = id) => (other > id ? other : id);
