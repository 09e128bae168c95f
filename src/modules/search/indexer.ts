import { randomUUID } from 'node:crypto';
import type { OwnerDoor, Step } from '../../database/clients';
import { TenantRounds } from '../../database/distribute/tenant-rounds';
import { isFailure } from '../../database/failure';
import { Pauses } from '../../deadline';
import { HOUR_MS } from '../../event/event-time';
import { LIMITS } from '../../limits';
import { COLUMN_FIELDS } from '../../store/columns/column-fields';
import { tryTurn } from '../../store/counts/turns';
import { HourColumns, type PackedColumns } from './hour-columns';
import { HourWords } from './hour-words';
import {
  GIVE_VERSION,
  INDEX_AGAIN,
  LACKS_COLUMNS,
  PUT_SEGMENTS,
  PUT_WORDS,
  readEvents,
  toList,
} from './index-statements';
import { ValueNumbers } from './value-numbers';

const HOURS_PER_STEP = 168;
const HOURS_PER_READ = 24;
/**
 * The most bytes of texts that one read takes for all hours; a single event may exceed it. They are in memory several
 * times.
 */
const BYTES_PER_READ = 8 * 1024 * 1024;
/** The most events of one hour in one read. */
const EVENTS_PER_READ = 1_000;
const READ_EVENTS = readEvents(EVENTS_PER_READ);
/** An hour with more words would take too much memory. It is not indexed, and searches read its events. */
const WORDS_PER_HOUR_MAX = 500_000;
/**
 * The pause between two looks for hours without columns. The previous release still writes such hours while it runs.
 */
const OLD_HOURS_REST_MS = 6 * HOUR_MS;
/** SQL: no delta of the hour waits to be folded. */
const NOTHING_WAITS = `AND NOT EXISTS (SELECT FROM audit_delta x
        WHERE x.tenant_id = audit_unindexed.tenant_id AND x.hour = audit_unindexed.hour)`;
const FIRST_RECORD = '00000000-0000-0000-0000-000000000000';

interface Chunk {
  readonly hour: number;
  /** The following fields are null if no event of the hour is read. */
  readonly n: number;
  readonly last: string | null;
  readonly texts: string | null;
  /** Whether the hour has been read to its end. */
  readonly ended: boolean;
  readonly [column: string]: unknown;
}

interface IndexedHour {
  readonly hour: number;
  readonly words: HourWords;
  readonly columns: PackedColumns;
}

/**
 * Keeps the search index and the columns up to date with the stored events. They may lag, because searches read events
 * that are not indexed yet. An hour is indexed when nothing was stored in it for a while, so that a busy hour is not
 * indexed repeatedly. The current hour must be quiet for longer, because each single event would cause it to be indexed
 * again.
 */
export class Indexer {
  readonly #due: string;
  readonly #rounds: TenantRounds;
  #restsUntil = 0;
  /** By what is to be done, the last tenant of the run before; 0: there was no further one. */
  readonly #last = { due: 0, old: 0 };

  /**
   * @param quiet how long an hour must be unchanged; `liveMs`: for an hour that has not ended, or is in the future;
   * `folded`: whether an hour with waiting deltas is still being filled. A fold of several batches is all that shows a
   * change, and the next one may come later than these times.
   */
  constructor(
    private readonly owner: OwnerDoor,
    quiet: { readonly pastMs: number; readonly liveMs: number; readonly folded: boolean },
    private readonly wordsPerHourMax = WORDS_PER_HOUR_MAX,
    private readonly restMs = OLD_HOURS_REST_MS,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.#rounds = new TenantRounds(owner);
    // After the database's clock was set back, a change lies ahead of it.
    this.#due = `(changed_at > now() OR changed_at < now() - interval '1 millisecond' *
      CASE WHEN hour < floor(extract(epoch FROM now()) / 3600) THEN ${quiet.pastMs} ELSE ${quiet.liveMs} END)
      ${quiet.folded ? NOTHING_WAITS : ''}`;
  }

  /** @returns the number of hours done; 0 if there is nothing to do now */
  async run(): Promise<number> {
    return (await this.#indexDue()) || this.#putOldHoursOn();
  }

  /**
   * Gives versions to hours that a release before indexed, and puts those that lack columns on the list again, while there
   * is nothing else to do.
   * @returns the number of these hours
   */
  async #putOldHoursOn(): Promise<number> {
    if (this.now() < this.#restsUntil) return 0;
    const tenants = await this.#next('old', 'audit_segment s', `(${LACKS_COLUMNS} OR s.version IS NULL)`);
    const put: (number | null)[] = [];
    for (const tenantId of tenants)
      put.push(
        await this.#rounds.attempt(tenantId, async () => {
          const { models } = this.owner;
          const given = await models.$executeRawUnsafe(GIVE_VERSION, tenantId, randomUUID(), HOURS_PER_STEP);
          return given + (await models.$executeRawUnsafe(INDEX_AGAIN, tenantId, HOURS_PER_STEP));
        }),
      );
    this.#rounds.end();
    const hours = put.reduce<number>((sum, count) => sum + (count ?? 0), 0);
    if (hours === 0 && !put.includes(null) && this.#last.old === 0)
      this.#restsUntil = this.now() + this.restMs;
    return hours;
  }

  async #indexDue(): Promise<number> {
    const tenants = await this.#next('due', 'audit_unindexed', this.#due);
    let hours = 0;
    for (const tenantId of tenants)
      hours += (await this.#rounds.attempt(tenantId, () => this.#index(tenantId).catch(noneIfLate))) ?? 0;
    this.#rounds.end();
    return hours;
  }

  /**
   * The tenants that have rows with some work, behind those of the run before: tenants whose work fails keep their rows, and
   * others have their turn too.
   */
  async #next(what: 'due' | 'old', table: string, condition: string): Promise<readonly number[]> {
    const found = await this.#rounds.ask((of) =>
      this.owner.models.$queryRawUnsafe<{ tenant_id: number }[]>(
        `SELECT DISTINCT tenant_id FROM ${table} WHERE tenant_id > $1::int AND ${condition} AND ${of('tenant_id')}
         ORDER BY tenant_id LIMIT ${LIMITS.indexTenantsPerRun}`,
        this.#last[what],
      ),
    );
    const tenants = found.map(({ tenant_id }) => tenant_id);
    this.#last[what] = tenants.length < LIMITS.indexTenantsPerRun ? 0 : (tenants.at(-1) ?? 0);
    return tenants;
  }

  #index(tenantId: number): Promise<number> {
    // All steps see the same moment, so that an hour's count and its words cover the same events.
    return this.owner.steps(async (step) => {
      if (!(await tryTurn(step, 'indexing', tenantId))) return 0;
      const hours = await this.#takeOff(step, tenantId);
      for (const table of ['audit_word', 'audit_segment'])
        await step(`DELETE FROM ${table} WHERE tenant_id = $1::int AND hour = ANY($2::int[])`, [
          tenantId,
          hours,
        ]);
      const numbers = new ValueNumbers(step, tenantId);
      let read: IndexedHour[] = [];
      const putRead = async () => {
        await numbers.learn(read.map(({ columns }) => columns));
        await put(step, tenantId, read, numbers);
        read = [];
      };
      for (let first = 0; first < hours.length; first += HOURS_PER_READ) {
        for await (const hour of this.#read(step, tenantId, hours.slice(first, first + HOURS_PER_READ))) {
          read.push(hour);
          if (read.reduce((sum, { words }) => sum + words.size, 0) > this.wordsPerHourMax) await putRead();
        }
        await putRead();
      }
      return hours.length;
    });
  }

  /**
   * Takes hours off the list before anything is read, so that a later change puts the hour back after this transaction.
   * Hours that are just being put on the list are skipped, because waiting for them could cause a deadlock.
   */
  async #takeOff(step: Step, tenantId: number): Promise<number[]> {
    const due = await step<{ hour: number }>(
      `DELETE FROM audit_unindexed WHERE tenant_id = $1::int AND hour IN (
         SELECT hour FROM audit_unindexed WHERE tenant_id = $1::int AND ${this.#due}
           ORDER BY hour DESC LIMIT ${HOURS_PER_STEP} FOR UPDATE SKIP LOCKED)
       RETURNING hour`,
      [tenantId],
    );
    return due.map(({ hour }) => hour);
  }

  /** Reads the hours that do not have too many words, one after the other. */
  async *#read(step: Step, tenantId: number, hours: readonly number[]): AsyncGenerator<IndexedHour> {
    const read = async (of: readonly number[], after: string) => {
      const bytes = Math.floor(BYTES_PER_READ / of.length);
      return [...(await step<Chunk>(READ_EVENTS, [tenantId, of, after, bytes]))];
    };
    const pauses = new Pauses();
    const firsts = await read(hours, FIRST_RECORD);
    for (let first = firsts.shift(); first; first = firsts.shift()) {
      const { hour } = first;
      const [words, columns] = [new HourWords(this.wordsPerHourMax), new HourColumns()];
      let after = FIRST_RECORD;
      for (let chunk: Chunk | undefined = first; chunk; [chunk] = await read([hour], after)) {
        if (chunk.texts && chunk.last) {
          await words.addAll(JSON.parse(chunk.texts), pauses);
          columns.add(chunk, hour * HOUR_MS);
          await pauses.take();
          after = chunk.last;
        }
        if (chunk.ended || words.isFull) break;
      }
      if (!words.isFull) yield { hour, words, columns: columns.pack() };
    }
  }
}

/** An hour that changed between the snapshot and its turn is on the list again, so the conflict needs no work here. */
function noneIfLate(error: unknown): number {
  if (isFailure(error, 'serialization_failure', 'unique_violation')) return 0;
  throw error;
}

async function put(
  step: Step,
  tenantId: number,
  all: readonly IndexedHour[],
  numbers: ValueNumbers,
): Promise<void> {
  const several = all.flatMap(({ hour, words }) => words.several().map((word) => ({ hour, ...word })));
  const singles = all.flatMap(({ hour, words }) => words.singles().map((word) => ({ hour, word })));
  await step(PUT_WORDS, [
    tenantId,
    toList(several.map(({ word }) => word)),
    several.map(({ hour }) => hour),
    several.map(({ n }) => n),
  ]);
  await step(PUT_SEGMENTS, [
    tenantId,
    all.map(({ hour }) => hour),
    all.map(({ words }) => words.events),
    toList(singles.map(({ word }) => word)),
    singles.map(({ hour }) => hour),
    randomUUID(),
    all.map(({ columns }) => columns.times),
    ...COLUMN_FIELDS.map((field) => all.map(({ columns }) => columns.textOf(field, numbers.of(field)))),
  ]);
}
