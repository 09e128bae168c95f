import { PrismaPg } from '@prisma/adapter-pg';
import type { Config } from '../config';
import { type Prisma, PrismaClient } from '../generated/prisma/client';
import { LIMITS } from '../limits';
import { openBackground } from './background-pool';
import { checkLogin } from './check-login';
import { openEmbedded } from './embedded';
import { NO_JIT, openLimited } from './limited';

export type { PrismaClient } from '../generated/prisma/client';
export { Prisma } from '../generated/prisma/client';

/**
 * Runs one statement past Prisma, which would write its values as JSON once more and read them again: for a batch of
 * events that takes longer than checking it. Arrays are given in binary form (`BinaryArrays`).
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

/** The same by way of Prisma, within a transaction too, which has to name the tenants itself (`ofTenants`). */
export const askPrisma =
  (prisma: Pick<PrismaClient, '$queryRaw'>): AskRows =>
  (statement) =>
    prisma.$queryRaw(statement);

/** An open database: PostgreSQL, or the engine embedded in this process. */
export interface Database {
  /**
   * For requests, as the service's role: of tables with rows of tenants it sees none, except by `ofTenants`.
   */
  readonly prisma: PrismaClient;
  /** On the connections of `prisma`. */
  readonly run: RunStatement;
  readonly steps: RunSteps;
  readonly ask: AskRows;
  /** For background tasks, as the owner: connections of their own, with a time limit of theirs. */
  readonly background: PrismaClient;
  /** For migrations, as the owner: without time limits. */
  readonly migrator: PrismaClient;
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

type Where = Pick<Config, 'databaseUrl' | 'dataDir'> &
  Partial<Pick<Config, 'migrationDatabaseUrl' | 'backgroundStatementMs'>>;

/** @throws LoginRefused where a login of PostgreSQL can't be used */
export async function openDatabase(where: Where): Promise<Database> {
  const { databaseUrl, migrationDatabaseUrl, dataDir, backgroundStatementMs } = where;
  if (!databaseUrl) return openEmbedded(dataDir);
  await checkLogin('DATABASE_URL', databaseUrl, !migrationDatabaseUrl);
  if (migrationDatabaseUrl) await checkLogin('MIGRATION_DATABASE_URL', migrationDatabaseUrl, true);
  return openPostgres(
    databaseUrl,
    migrationDatabaseUrl ?? null,
    backgroundStatementMs ?? LIMITS.backgroundStatementMsDefault,
  );
}

/** @param ownerUrl null: `connectionString` is the owner's */
function openPostgres(
  connectionString: string,
  ownerUrl: string | null,
  backgroundStatementMs: number,
): Database {
  const { prisma, run, steps, ask, connections } = openLimited(connectionString, ownerUrl === null);
  const owner = ownerUrl ?? connectionString;
  const background = openBackground(owner, backgroundStatementMs);
  const connect = { connectionString: owner, connectionTimeoutMillis: LIMITS.backgroundConnectMs };
  const migrator = new PrismaClient({
    adapter: new PrismaPg({ ...connect, options: NO_JIT }, { onPoolError: () => {} }),
  });
  return {
    ...{ prisma, run, steps, ask, background, migrator, connections },
    close: async () => {
      await Promise.all([prisma, background, migrator].map((client) => client.$disconnect()));
    },
  };
}
