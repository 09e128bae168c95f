import type { Prisma } from './clients';

/** A client or a transaction of either door. */
type Client = Pick<Prisma.TransactionClient, '$queryRawUnsafe'>;

/** Reads the time by which leases are judged. The service uses `databaseTime` alone; a test may give another one. */
export type ReadTime = (client: Client) => Promise<Date>;

/** The database's time, which is the same for all instances, however wrong their own clocks are. */
export const databaseTime: ReadTime = async (client) => {
  const [row] = await client.$queryRawUnsafe<{ now: Date }[]>('SELECT statement_timestamp() AS now');
  if (!row) throw new Error('the database did not answer with its time');
  return new Date(row.now);
};

/**
 * The clock of this instance, set back to that of the database where it is ahead of it. What removes by age goes by it:
 * an instance whose clock is ahead removes nothing early.
 */
export async function clockNotAhead(client: Client, nowMs: () => number): Promise<() => number> {
  const aheadMs = Math.max(0, nowMs() - (await databaseTime(client)).getTime());
  return () => nowMs() - aheadMs;
}

/**
 * The condition that a stored time is over. A time that lies further ahead than anybody sets one was set while the
 * database's clock was ahead: it is over too.
 * @param now SQL, as is `farthest`: the end of the longest time that anybody sets now, and as much again
 */
export const isOver = (column: string, now: string, farthest: string): string =>
  `(${column} IS NULL OR ${column} <= ${now} OR ${column} > ${farthest})`;

/** A table whose rows are leased. */
export interface Leased {
  readonly table: string;
  /** The columns of the key, with their types. */
  readonly key: Readonly<Record<string, 'int' | 'uuid' | 'text'>>;
  /** The columns for the id of the holder (a uuid) and for the end of the lease. */
  readonly holder: string;
  readonly until: string;
  /** A lease ends after this time without a renewal. */
  readonly ms: number;
  /** The row is made by its first lease, with these values (SQL). Not given: only a row that exists is leased. */
  readonly made?: Readonly<Record<string, string>>;
  /** The row is nothing but its lease: the release deletes it. */
  readonly isOnlyLease?: boolean;
}

/**
 * The condition that nobody holds a row, for a statement that looks for work.
 * @param now SQL, as is `farthest`; not given: by the time at which the statement runs
 */
export function isFree(
  { holder, until, ms }: Leased,
  alias: string,
  now = 'now()',
  farthest = `now() + interval '${2 * ms} milliseconds'`,
): string {
  return `(${alias}.${holder} IS NULL OR ${isOver(`${alias}.${until}`, now, farthest)})`;
}

/** The end of a lease that is renewed now, as SQL for a statement of the holder's own. */
export const renewedEnd = ({ ms }: Leased): string => `now() + interval '${ms} milliseconds'`;

type Key = readonly (number | string)[];
/** Adds a value to a statement. @returns its parameter, such as `$5` */
type Add = (value: unknown) => string;

interface Further {
  /** Further assignments to columns of the row. */
  readonly set?: (add: Add) => string;
  /** A further condition, on columns of the alias l. */
  readonly where?: string;
  /** Columns of the alias l to return. */
  readonly returning?: string;
}

/**
 * Leases of the rows of a table: the right to work on a row, which one holder has at a time. A lease that its holder
 * does not renew ends by the database's clock. The holder's every write to the row must be a `renew`, so that a holder
 * who lost the lease changes nothing.
 *
 * The time is read before each statement, because Citus takes no reckoning with times in `ON CONFLICT`.
 */
export class Leases {
  constructor(
    private readonly client: Client,
    private readonly of: Leased,
    private readonly time: ReadTime = databaseTime,
  ) {}

  /** The values of `now` and `farthest` for `isFree`. */
  async times(): Promise<readonly [Date, Date]> {
    const now = await this.time(this.client);
    return [now, this.#after(now, 2)];
  }

  /**
   * Takes a row that nobody holds, or that the same holder has.
   * @param former earlier ids of this holder, whose leases count as its own
   * @returns the row; null: another one holds it, or there is no such row
   */
  async take<Row extends object>(
    key: Key,
    holder: string,
    {
      former = [],
      set,
      where,
      returning = 'true AS taken',
    }: Further & { readonly former?: readonly string[] } = {},
  ): Promise<Row | null> {
    const now = await this.time(this.client);
    const { values, add, condition } = this.#begin(key);
    const { table, key: columns, holder: id, until, made } = this.of;
    const [from, to, farthest] = [0, 1, 2].map((times) => `${add(this.#after(now, times))}::timestamptz`);
    const own = `${add(holder)}::uuid`;
    const isMine = `l.${id} = ANY(${add([holder, ...former])}::uuid[])`;
    const mayTake = `(${isMine} OR ${isFree(this.of, 'l', from, farthest)})${where ? ` AND ${where}` : ''}`;
    const further = set ? `, ${set(add)}` : '';
    const [row] = await this.client.$queryRawUnsafe<Row[]>(
      made
        ? `INSERT INTO ${table} AS l (${[...Object.keys(columns), id, until, ...Object.keys(made)].join(', ')})
           VALUES (${[...this.#keyParameters(), own, to, ...Object.values(made)].join(', ')})
           ON CONFLICT (${Object.keys(columns).join(', ')})
           DO UPDATE SET ${id} = excluded.${id}, ${until} = excluded.${until}${further}
           WHERE ${mayTake} RETURNING ${returning}`
        : `UPDATE ${table} l SET ${id} = ${own}, ${until} = ${to}${further}
           WHERE ${condition} AND ${mayTake} RETURNING ${returning}`,
      ...values,
    );
    return row ?? null;
  }

  /** Renews a lease, also one that ended and that nobody took since. @returns the row; null: the lease is lost */
  async renew<Row extends object>(
    key: Key,
    holder: string,
    { set, where, returning = 'true AS held' }: Further = {},
  ): Promise<Row | null> {
    const now = await this.time(this.client);
    const { values, add, condition } = this.#begin(key);
    const { table, holder: id, until } = this.of;
    const [row] = await this.client.$queryRawUnsafe<Row[]>(
      `UPDATE ${table} l SET ${until} = ${add(this.#after(now, 1))}::timestamptz${set ? `, ${set(add)}` : ''}
       WHERE ${condition} AND l.${id} = ${add(holder)}::uuid${where ? ` AND ${where}` : ''} RETURNING ${returning}`,
      ...values,
    );
    return row ?? null;
  }

  /** Lets others take the row at once. It does nothing where the lease is lost. */
  async release(key: Key, holder: string, { set, where }: Omit<Further, 'returning'> = {}): Promise<void> {
    const { values, add, condition } = this.#begin(key);
    const { table, holder: id, until, isOnlyLease } = this.of;
    await this.client.$queryRawUnsafe(
      `${
        isOnlyLease
          ? `DELETE FROM ${table} l`
          : `UPDATE ${table} l SET ${id} = NULL, ${until} = NULL${set ? `, ${set(add)}` : ''}`
      } WHERE ${condition} AND l.${id} = ${add(holder)}::uuid${where ? ` AND ${where}` : ''}`,
      ...values,
    );
  }

  #begin(key: Key) {
    const values: unknown[] = [...key];
    const names = Object.keys(this.of.key);
    const condition = this.#keyParameters()
      .map((parameter, i) => `l.${names[i]} = ${parameter}`)
      .join(' AND ');
    return { values, condition, add: (value: unknown) => `$${values.push(value)}` };
  }

  #keyParameters(): readonly string[] {
    return Object.values(this.of.key).map((type, i) => `$${i + 1}::${type}`);
  }

  #after(now: Date, times: number): Date {
    return new Date(now.getTime() + times * this.of.ms);
  }
}
