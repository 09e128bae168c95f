import { PrismaPg } from '@prisma/adapter-pg';
import type { Config } from '../config';
import { PrismaClient } from '../generated/prisma/client';
import { LIMITS } from '../limits';
import { openBackground } from './background-pool';
import { checkLogin } from './check-login';
import type { Database, OwnerDb } from './clients';
import { openEmbedded } from './embedded';
import { openLimited, PLANNER_OPTIONS } from './limited';
import type { OnServerError } from './server-disk';

type Where = Pick<Config, 'databaseUrl' | 'dataDir'> &
  Partial<Pick<Config, 'migrationDatabaseUrl' | 'backgroundStatementMs'>>;

/** @throws LoginRefused when a login of PostgreSQL can't be used */
export async function openDatabase(where: Where, onServerError: OnServerError = () => {}): Promise<Database> {
  const { databaseUrl, migrationDatabaseUrl, dataDir, backgroundStatementMs } = where;
  if (!databaseUrl) return openEmbedded(dataDir);
  await checkLogin('DATABASE_URL', databaseUrl, !migrationDatabaseUrl);
  if (migrationDatabaseUrl) await checkLogin('MIGRATION_DATABASE_URL', migrationDatabaseUrl, true);
  return openPostgres(
    databaseUrl,
    migrationDatabaseUrl ?? null,
    backgroundStatementMs ?? LIMITS.backgroundStatementMsDefault,
    onServerError,
  );
}

/** @param ownerUrl null: `connectionString` is the owner's login */
function openPostgres(
  connectionString: string,
  ownerUrl: string | null,
  backgroundStatementMs: number,
  onServerError: OnServerError,
): Database {
  const { prisma, run, steps, snapshot, ask, connections } = openLimited(
    connectionString,
    ownerUrl === null,
    onServerError,
  );
  const owner = ownerUrl ?? connectionString;
  const ofOwner = openBackground(owner, backgroundStatementMs, onServerError);
  const connect = { connectionString: owner, connectionTimeoutMillis: LIMITS.backgroundConnectMs };
  const migrator = new PrismaClient({
    adapter: new PrismaPg({ ...connect, options: PLANNER_OPTIONS }, { onPoolError: () => {} }),
  }) as OwnerDb;
  return {
    prisma,
    run,
    steps,
    snapshot,
    ask,
    ...ofOwner,
    migrator,
    connections,
    close: async () => {
      await Promise.all([prisma, ofOwner.background, migrator].map((client) => client.$disconnect()));
    },
  };
}
