import { setTimeout } from 'node:timers/promises';
import type { ErrorCode } from '../errors';
import { ID_BYTES, idBytes } from '../event/record-id';
import type { Answer } from '../event/shape';
import type { AUDIT_LOG } from '../modules/evidence/answer-fields';
import { parseNote } from '../modules/evidence/checkpoint';
import { isSameCheckpoint } from '../modules/evidence/verify/checkpoints';
import { endCountOf } from '../modules/evidence/verify/event-file';
import {
  entriesMax,
  type Hole,
  isTimeStamp,
  type LogCopy,
  type ProofCopy,
  type RemovalAnswer,
  type TimeStampCopy,
} from '../modules/evidence/verify/log-copy';
import { proofsToAsk } from '../modules/evidence/verify/proofs';
import { parseErasure } from '../store/log/evidence/erasure-entry';
import { HASH_BYTES } from '../store/log/evidence/merkle';
import { TILE_WIDTH } from '../store/log/evidence/tiles';
import { BoundedCalls, CALL_BOUNDS, unlike } from './bounded-calls';
import { CommandError } from './service-client';

const POLL_MS = 1_000;
/** A log has no more checkpoints than entries, but for those by which a new key signs the same entries. */
const KEY_CHANGES_MAX = 1_000;
/** Of a log that changes each time, the last copy is judged. */
const COPIES_MAX = 3;
const EXPORT = '/audit-activity/export';
const LOG = '/audit-log';
const CHECKPOINTS = '/audit-log/checkpoints';
const ENTRIES = '/audit-log/entries';
const REMOVALS = '/audit-log/removals';
const CONSISTENCY = '/audit-log/consistency';
/** The service says with this code that hashes, which a proof needs, were changed in its database. */
const CHANGED: ErrorCode = 'internal_error';

type AuditLogAnswer = Answer<typeof AUDIT_LOG>;
type CaughtUp = Pick<
  AuditLogAnswer,
  'tenantId' | 'publicKey' | 'size' | 'refusedEvents' | 'problem' | 'checkpoint'
> & {
  /** The number of entries that the log has as soon as it holds all events accepted before the wait. */
  readonly wanted: number;
};

/** The verifier's client of the public API. It needs a key that reads the tenant. It believes no answer that it can check. */
export class VerifyClient {
  readonly #calls: BoundedCalls;
  readonly #query: Readonly<Record<string, string>>;

  /**
   * @param tenantId may be left out if the key reads only one tenant
   * @param waitMs how long to wait for the log to catch up
   * @param isAccepted whether a checkpoint has all signatures that the verifier wants
   */
  constructor(
    url: string,
    apiKey: string,
    tenantId: string | undefined,
    private readonly waitMs: number,
    private readonly isAccepted: (note: string) => boolean = () => true,
  ) {
    this.#calls = new BoundedCalls(url, apiKey);
    this.#query = tenantId === undefined ? {} : { tenantId };
  }

  /**
   * Waits until the log holds, signed, all events accepted so far. Returns the log as it is when that takes too long or
   * the log has a problem.
   */
  async caughtUp(): Promise<CaughtUp> {
    const end = performance.now() + this.waitMs;
    const atFirst = await this.#auditLog();
    const wanted = atFirst.size + atFirst.waitingEvents;
    for (let log = atFirst; ; log = await this.#auditLog()) {
      const isOver = log.problem !== null || performance.now() > end;
      const isSigned = sizeOf(log.checkpoint) >= wanted && this.isAccepted(log.checkpoint ?? '');
      if ((isSigned && !log.backfilling) || isOver) return { ...log, wanted };
      await setTimeout(POLL_MS);
    }
  }

  /**
   * Writes the export of all events that the key reads.
   * @returns the message for an export with fewer events than were counted, to be used unless the log explains more;
   * null: the export is complete
   */
  async saveEvents(file: string): Promise<string | null> {
    const mostLines = (headers: Headers) => {
      const counted = countedBy(headers);
      return counted === null ? Number.POSITIVE_INFINITY : 2 * counted + CALL_BOUNDS.furtherLines;
    };
    const headers = await this.#calls.save(EXPORT, { format: 'ndjson', end: 1 }, file, mostLines);
    const [written, counted] = [await endCountOf(file), countedBy(headers) ?? 0];
    if (written === null) throw new CommandError('The export was cut: its last line is missing. Try again.');
    return written < counted
      ? `The export has ${written} of the ${counted} events that were there when it began. Try again.`
      : null;
  }

  /**
   * The log of one time. It is fetched again where an erasure was entered meanwhile, which may have taken record ids out of
   * the entries that were fetched.
   * @param before the newest checkpoint before the events were fetched
   */
  async log(before: string | null): Promise<LogCopy> {
    for (let attempt = 1; ; attempt++) {
      const copy = await this.#copy(before);
      if (attempt === COPIES_MAX || copy.erasures.every((text) => hasEntryOf(copy, text))) return copy;
    }
  }

  async #copy(before: string | null): Promise<LogCopy> {
    const { tenantId, publicKey, refusedEvents, problem, wanted, size } = await this.caughtUp();
    if (size > entriesMax())
      throw new CommandError(
        `The log has ${size} entries, and there is memory here for ${entriesMax()}: verify it where there is more.`,
      );
    const { checkpoints, timeStamps } = await this.#checkpoints(size);
    const entries = await this.#entries(size);
    // What is not among the entries any more is among the removals by now.
    const stated = await this.#removals();
    const about = { tenantId, publicKey, waitingEvents: Math.max(0, wanted - size), refusedEvents, problem };
    const proofs = entries.holes.length > 0 ? [] : await this.#proofs(size);
    return {
      ...about,
      before,
      checkpoints,
      timeStamps,
      ...stated,
      ...entries,
      proofs,
    };
  }

  async #removals(): Promise<Pick<LogCopy, 'removals' | 'erasures' | 'sealed'>> {
    // A service of before has no such lists.
    const { removals, erasures = [], fileEntries = [], files = [] } = await this.#object(REMOVALS, {});
    if (!Array.isArray(removals)) throw unlike(REMOVALS, 'it has no list of removals');
    if (!isTexts(erasures)) throw unlike(REMOVALS, 'its erasures are no texts');
    if (!isTexts(fileEntries) || !isTexts(files)) throw unlike(REMOVALS, 'its files are no texts');
    return { removals: removals as RemovalAnswer[], erasures, sealed: { fileEntries, files } };
  }

  /**
   * All checkpoints. The next page begins behind as many numbers as this one has notes, so a changed note neither leads
   * back nor past others. Only where numbers are missing do notes come twice.
   */
  async #checkpoints(size: number): Promise<Pick<LogCopy, 'checkpoints' | 'timeStamps'>> {
    const checkpoints: string[] = [];
    const stamps = new Map<number, TimeStampCopy>();
    for (let after = 0; ; ) {
      // A service of an earlier build has no time stamps.
      const { checkpoints: page, timeStamps = [] } = await this.#object(CHECKPOINTS, { after });
      if (!isTexts(page)) throw unlike(CHECKPOINTS, 'it has no list of checkpoints');
      if (!Array.isArray(timeStamps) || !timeStamps.every(isTimeStamp) || timeStamps.length > page.length)
        throw unlike(CHECKPOINTS, 'it has no list of time stamps');
      if (page.length === 0) return { checkpoints, timeStamps: [...stamps.values()] };
      for (const one of timeStamps) stamps.set(one.number, one);
      const areMissing = (parseNote(checkpoints.at(-1) ?? '')?.number ?? 0) > after;
      checkpoints.push(...page.slice(areMissing ? repeated(checkpoints, page) : 0));
      if (checkpoints.length > size + KEY_CHANGES_MAX)
        throw unlike(
          CHECKPOINTS,
          `the log has ${size} entries, and more than ${size + KEY_CHANGES_MAX} checkpoints`,
        );
      after += page.length;
    }
  }

  /** Loads the entries. Removed entries are holes: zeros in their places, so that the others keep their positions. */
  async #entries(size: number): Promise<Pick<LogCopy, 'recordIds' | 'leafHashes' | 'holes'>> {
    const [recordIds, leafHashes]: [Buffer[], Buffer[]] = [[], []];
    const holes: Hole[] = [];
    // A page ends at the end of a tile at the earliest, unless entries are missing there: then the next begins behind them.
    let pagesLeft = 2 * Math.ceil(size / TILE_WIDTH) + 2;
    for (let at = 0; at < size; ) {
      if (pagesLeft-- === 0)
        throw unlike(ENTRIES, 'it has few entries each time, and never comes to the end');
      const page = await this.#page(at);
      const to = page.count === 0 && page.start === at ? size : Math.min(page.start, size);
      if (to > at) {
        holes.push({ from: at, to });
        recordIds.push(Buffer.alloc((to - at) * ID_BYTES));
        leafHashes.push(Buffer.alloc((to - at) * HASH_BYTES));
      }
      const count = Math.min(page.count, size - to);
      recordIds.push(page.recordIds.subarray(0, count * ID_BYTES));
      leafHashes.push(page.leafHashes.subarray(0, count * HASH_BYTES));
      at = to + count;
    }
    return { recordIds: Buffer.concat(recordIds), leafHashes: Buffer.concat(leafHashes), holes };
  }

  async #page(at: number): Promise<{ start: number; count: number; recordIds: Buffer; leafHashes: Buffer }> {
    const { start, count, recordIds, leafHashes } = await this.#object(ENTRIES, { start: at });
    if (!isCount(start) || !isCount(count)) throw unlike(ENTRIES, 'it has no start and count');
    if (start < at) throw unlike(ENTRIES, `it goes back: asked from ${at} on, it begins at ${start}`);
    const [ids, hashes] = [recordIds, leafHashes].map((text) => Buffer.from(String(text), 'base64')) as [
      Buffer,
      Buffer,
    ];
    if (ids.length !== count * ID_BYTES || hashes.length !== count * HASH_BYTES)
      throw unlike(
        ENTRIES,
        `it states ${count} entries, and has ${ids.length / ID_BYTES} record ids and ${hashes.length / HASH_BYTES} hashes`,
      );
    return { start, count, recordIds: ids, leafHashes: hashes };
  }

  /** Proofs of consistency that are made of every hash that the service keeps above the entries. */
  async #proofs(size: number): Promise<ProofCopy[]> {
    const proofs: ProofCopy[] = [];
    for (const from of proofsToAsk(size)) {
      try {
        const { hashes } = await this.#object(CONSISTENCY, { from, to: size });
        if (!isTexts(hashes)) throw unlike(CONSISTENCY, 'it has no list of hashes');
        proofs.push({ from, to: size, hashes });
      } catch (error) {
        if (!(error instanceof CommandError) || error.code !== CHANGED) throw error;
        proofs.push({ from, to: size, hashes: null });
      }
    }
    return proofs;
  }

  async #auditLog(): Promise<AuditLogAnswer> {
    const answer = (await this.#object(LOG, {})) as Partial<AuditLogAnswer>;
    const { tenantId, publicKey, size, waitingEvents, refusedEvents, problem, checkpoint } = answer;
    const areTexts = [tenantId, publicKey, problem ?? '', checkpoint ?? ''].every(
      (text) => typeof text === 'string',
    );
    if (!areTexts || !isCount(size) || !isCount(waitingEvents) || !isCount(refusedEvents))
      throw unlike(LOG, 'it does not say how far the log is');
    return { ...(answer as AuditLogAnswer), problem: problem ?? null, checkpoint: checkpoint ?? null };
  }

  async #object(
    path: string,
    query: Readonly<Record<string, number>>,
  ): Promise<Readonly<Record<string, unknown>>> {
    const data = await this.#calls.data(path, { ...this.#query, ...query });
    if (typeof data !== 'object' || data === null) throw unlike(path, 'its data is no object');
    return data as Readonly<Record<string, unknown>>;
  }
}

/** Whether the entry of an erasure is among the entries. */
function hasEntryOf({ recordIds }: Pick<LogCopy, 'recordIds'>, text: string): boolean {
  const erasure = parseErasure(text);
  return erasure === null || recordIds.includes(idBytes(erasure.erasureId));
}

const sizeOf = (note: string | null): number => (note === null ? 0 : (parseNote(note)?.size ?? 0));
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((text) => typeof text === 'string');

function countedBy(headers: Headers): number | null {
  const text = headers.get('X-Total-Count');
  return text !== null && isCount(Number(text)) ? Number(text) : null;
}

/** How many notes a page has at its beginning that are the last ones of those before. */
function repeated(before: readonly string[], page: readonly string[]): number {
  for (let count = Math.min(before.length, page.length); count > 0; count--) {
    const last = before.slice(before.length - count);
    if (last.every((note, i) => isSameCheckpoint(note, page[i] ?? ''))) return count;
  }
  return 0;
}
