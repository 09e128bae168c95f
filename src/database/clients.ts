import type { PrismaClient } from '../generated/prisma/client';
import { Prisma } from '../generated/prisma/client';
import type { NoTenants, TenantSet } from '../tenant-set';
import type { Layout } from './each-tenant';

export { Prisma };

/*
 * How a store accesses its rows: rows of a small table through Prisma's models; sets of rows and hot statements as SQL,
 * through `ask`, `run` and `steps` of a door, or `$queryRaw` within a transaction. A store that uses SQL for a small
 * table says why.
 */

/** A row of a statement, by the names of its columns. A caller of `ask`, `run` or a step may name a narrower type. */
export type Row = Readonly<Record<string, unknown>>;

/** Runs a statement of a transaction. @param planning not given: `each` */
export type Step = <R extends object = Row>(
  text: string,
  values: readonly unknown[],
  planning?: Planning,
) => Promise<readonly R[]>;

/** The steps of a client or a transaction of Prisma. */
export const stepIn =
  (tx: Pick<Prisma.TransactionClient, '$queryRawUnsafe'>): Step =>
  <R extends object>(text: string, values: readonly unknown[]) =>
    tx.$queryRawUnsafe<R[]>(text, ...values);

/** Runs several statements in one transaction, which sees and writes rows of these tenants only. */
export type ServiceSteps = <T>(tenants: TenantSet, work: (step: Step) => Promise<T>) => Promise<T>;

/**
 * The door for requests: it uses the service's role, and row-level security is on. Every method takes the tenants whose
 * rows its statements see and write.
 */
export interface ServiceDoor extends Layout {
  readonly login: 'service';
  /** In tables with rows of tenants these see no rows, except through `ofTenants`. */
  readonly models: PrismaClient;
  /**
   * Reads the rows of a hot query. `Prisma.sql` builds the statement, but it runs without Prisma's client, which would
   * process every row once more. A list page takes a quarter less of the service's time in this way.
   */
  readonly ask: <R extends object = Row>(
    statement: Prisma.Sql,
    tenants: TenantSet,
    planning?: Planning,
  ) => Promise<readonly R[]>;
  /**
   * Runs one statement that writes, without Prisma. Prisma would write the values as JSON and read them again. For a
   * batch of events that takes longer than checking the batch. Arrays are given in binary form (`BinaryArray`).
   * @param tenants none: for a table without rows of tenants
   */
  readonly run: (
    text: string,
    values: readonly unknown[],
    tenants: TenantSet | NoTenants,
  ) => Promise<readonly Row[]>;
  /** Some databases are slow with a single statement that does several things. */
  readonly steps: ServiceSteps;
  /** Runs statements that only read. All of them see the same moment. */
  readonly snapshot: ServiceSteps;
}

/** The door for background tasks and migrations: it uses the owner's login, and sees rows of every tenant. */
export interface OwnerDoor extends Layout {
  readonly login: 'owner';
  readonly models: PrismaClient;
  /**
   * Reads the rows of a hot query, without Prisma's client.
   * @param tenants never given: without the parameter this function would fit where the service's is wanted, and
   * would ignore the tenants
   */
  readonly ask: <R extends object = Row>(statement: Prisma.Sql, tenants?: never) => Promise<readonly R[]>;
  /**
   * Runs statements in one transaction. All of them see the same moment. For large values: Prisma has several copies of
   * them in memory.
   */
  readonly steps: <T>(work: (step: Step) => Promise<T>) => Promise<T>;
}

/**
 * Reads through either door. By the service's door the statement sees rows of these tenants only. By the owner's door
 * it sees every row, so it names its tenants itself.
 */
export const askingBy = (door: ServiceDoor | OwnerDoor): ServiceDoor['ask'] =>
  door.login === 'service' ? door.ask : (statement) => door.ask(statement);

/**
 * When a prepared statement is planned. `once`: its first uses on a connection, and then never again if PostgreSQL
 * estimates that one plan for any values is no worse. Planning takes longer than most statements. `each`: at every use,
 * for its values. A statement whose values decide how much it reads needs this: of a time range or a word that it does
 * not know, PostgreSQL expects few events, and reads everything.
 */
export type Planning = 'once' | 'each';

/** An open database: PostgreSQL, or the engine embedded in this process. */
export interface Database {
  readonly service: ServiceDoor;
  /** Its connections and their time limit are separate from those of requests. */
  readonly owner: OwnerDoor;
  /** The owner's login for migrations, without time limits. */
  readonly migrator: OwnerDoor;
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
