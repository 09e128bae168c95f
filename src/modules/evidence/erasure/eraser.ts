import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Logger } from 'pino';
import { changeOf, ownAttempt } from '../../../caller/access-log';
import { insertEntries } from '../../../caller/access-log.store';
import { ADVISORY_LOCKS } from '../../../database/advisory-locks';
import { type OwnerDoor, type Prisma, type Step, stepIn } from '../../../database/clients';
import { TenantRounds } from '../../../database/distribute/tenant-rounds';
import { isFree, type Leased, Leases } from '../../../database/lease';
import { DAY_MS, HOUR_MS } from '../../../event/event-time';
import { ID_BYTES, idText, msOfRecordId } from '../../../event/record-id';
import { LIMITS } from '../../../limits';
import { archiveOf, sealedIn, snapshotOf } from '../../../store/archive/archive';
import { fullDiskIn } from '../../../store/archive/full-disk';
import {
  forgetValues,
  inTurn,
  type RemovedDelta,
  removing,
  settleRemoval,
} from '../../../store/counts/remove-events';
import { enterOwn } from '../../../store/log/evidence/enter-own';
import {
  type Erasure,
  erasureLeaf,
  erasureText,
  parseErasure,
  rangesOf,
} from '../../../store/log/evidence/erasure-entry';
import type { ErasureFiles } from '../../../store/log/evidence/erasure-files';
import { ERASED_ID } from '../../../store/log/evidence/own-entry';
import { TILE_WIDTH } from '../../../store/log/evidence/tiles';
import { weekOfMs } from '../../../store/rows/partitions';
import { oneTenant } from '../../../tenant-set';
import type { LogKeys } from '../log-head';
import { PUT_PLACES } from '../log-statements';
import { loadHead } from '../log-writer';
import type { Holds } from './erasure.resolver';
import { forgetLearned, PURGED_TABLES, purgeCopies } from './purge';

const ERASING: Leased = {
  table: 'audit_erasure',
  key: { tenant_id: 'int', erasure_id: 'uuid' },
  holder: 'holder',
  until: 'held_until',
  ms: 600_000,
};

const OPEN = (of: (column: string) => string) => `
SELECT e.tenant_id AS "tenantId", e.erasure_id::text AS "erasureId", e.at, e.erased_by AS "erasedBy", e.reason, e.events,
  e.problem
FROM audit_erasure e WHERE e.ended_at IS NULL AND ${isFree(ERASING, 'e')} AND ${of('e.tenant_id')} ORDER BY 1`;

/** Those that have their entry in the log. */
const NOTED = (of: (column: string) => string) => `
SELECT e.tenant_id AS "tenantId", e.erasure_id::text AS "erasureId" FROM audit_erasure e
WHERE e.entry IS NOT NULL AND ${of('e.tenant_id')} ORDER BY 2 DESC`;
const ENTRY = 'SELECT e.entry FROM audit_erasure e WHERE e.tenant_id = $1::int AND e.erasure_id = $2::uuid';

const LAST_END = (of: (column: string) => string) =>
  `SELECT max(e.ended_at) AS "endedAt" FROM audit_erasure e WHERE ${of('e.tenant_id')}`;

const RECORDS = `
SELECT r.record_id::text AS id FROM audit_erasure_record r
WHERE r.tenant_id = $1::int AND r.erasure_id = $2::uuid ORDER BY r.record_id`;

/** The tiles that may hold some records. $2: record ids, $3: their hours */
const TILES_OF = `
SELECT t.tile, t.record_ids FROM audit_log_tile t
WHERE t.tenant_id = $1::int AND t.level = 0 AND t.tile IN (
  SELECT p.tile FROM unnest(string_to_array($2::text, ',')::uuid[], string_to_array($3::text, ',')::int[]) AS r(record_id, hour),
    audit_log_place p
  WHERE p.tenant_id = $1::int AND p.hour = r.hour AND p.first_id <= r.record_id AND p.last_id >= r.record_id)
ORDER BY t.tile`;

const WAITS = `
SELECT EXISTS (SELECT FROM audit_log_queue q WHERE q.tenant_id = $1::int AND NOT q.refused) AS waits,
  EXISTS (SELECT FROM audit_log_queue q WHERE q.tenant_id = $1::int AND q.refused AND q.batch_id = $2::uuid) AS refused`;

/** Those of some records that are stored, and wait for their place in the log. */
const WAITING_AGAIN = `
SELECT e.record_id::text AS id FROM audit_event e
WHERE e.tenant_id = $1::int AND e.record_id = ANY(string_to_array($2::text, ',')::uuid[]) AND EXISTS (
  SELECT FROM audit_log_queue q WHERE q.tenant_id = $1::int AND NOT q.refused
    AND (q.accepted IS NULL OR e.record_id = ANY(q.accepted)) AND position(uuid_send(e.record_id) IN q.leaves) > 0)`;

const NOTE_ENTRY = `
UPDATE audit_erasure SET entry = $3::text WHERE tenant_id = $1::int AND erasure_id = $2::uuid AND entry IS NULL
RETURNING erasure_id`;

const REMOVE = removing(`e.record_id = ANY(string_to_array($2::text, ',')::uuid[])`);
const FORGET_MARKED = `
DELETE FROM audit_clock WHERE tenant_id = $1::int AND record_id = ANY(string_to_array($2::text, ',')::uuid[])`;

const SEALED_WEEKS = `
SELECT w.week FROM audit_sealed_week w
WHERE w.tenant_id = $1::int AND w.week = ANY(string_to_array($2::text, ',')::int[]) ORDER BY w.week`;

const LOCK_LOG = `SELECT pg_advisory_xact_lock(${ADVISORY_LOCKS.evidenceLog}, $1::int)`;
const BLANK = `
UPDATE audit_log_tile SET record_ids = decode($3, 'hex') WHERE tenant_id = $1::int AND level = 0 AND tile = $2::int`;
const FORGET_PLACES = 'DELETE FROM audit_log_place WHERE tenant_id = $1::int AND tile = $2::int';

const FORGET_RECORDS = 'DELETE FROM audit_erasure_record WHERE tenant_id = $1::int AND erasure_id = $2::uuid';
const END = `
UPDATE audit_erasure SET ended_at = statement_timestamp(), problem = NULL
WHERE tenant_id = $1::int AND erasure_id = $2::uuid AND ended_at IS NULL`;
const NOTE_PROBLEM = `
UPDATE audit_erasure SET problem = $3::text WHERE tenant_id = $1::int AND erasure_id = $2::uuid AND ended_at IS NULL`;

/** Files outside of the database that no week has any more go at the next round of the archive, and not a day later. */
const UNLIST_AT_ONCE = `
UPDATE audit_sealed_file f SET unlisted_since = 'epoch' WHERE f.tenant_id = $1::int AND NOT EXISTS (
  SELECT FROM audit_sealed_week w WHERE w.tenant_id = $1::int AND w.sha256 = f.sha256)`;

/** What an erasure leaves free, and dead rows with it. */
const VACUUMED = [
  ...['audit_event', 'audit_delta', 'audit_count', 'audit_dim', 'audit_word', 'audit_segment', 'audit_clock'],
  ...['audit_log_tile', 'audit_log_place', 'audit_erasure_record', 'audit_sealed_piece', 'audit_sealed_week'],
  ...PURGED_TABLES,
];

interface Noted {
  readonly tenantId: number;
  readonly erasureId: string;
}
interface OpenErasure extends Noted {
  readonly at: Date;
  readonly erasedBy: string;
  readonly reason: string;
  readonly events: number;
  readonly problem: string | null;
}

/** An attempt ended: the erasure is over, goes on with the next attempt, or waits for what the text names. */
type Attempted = 'over' | 'goes on' | { readonly waits: string };

/** The erasure waits until the holds have ended. */
class HeldBack extends Error {
  constructor(kept: number) {
    super(
      `legal holds, made since it began, keep ${kept} of the next events: it waits until they have ended`,
    );
  }
}

interface LeafTile {
  readonly tile: number;
  readonly ids: Buffer;
}

/**
 * Carries erasures out. An erasure first has its entry in the evidence log, and a checkpoint has signed it, before
 * anything goes. Each step can be repeated, so that an erasure that was cut off goes on, at whatever instance.
 */
export class Eraser {
  readonly #rounds: TenantRounds;
  readonly #leases: Leases;
  readonly #holder = randomUUID();
  /** The end of the last erasure after which this instance removed its copies of files. */
  #tidiedFor = 0;
  /** Erasures that failed at the last attempt. */
  readonly #failed = new Set<string>();
  /**
   * What holds kept when they held an erasure back. Until that changes, no week of its events is brought back again, but
   * for one attempt a day: clocks may differ about when a hold ends.
   */
  readonly #heldBack = new Map<string, { readonly held: unknown; readonly untilMs: number }>();
  /** Erasures that are to be made again after a restore. */
  #lost: ReadonlySet<string> = new Set();
  #unreadable: readonly string[] = [];
  /** Whether erasures could not be noted outside of the database at the last look. */
  #lacksNotes = false;
  #looksAgainMs = 0;

  constructor(
    private readonly parts: {
      readonly owner: OwnerDoor;
      /** The owner's login without time limits, to clear tables. */
      readonly migrator: OwnerDoor;
      readonly keys: LogKeys;
      readonly holds: Holds;
      readonly files: ErasureFiles;
      /** Aborted when the service is told to stop: an erasure then goes on at another instance, or after the start. */
      readonly signal: AbortSignal;
      readonly now: () => Date;
      readonly log: Logger;
    },
  ) {
    this.#rounds = new TenantRounds(parts.owner);
    this.#leases = new Leases(parts.owner.models, ERASING);
  }

  get healthy(): boolean {
    return this.#failed.size === 0 && this.#lost.size === 0 && !this.#lacksNotes && !this.#unreadable.length;
  }

  /**
   * Notes the erasures of every instance outside of the database, and finds those that a restored database does not
   * know. It erases nothing.
   */
  async look(): Promise<void> {
    const { owner, files } = this.parts;
    await this.#findLost();
    const noted = await this.#rounds.ask((of) => owner.models.$queryRawUnsafe<Noted[]>(NOTED(of)));
    let failure: unknown = null;
    for (const { tenantId, erasureId } of noted)
      if (!files.has(erasureId))
        await this.#rounds.attempt(tenantId, async () => {
          const rows = await owner.models.$queryRawUnsafe<{ entry: string }[]>(ENTRY, tenantId, erasureId);
          // A disk that is full must not keep the erasure from saying so.
          for (const { entry } of rows)
            await files.note(entry).catch((error: unknown) => (failure ??= error));
        });
    this.#lacksNotes = failure !== null;
    if (failure !== null)
      this.parts.log.warn({ err: failure }, 'an erasure cannot be noted in DATA_DIR; it will be retried');
    this.#rounds.end();
  }

  async #findLost(): Promise<void> {
    const { files, log } = this.parts;
    const isDue = performance.now() >= this.#looksAgainMs;
    if (!isDue && this.#lost.size === 0) return;
    const lost = await files.lost(isDue ? undefined : this.#lost);
    if (isDue) this.#looksAgainMs = performance.now() + LIMITS.erasureLookMs;
    for (const name of files.unreadable)
      if (!this.#unreadable.includes(name))
        log.warn({ name }, 'a file in DATA_DIR has no erasure: bring it back from a backup, or take it away');
    this.#unreadable = files.unreadable;
    for (const { tenantId, erasureId, reason, recordIds } of lost)
      if (!this.#lost.has(erasureId))
        log.warn(
          { tenantId, erasureId, reason, events: recordIds.length },
          'events that were erased are there again, since the database was restored: say `audit-activity erase-again`',
        );
    this.#lost = new Set(lost.map(({ erasureId }) => erasureId));
  }

  async run(): Promise<number> {
    const open = await this.#rounds.ask((of) =>
      this.parts.owner.models.$queryRawUnsafe<OpenErasure[]>(OPEN(of)),
    );
    const known = new Set(open.map(({ erasureId }) => erasureId));
    for (const gone of [this.#failed, this.#heldBack])
      for (const erasureId of gone.keys()) if (!known.has(erasureId)) gone.delete(erasureId);
    for (const erasure of open)
      if (!this.parts.signal.aborted)
        await this.#rounds.attempt(erasure.tenantId, () => this.#attempt(erasure));
    await this.#forgetCopies();
    this.#rounds.end();
    return 0;
  }

  /** After each erasure, every instance removes its own copies of files. */
  async #forgetCopies(): Promise<void> {
    const { owner } = this.parts;
    const rows = await this.#rounds.ask((of) =>
      owner.models.$queryRawUnsafe<{ endedAt: Date | null }[]>(LAST_END(of)),
    );
    const last = Math.max(0, ...rows.map(({ endedAt }) => endedAt?.getTime() ?? 0));
    if (last <= this.#tidiedFor) return;
    if ((await archiveOf(owner)?.forgetUnlisted(owner)) !== false) this.#tidiedFor = last;
  }

  async #attempt(erasure: OpenErasure): Promise<void> {
    const { tenantId, erasureId } = erasure;
    const held = await this.parts.holds.of(tenantId);
    const before = this.#heldBack.get(erasureId);
    if (before && performance.now() < before.untilMs && isDeepStrictEqual(before.held, held)) return;
    const key = [tenantId, erasureId] as const;
    // It is read with the lease: another instance may have gone on since it was found.
    const how = { where: 'l.ended_at IS NULL', returning: 'l.entry' };
    const taken = await this.#leases.take<{ entry: string | null }>(key, this.#holder, how);
    if (!taken) return;
    const { models } = this.parts.owner;
    try {
      const attempted =
        taken.entry === null ? await this.#enter(erasure) : await this.#erase(erasure, taken.entry);
      this.#failed.delete(erasureId);
      await this.#noteWait(erasure, attempted);
      if (attempted === 'over')
        this.parts.log.info({ tenantId, erasureId, events: erasure.events }, 'events were erased');
    } catch (error) {
      const isHeld = error instanceof HeldBack;
      const failed = fullDiskIn(error) ?? 'an attempt failed';
      const text = isHeld ? error.message : `${failed}, and it is tried again: see the log of the service`;
      if (isHeld) this.#heldBack.set(erasureId, { held, untilMs: performance.now() + DAY_MS });
      else this.#failed.add(erasureId);
      await models.$executeRawUnsafe(NOTE_PROBLEM, tenantId, erasureId, text).catch(() => {});
      if (!isHeld) throw error;
    } finally {
      await this.#leases.release(key, this.#holder);
    }
  }

  /** What is waited for is a problem once it takes long: the log may not grow. */
  async #noteWait({ tenantId, erasureId, at, problem }: OpenErasure, attempted: Attempted): Promise<void> {
    const isLong = this.parts.now().getTime() - at.getTime() > LIMITS.erasureWaitsMs;
    const now = typeof attempted === 'object' && isLong ? attempted.waits : null;
    if (now === problem) return;
    await this.parts.owner.models.$executeRawUnsafe(NOTE_PROBLEM, tenantId, erasureId, now);
  }

  /** Adds the entry of the erasure to the evidence log, as soon as the log has all its events. */
  async #enter(erasure: OpenErasure): Promise<Attempted> {
    const { owner, keys } = this.parts;
    const { tenantId, erasureId, at } = erasure;
    return owner.steps(async (step) => {
      const head = await loadHead(step, tenantId, keys);
      const [state] = await step<{ waits: boolean }>(WAITS, [tenantId, erasureId]);
      const ids = (await step<{ id: string }>(RECORDS, [tenantId, erasureId])).map(({ id }) => id);
      const indexes: number[] = [];
      const found = new Set<string>();
      for (const some of chunksOf(ids)) {
        const wanted = new Set(some.map(hexOf));
        for (const { tile, ids: ofTile } of await tilesOf(step, tenantId, some))
          for (const [at, id] of idsIn(ofTile))
            if (wanted.has(id)) {
              indexes.push(tile * TILE_WIDTH + at);
              found.add(id);
            }
      }
      const isWaiting = state?.waits === true || head?.backfilled === false;
      if (found.size < ids.length && isWaiting)
        return { waits: 'the evidence log does not have all of its events yet' };
      const text = erasureText({
        ...erasure,
        tenantId: String(tenantId),
        at: at.toISOString(),
        entries: rangesOf(indexes.sort((a, b) => a - b)),
      });
      // Two entries of one erasure would be two that the log must explain.
      if ((await step(NOTE_ENTRY, [tenantId, erasureId, text])).length === 0) return 'goes on';
      await enterOwn(step, keys.own, tenantId, { id: erasureId, leaf: erasureLeaf(text) });
      return 'goes on';
    });
  }

  async #erase(erasure: OpenErasure, entry: string): Promise<Attempted> {
    const { owner, migrator, holds, files, signal, now } = this.parts;
    const { tenantId, erasureId, events } = erasure;
    if (!(await this.#isSigned(erasure)))
      return { waits: 'no checkpoint of the evidence log has signed its entry yet' };
    const erased = parseErasure(entry);
    if (!erased) throw new Error('the entry of the erasure was changed in the database');
    const places = placesNamedBy(erased);
    // From here on events go: whoever restores a database from before must be able to find them.
    await files.note(entry);
    const { models } = owner;
    const step = stepIn(models);
    const ids = (await models.$queryRawUnsafe<{ id: string }[]>(RECORDS, tenantId, erasureId)).map(
      ({ id }) => id,
    );
    for (const some of chunksOf(ids)) {
      if (signal.aborted) return 'goes on';
      await this.#restoreWeeks(tenantId, await stillDue(step, tenantId, some, places));
      await inTurn(owner, tenantId, async (tx) => {
        // Nobody appends to the log meanwhile: who does has its last tile in memory.
        await tx.$executeRawUnsafe(LOCK_LOG, tenantId);
        const due = await stillDue(stepIn(tx), tenantId, some, places);
        const kept = await holds.count(tx, tenantId, due);
        if (kept > 0) throw new HeldBack(kept);
        await removeAndBlank(tx, tenantId, due);
      });
      if (!(await this.#leases.renew([tenantId, erasureId], this.#holder))) return 'goes on';
    }
    // A week may have been put into a file anew, with these events, since it was brought back.
    for (const some of chunksOf(ids)) {
      const due = await stillDue(step, tenantId, some, places);
      if ((await this.#sealed(tenantId, due)).size > 0) return 'goes on';
    }
    for (const some of chunksOf(ids)) {
      if (signal.aborted) return 'goes on';
      await purgeCopies(owner, tenantId, some);
    }
    await forgetValues(owner, tenantId, (tx, gone) => forgetLearned(tx, tenantId, gone));
    await models.$executeRawUnsafe(UNLIST_AT_ONCE, tenantId);
    if ((await archiveOf(owner)?.forgetUnlisted(owner)) === false) return 'goes on';
    for (const table of VACUUMED) {
      if (signal.aborted) return 'goes on';
      await migrator.models.$executeRawUnsafe(`VACUUM ${table}`);
    }
    return owner.models.$transaction(async (tx) => {
      await tx.$executeRawUnsafe(FORGET_RECORDS, tenantId, erasureId);
      if ((await tx.$executeRawUnsafe(END, tenantId, erasureId)) === 0) return 'goes on';
      const attempt = ownAttempt('eraseEvents', now(), { tenantId: String(tenantId), events });
      await insertEntries(tx, [
        changeOf(attempt, { rows: events, tenantIds: [tenantId], subject: erasureId }),
      ]);
      // With its commit the erasure is over. After a crash before, its steps are done again.
      return 'over';
    });
  }

  /** Whether a checkpoint covers the entry of the erasure. */
  #isSigned({ tenantId, erasureId }: OpenErasure): Promise<boolean> {
    return this.parts.owner.steps(async (step) => {
      const [state] = await step<{ refused: boolean }>(WAITS, [tenantId, erasureId]);
      if (state?.refused) throw new Error('the entry of the erasure was changed in the database');
      const head = await loadHead(step, tenantId, this.parts.keys);
      const wanted = hexOf(erasureId);
      for (const { tile, ids } of await tilesOf(step, tenantId, [erasureId]))
        for (const [at, id] of idsIn(ids))
          if (id === wanted) return tile * TILE_WIDTH + at < (head?.signedSize ?? 0);
      return false;
    });
  }

  /** Brings the sealed weeks of events back into rows. They are put into files anew without the events. */
  async #restoreWeeks(tenantId: number, ids: readonly string[]): Promise<void> {
    const { owner } = this.parts;
    const known = await this.#sealed(tenantId, ids);
    if (known.size === 0) return;
    const weeks = [...new Set([...known].map((id) => weekOfMs(msOfRecordId(id))))];
    for (const week of weeks) await archiveOf(owner)?.restore(owner, tenantId, week);
  }

  /** Those of the events that lie in files. @throws Error: there are files, and they cannot be read here */
  async #sealed(tenantId: number, ids: readonly string[]): Promise<ReadonlySet<string>> {
    const { owner } = this.parts;
    const weeks = [...new Set(ids.map((id) => weekOfMs(msOfRecordId(id))))];
    const files = await owner.models.$queryRawUnsafe<object[]>(SEALED_WEEKS, tenantId, weeks.join());
    if (files.length === 0) return new Set();
    if (!archiveOf(owner))
      throw new Error('events of the erasure lie in files, which this instance cannot read');
    return snapshotOf(
      owner,
      oneTenant(tenantId),
      async (ask) => (await sealedIn(owner, ask)?.known(tenantId, ids)) ?? new Set<string>(),
    );
  }
}

/** The indexes of the entries that an erasure names. */
const placesNamedBy = ({ entries }: Erasure): ReadonlySet<number> =>
  new Set(entries.flatMap(([from, to]) => Array.from({ length: to - from }, (_, i) => from + i)));

/**
 * Those of some records that an erasure is of. One that was sent again after it was erased, before the erasure ended, has
 * another place in the log, which the erasure does not name: it stays.
 * @param places that the erasure names
 */
async function stillDue(
  step: Step,
  tenantId: number,
  ids: readonly string[],
  places: ReadonlySet<number>,
): Promise<readonly string[]> {
  const wanted = new Set(ids.map(hexOf));
  const [named, others] = [new Set<string>(), new Set<string>()];
  for (const { tile, ids: ofTile } of await tilesOf(step, tenantId, ids))
    for (const [at, id] of idsIn(ofTile))
      if (wanted.has(id)) (places.has(tile * TILE_WIDTH + at) ? named : others).add(id);
  const nowhere = ids.filter((id) => !named.has(hexOf(id)) && !others.has(hexOf(id)));
  const rows =
    nowhere.length === 0 ? [] : await step<{ id: string }>(WAITING_AGAIN, [tenantId, nowhere.join()]);
  const again = new Set([...others, ...rows.map(({ id }) => hexOf(id))]);
  return ids.filter((id) => !again.has(hexOf(id)));
}

/**
 * Deletes events, and their record ids in the log, in one transaction: no reader takes them for removed by retention. The
 * caller keeps others from appending to the log.
 */
async function removeAndBlank(
  tx: Prisma.TransactionClient,
  tenantId: number,
  ids: readonly string[],
): Promise<void> {
  const deltas = await tx.$queryRawUnsafe<RemovedDelta[]>(REMOVE, tenantId, ids.join());
  if (deltas.length > 0) await settleRemoval(tx, tenantId, deltas);
  await tx.$executeRawUnsafe(FORGET_MARKED, tenantId, ids.join());
  const step = stepIn(tx);
  const wanted = new Set(ids.map(hexOf));
  for (const { tile, ids: ofTile } of await tilesOf(step, tenantId, ids)) {
    let isChanged = false;
    for (const [at, id] of idsIn(ofTile))
      if (wanted.has(id)) {
        ERASED_ID.copy(ofTile, at * ID_BYTES);
        isChanged = true;
      }
    if (!isChanged) continue;
    await tx.$executeRawUnsafe(BLANK, tenantId, tile, ofTile.toString('hex'));
    await tx.$executeRawUnsafe(FORGET_PLACES, tenantId, tile);
    const places = placesOf(ofTile);
    await step(PUT_PLACES, [
      tenantId,
      places.map(({ hour }) => hour),
      places.map(() => tile),
      places.map(({ first }) => first),
      places.map(({ last }) => last),
    ]);
  }
}

/** From which id to which a tile holds those of an hour. */
function placesOf(ids: Buffer): { hour: number; first: string; last: string }[] {
  const places = new Map<number, { hour: number; first: string; last: string }>();
  for (const [at] of idsIn(ids)) {
    const bytes = ids.subarray(at * ID_BYTES, (at + 1) * ID_BYTES);
    if (ERASED_ID.equals(bytes)) continue;
    const id = idText(bytes);
    const hour = hourOfId(id);
    const place = places.get(hour) ?? { hour, first: id, last: id };
    if (id < place.first) place.first = id;
    if (id > place.last) place.last = id;
    places.set(hour, place);
  }
  return [...places.values()];
}

async function tilesOf(step: Step, tenantId: number, ids: readonly string[]): Promise<LeafTile[]> {
  const rows = await step<{ tile: number; record_ids: Uint8Array }>(TILES_OF, [
    tenantId,
    ids.join(),
    ids.map(hourOfId).join(),
  ]);
  return rows.map(({ tile, record_ids }) => ({ tile, ids: Buffer.from(record_ids) }));
}

const hourOfId = (id: string) => Math.floor(msOfRecordId(id) / HOUR_MS);
const hexOf = (id: string) => id.replaceAll('-', '');

/** The ids of a tile in hexadecimal, with their places. */
function* idsIn(ids: Buffer): Generator<readonly [at: number, id: string]> {
  for (let at = 0; (at + 1) * ID_BYTES <= ids.length; at++)
    yield [at, ids.toString('hex', at * ID_BYTES, (at + 1) * ID_BYTES)];
}

function* chunksOf(ids: readonly string[]): Generator<readonly string[]> {
  for (let at = 0; at < ids.length; at += LIMITS.erasureStepEvents)
    yield ids.slice(at, at + LIMITS.erasureStepEvents);
}
