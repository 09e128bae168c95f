import type { Prisma, PrismaClient } from '../generated/prisma/client';

export { Prisma } from '../generated/prisma/client';

declare const door: unique symbol;

/**
 * The door for requests: a client that uses the service's role. Row-level security is on. In tables with rows of
 * tenants it sees no rows, except through `ofTenants`.
 */
export type ServiceDb = PrismaClient & { readonly [door]: 'service' };

/** The door for background tasks and migrations: a client that uses the owner's login. It sees rows of every tenant. */
export type OwnerDb = PrismaClient & { readonly [door]: 'owner' };

/*
 * How a store accesses its rows: rows of a small table through Prisma's models; sets of rows and hot statements as SQL,
 * through `run`, `steps` and `ask` of `Database`, or `$queryRaw` within a transaction. A store that uses SQL for a
 * small table says why.
 */

/**
 * Runs one statement without Prisma. Prisma would write the values as JSON and read them again. For a batch of events
 * that takes longer than checking the batch. Arrays are given in binary form (`BinaryArray`).
 * @param tenants the statement sees and writes rows of these tenants only
 */
export type RunStatement = (
  text: string,
  values: readonly unknown[],
  tenants: readonly number[],
) => Promise<readonly Readonly<Record<string, unknown>>[]>;

/** Runs a statement of a transaction. */
export type Step = (text: string, values: readonly unknown[]) => ReturnType<RunStatement>;

/** The steps of a client or a transaction of Prisma. */
export const stepIn =
  (tx: Pick<Prisma.TransactionClient, '$queryRawUnsafe'>): Step =>
  (text, values) =>
    tx.$queryRawUnsafe(text, ...values);

/**
 * Runs several statements in one transaction. Some databases are slow with a single statement that does several things.
 */
export type RunSteps = <T>(tenants: readonly number[], work: (step: Step) => Promise<T>) => Promise<T>;

/** Runs the statements of a background task in one transaction. All of them see the same moment. */
export type RunOwnerSteps = <T>(work: (step: Step) => Promise<T>) => Promise<T>;

/**
 * Reads the rows of a hot query. `Prisma.sql` builds the statement, but it runs without Prisma's client, which would
 * process every row once more. A list page takes a quarter less of the service's time in this way.
 * @param tenants the statement sees rows of these tenants only
 */
export type AskRows = (statement: Prisma.Sql, tenants: readonly number[]) => ReturnType<RunStatement>;

/** An open database: PostgreSQL, or the engine embedded in this process. */
export interface Database {
  /** The client for requests. */
  readonly prisma: ServiceDb;
  /** Uses the connections of `prisma`. */
  readonly run: RunStatement;
  readonly steps: RunSteps;
  /** Runs statements that only read. All of them see the same moment. */
  readonly snapshot: RunSteps;
  readonly ask: AskRows;
  /** The client for background tasks. Its connections and their time limit are separate from those of requests. */
  readonly background: OwnerDb;
  /** Uses the connections of `background`. It sees rows of every tenant, regardless of the tenants named. */
  readonly askOwner: AskRows;
  /** Uses the connections of `background`, for large values: Prisma has several copies of them in memory. */
  readonly ownerSteps: RunOwnerSteps;
  /** The client for migrations, which has no time limits. */
  readonly migrator: OwnerDb;
  /** State of the connections for requests, for metrics. */
  readonly connections: () => Connections;
  close(): Promise<void>;
}

export interface Connections {
  readonly total: number;
  readonly idle: number;
  /** Requests that wait for a connection. */
  readonly waiting: number;
}
