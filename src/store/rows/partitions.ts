import { ADVISORY_LOCKS } from '../../database/advisory-locks';
import type { OwnerDoor, Prisma } from '../../database/clients';
import { isFailure } from '../../database/failure';
import { DAY_MS, HOUR_MS, TICKS_PER_MS } from '../../event/event-time';
import { msOfRecordId, recordIdFloor } from '../../event/record-id';
import { EVENT_TIME_MIN } from '../../limits';

const WEEK_MS = 7 * DAY_MS;
/** Weeks begin on Monday; 1970-01-01 was a Thursday. */
const FIRST_MONDAY_MS = 4 * DAY_MS;
const WEEKS_AHEAD = 2;
const YEAR_WEEKS = 52;
/** How long ago events still have a partition for each week. */
const WEEKLY_YEARS = 10;
/** Rows that may be moved while nobody can read or write events: a second's work. */
const MOVED_MAX = 5_000;
const ATTEMPTS = 20;

/** The number of a week since the first Monday of 1970. */
export const weekOfMs = (ms: number): number => Math.floor((ms - FIRST_MONDAY_MS) / WEEK_MS);
/** The hours of a week, half-open, counted since 1970. */
export const hoursOfWeek = (week: number): readonly [number, number] => [
  startOfWeek(week) / HOUR_MS,
  startOfWeek(week + 1) / HOUR_MS,
];
const yearOf = (week: number) => Math.floor(week / YEAR_WEEKS);
/** Events of before and after have one partition each. Years are of 52 weeks. */
const FIRST_YEAR = yearOf(weekOfMs(Date.parse(EVENT_TIME_MIN)));
const LAST_YEAR = yearOf(weekOfMs(Date.parse('2050-01-01T00:00:00Z')));

/** A partition, and the weeks that it holds, half-open. */
interface Partition {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}
const EARLIER: Partition = {
  name: 'audit_event_earlier',
  from: Number.NEGATIVE_INFINITY,
  to: FIRST_YEAR * YEAR_WEEKS,
};
const LATER: Partition = {
  name: 'audit_event_later',
  from: LAST_YEAR * YEAR_WEEKS,
  to: Number.POSITIVE_INFINITY,
};
const dayOf = (week: number) =>
  new Date(week * WEEK_MS + FIRST_MONDAY_MS).toISOString().slice(0, 10).replaceAll('-', '');
const partitionOfWeek = (week: number): Partition => ({
  name: `audit_event_${dayOf(week)}`,
  from: week,
  to: week + 1,
});
const partitionOfYear = (year: number): Partition => ({
  name: `audit_event_${dayOf(year * YEAR_WEEKS)}_year`,
  from: year * YEAR_WEEKS,
  to: (year + 1) * YEAR_WEEKS,
});

export const startOfWeek = (week: number): number => week * WEEK_MS + FIRST_MONDAY_MS;

/** The smallest record id of a week. */
export function floorOfWeek(week: number): string {
  if (week === Number.NEGATIVE_INFINITY) return '00000000-0000-0000-0000-000000000000';
  if (week === Number.POSITIVE_INFINITY) return 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  return recordIdFloor(BigInt(startOfWeek(week)) * TICKS_PER_MS);
}

/**
 * The partition of a week's events. Whatever times agents send, few partitions come of them: weeks that are far away
 * share the partition of a year, and those outside the years share one.
 * @param names of the partitions that exist
 */
function partitionOf(week: number, nowWeek: number, names: ReadonlySet<string>): Partition {
  const year = yearOf(week);
  if (year < FIRST_YEAR) return EARLIER;
  if (year >= LAST_YEAR) return LATER;
  const whole = partitionOfYear(year);
  if (names.has(whole.name)) return whole;
  const ahead = yearOf(nowWeek + WEEKS_AHEAD);
  const isNear = year <= ahead && year >= ahead - WEEKLY_YEARS;
  return isNear || hasWeeks(whole, names) ? partitionOfWeek(week) : whole;
}

function hasWeeks({ from, to }: Partition, names: ReadonlySet<string>): boolean {
  for (let week = from; week < to; week++) if (names.has(partitionOfWeek(week).name)) return true;
  return false;
}

const NAME = /^audit_event_(\d{4})(\d\d)(\d\d)(_year)?$/;

/**
 * The weeks that a partition holds, half-open, in milliseconds since 1970; null: its name is not that of weeks.
 */
export function weeksOfPartition(name: string): { name: string; startMs: number; endMs: number } | null {
  const [, year, month, day, isYear] = NAME.exec(name) ?? [];
  const startMs = Date.parse(`${year}-${month}-${day}T00:00:00Z`);
  const weeks = isYear ? YEAR_WEEKS : 1;
  return Number.isNaN(startMs) ? null : { name, startMs, endMs: startMs + weeks * WEEK_MS };
}

/**
 * The names of the partitions that exist now. Read from the catalog's rows: after waiting for an advisory lock,
 * `to_regclass` may still answer from the connection's cache.
 */
export async function partitionNames(
  tx: Pick<Prisma.TransactionClient, '$queryRaw'>,
): Promise<ReadonlySet<string>> {
  const found = await tx.$queryRaw<{ name: string }[]>`
    SELECT c.relname::text AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'audit_event'::regclass ORDER BY c.relname`;
  return new Set(found.map(({ name }) => name));
}

/**
 * Detaches a partition. All later requests for a lock wait behind this one. So each attempt is short, there are many of
 * them, and a long reader can finish first.
 */
export async function detach(tx: Prisma.TransactionClient, name: string): Promise<void> {
  await tx.$executeRawUnsafe(`SET LOCAL lock_timeout = '500ms'`);
  for (let attempt = 1; ; attempt++) {
    await tx.$executeRawUnsafe('SAVEPOINT before_detach');
    try {
      await tx.$executeRawUnsafe(`ALTER TABLE audit_event DETACH PARTITION ${name}`);
      return;
    } catch (error) {
      if (!isFailure(error, 'lock_not_available') || attempt === ATTEMPTS) throw error;
      await tx.$executeRawUnsafe('ROLLBACK TO SAVEPOINT before_detach');
    }
  }
}

/** The table is made first and attached afterwards: attaching does not block readers and writers of other weeks. */
async function make(tx: Prisma.TransactionClient, { name, from, to }: Partition): Promise<void> {
  await tx.$executeRawUnsafe(`CREATE TABLE ${name} (LIKE audit_event INCLUDING ALL)`);
  await tx.$executeRawUnsafe(
    `ALTER TABLE audit_event ATTACH PARTITION ${name} FOR VALUES FROM ('${floorOfWeek(from)}') TO ('${floorOfWeek(to)}')`,
  );
}

/** Nobody waits behind this lock, so instances that start at the same time may wait for each other's partitions. */
async function takeTurn(tx: Prisma.TransactionClient): Promise<void> {
  await tx.$executeRawUnsafe(`SELECT pg_advisory_xact_lock(${ADVISORY_LOCKS.newPartitions}, 0)`);
  // A statement that waits for a lock of the table makes all later readers wait behind it: give up early instead.
  await tx.$executeRawUnsafe(`SET LOCAL lock_timeout = '3s'`);
}

/** The partitions of `audit_event`: made ahead of time, and on demand for other weeks. */
export class Partitions {
  /** Weeks whose partition exists. */
  readonly #known = new Set<number>();

  constructor(
    private readonly owner: OwnerDoor,
    private readonly nowMs: () => number = Date.now,
  ) {}

  /** Makes the partitions of this week and the next ones. */
  async ensureAhead(): Promise<void> {
    const week = weekOfMs(this.nowMs());
    const weeks = Array.from({ length: WEEKS_AHEAD + 1 }, (_, i) => week + i);
    for (const year of new Set(weeks.map(yearOf))) await this.#divide(partitionOfYear(year));
    await this.#ensureWeeks(weeks);
  }

  /** Makes the partitions for events of these times. @param times milliseconds since 1970 */
  async ensureFor(times: Iterable<number>): Promise<void> {
    const weeks = new Set<number>();
    for (const ms of times) weeks.add(Math.min(Math.max(weekOfMs(ms), EARLIER.to - 1), LATER.from));
    await this.#ensureWeeks([...weeks]);
  }

  /** Forgets which partitions exist. It is called when somebody else has dropped one. */
  forget(): void {
    this.#known.clear();
  }

  async #ensureWeeks(weeks: readonly number[]): Promise<void> {
    for (const week of weeks.filter((w) => !this.#known.has(w)).sort((a, b) => a - b)) {
      await this.#create(week);
      this.#known.add(week);
    }
  }

  async #create(week: number): Promise<void> {
    await this.owner.models.$transaction(
      async (tx) => {
        await takeTurn(tx);
        const names = await partitionNames(tx);
        const partition = partitionOf(week, weekOfMs(this.nowMs()), names);
        if (!names.has(partition.name)) await make(tx, partition);
      },
      { timeout: 20_000, maxWait: 10_000 },
    );
  }

  /**
   * Puts the events of a year that has come into partitions of weeks. They had one for the year, because they came while
   * it was far away. With too many events the year keeps its partition.
   */
  async #divide(year: Partition): Promise<void> {
    if (!(await partitionNames(this.owner.models)).has(year.name)) return;
    const divided = this.owner.models.$transaction(
      async (tx) => {
        // One connection to each node of a distributed database, so that rows and tables can change in one transaction.
        await tx.$executeRawUnsafe(`SET LOCAL citus.multi_shard_modify_mode = 'sequential'`);
        await takeTurn(tx);
        if (!(await partitionNames(tx)).has(year.name) || !(await rowsOf(tx, year))) return;
        await detach(tx, year.name);
        // From here on nobody writes events.
        const rows = await rowsOf(tx, year);
        if (!rows) throw new TooMany();
        const weeks = new Set(rows.map((id) => weekOfMs(msOfRecordId(id))));
        for (const week of weeks) await make(tx, partitionOfWeek(week));
        await tx.$executeRawUnsafe(`INSERT INTO audit_event SELECT * FROM ${year.name}`);
        await tx.$executeRawUnsafe(`DROP TABLE ${year.name}`);
      },
      { timeout: 60_000, maxWait: 10_000 },
    );
    await divided.catch((error) => {
      // The next round tries again.
      if (!(error instanceof TooMany) && !isFailure(error, 'lock_not_available')) throw error;
    });
  }
}

/** Rolls the transaction back, because too many events would have to be moved. */
class TooMany extends Error {}

/** The record ids of a partition; null: there are too many to move them. */
async function rowsOf(tx: Prisma.TransactionClient, { name }: Partition): Promise<readonly string[] | null> {
  const rows = await tx.$queryRawUnsafe<{ id: string }[]>(
    `SELECT record_id::text AS id FROM ${name} LIMIT ${MOVED_MAX + 1}`,
  );
  return rows.length > MOVED_MAX ? null : rows.map(({ id }) => id);
}
