import type { OwnerDb, Prisma } from '../database/clients';
import { DAY_MS, formatTicks, TICKS_PER_MS } from '../event/event-time';
import { recordIdFloor } from '../event/record-id';

const WEEK_MS = 7 * DAY_MS;
/** Weeks begin on Monday; 1970-01-01 was a Thursday. */
const FIRST_MONDAY_MS = 4 * DAY_MS;
const WEEKS_AHEAD = 2;

const weekOfMs = (ms: number) => Math.floor((ms - FIRST_MONDAY_MS) / WEEK_MS);
const ticksOfWeek = (week: number) => BigInt(week * WEEK_MS + FIRST_MONDAY_MS) * TICKS_PER_MS;

const NAME = /^audit_event_(\d{4})(\d\d)(\d\d)$/;
const nameOfWeek = (week: number) =>
  `audit_event_${formatTicks(ticksOfWeek(week)).slice(0, 10).replaceAll('-', '')}`;

/** The week a partition holds, half-open, in milliseconds since 1970; null: the name is not one of ours. */
export function weekOfPartition(name: string): { name: string; startMs: number; endMs: number } | null {
  const [, year, month, day] = NAME.exec(name) ?? [];
  const startMs = Date.parse(`${year}-${month}-${day}T00:00:00Z`);
  return Number.isNaN(startMs) ? null : { name, startMs, endMs: startMs + WEEK_MS };
}

/**
 * Whether a partition exists now. Read from the catalog's rows: after waiting for an advisory lock, `to_regclass` may
 * still answer from the connection's cache.
 */
export async function hasPartition(tx: Prisma.TransactionClient, name: string): Promise<boolean> {
  const found = await tx.$queryRaw<unknown[]>`
    SELECT c.relname::text FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'audit_event'::regclass AND c.relname = ${name}`;
  return found.length > 0;
}

/** The weekly partitions of `audit_event`: made ahead of time, and on demand for older events. */
export class Partitions {
  readonly #known = new Set<number>();

  constructor(private readonly prisma: OwnerDb) {}

  /** Makes the partitions of this week and the next ones. */
  async ensureAhead(nowMs: number): Promise<void> {
    const week = weekOfMs(nowMs);
    await this.#ensureWeeks(Array.from({ length: WEEKS_AHEAD + 1 }, (_, i) => week + i));
  }

  /** Makes the partitions for events of these times. @param times milliseconds since 1970 */
  async ensureFor(times: Iterable<number>): Promise<void> {
    const weeks = new Set<number>();
    for (const ms of times) weeks.add(weekOfMs(ms));
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
    const start = ticksOfWeek(week);
    const name = nameOfWeek(week);
    await this.prisma.$transaction(
      async (tx) => {
        // Nobody waits behind this lock, so instances that start at the same time may wait for each other's weeks.
        await tx.$executeRawUnsafe(`SELECT pg_advisory_xact_lock(hashtext('audit_event'), 0)`);
        // A statement that waits for a lock of the table makes all later readers wait behind it: give up early instead.
        await tx.$executeRawUnsafe(`SET LOCAL lock_timeout = '3s'`);
        if (await hasPartition(tx, name)) return;
        // The table is made first and attached afterwards: attaching does not block readers and writers of other weeks.
        await tx.$executeRawUnsafe(`CREATE TABLE ${name} (LIKE audit_event INCLUDING ALL)`);
        await tx.$executeRawUnsafe(
          `ALTER TABLE audit_event ATTACH PARTITION ${name}
             FOR VALUES FROM ('${recordIdFloor(start)}') TO ('${recordIdFloor(ticksOfWeek(week + 1))}')`,
        );
      },
      { timeout: 20_000, maxWait: 10_000 },
    );
  }
}
