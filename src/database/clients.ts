import type { Prisma, PrismaClient } from '../generated/prisma/client';

export { Prisma } from '../generated/prisma/client';

declare const door: unique symbol;

/**
 * The door for requests, as the service's role. Row-level security is on: of tables with rows of tenants it shows none,
 * except by `ofTenants`.
 */
export type ServiceDb = PrismaClient & { readonly [door]: 'service' };

/** The door for work in the background and for migrations, as the owner: it shows rows of every tenant. */
export type OwnerDb = PrismaClient & { readonly [door]: 'owner' };

/*
 * How a store reaches its rows: rows of a small table by Prisma's models; sets of rows and hot statements as SQL, by
 * `run`, `steps` and `ask` of `Database`, or by `$queryRaw` within a transaction. A store that writes SQL for a small
 * table says why.
 */

/**
 * Runs one statement past Prisma. Prisma would write its values as JSON once more and read them again, which for a
 * batch of events takes longer than checking it. Arrays are given in binary form (`BinaryArray`).
 * @param tenants whose rows it sees and may write; of others there are none
 */
export type RunStatement = (
  text: string,
  values: readonly unknown[],
  tenants: readonly number[],
) => Promise<readonly Readonly<Record<string, unknown>>[]>;

/** Several of them in one transaction, for a database that is slow with a statement that does several things. */
export type RunSteps = <T>(
  tenants: readonly number[],
  work: (step: (text: string, values: readonly unknown[]) => ReturnType<RunStatement>) => Promise<T>,
) => Promise<T>;

/**
 * Rows of a hot read: a statement put together by `Prisma.sql`, run past Prisma's client, which would go over every
 * row once more. A list page takes a quarter less of the service's time so.
 * @param tenants whose rows it sees; of others there are none
 */
export type AskRows = (statement: Prisma.Sql, tenants: readonly number[]) => ReturnType<RunStatement>;

/** An open database: PostgreSQL, or the engine embedded in this process. */
export interface Database {
  /** For requests. */
  readonly prisma: ServiceDb;
  /** On the connections of `prisma`. */
  readonly run: RunStatement;
  readonly steps: RunSteps;
  /** Statements that only read, all of one moment. */
  readonly snapshot: RunSteps;
  readonly ask: AskRows;
  /** For background tasks: connections of their own, with a time limit of theirs. */
  readonly background: OwnerDb;
  /** On the connections of `background`: it sees rows of every tenant, whichever are named. */
  readonly askOwner: AskRows;
  /** For migrations: without time limits. */
  readonly migrator: OwnerDb;
  /** For metrics: of the connections for requests. */
  readonly connections: () => Connections;
  close(): Promise<void>;
}

export interface Connections {
  readonly total: number;
  readonly idle: number;
  /** Requests that wait for one. */
  readonly waiting: number;
}
