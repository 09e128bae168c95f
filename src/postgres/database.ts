import path from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaPGlite } from 'pglite-prisma-adapter';
import type { Config } from '../config';
import { PrismaClient } from '../generated/prisma/client';
import { LIMITS } from '../limits';
import { lockDataDir } from './data-dir-lock';

export type { PrismaClient } from '../generated/prisma/client';
export { Prisma } from '../generated/prisma/client';

/** Connections per instance: more would only queue inside PostgreSQL. */
const POOL_MAX = 10;
const EMBEDDED_FOLDER = 'database';

/** An open database: PostgreSQL, or the engine embedded in this process. */
export interface Database {
  readonly prisma: PrismaClient;
  /** For migrations: no time limits, and statements one at a time on one connection. */
  readonly migrator: PrismaClient;
  readonly embedded: boolean;
  close(): Promise<void>;
}

type Where = Pick<Config, 'databaseUrl' | 'dataDir'>;

export function openDatabase(config: Where): Promise<Database> {
  return config.databaseUrl ? openPostgres(config.databaseUrl) : openEmbedded(config.dataDir);
}

async function openPostgres(connectionString: string): Promise<Database> {
  const limited = {
    connectionString,
    max: POOL_MAX,
    connectionTimeoutMillis: LIMITS.databaseConnectMs,
    statement_timeout: LIMITS.databaseStatementMs,
    // For a connection that went silent: the server can't tell us any more.
    query_timeout: LIMITS.databaseStatementMs + 200,
    keepAlive: true,
    application_name: 'audit-activity',
  };
  const prisma = new PrismaClient({ adapter: new PrismaPg(limited, { onPoolError: () => {} }) });
  const migrator = new PrismaClient({
    adapter: new PrismaPg(
      { connectionString, max: 1, connectionTimeoutMillis: 10_000 },
      { onPoolError: () => {} },
    ),
  });
  return {
    prisma,
    migrator,
    embedded: false,
    close: async () => {
      await Promise.all([prisma.$disconnect(), migrator.$disconnect()]);
    },
  };
}

async function openEmbedded(dataDir: string): Promise<Database> {
  const unlock = await lockDataDir(dataDir);
  const engine = await PGlite.create(path.join(dataDir, EMBEDDED_FOLDER)).catch(async (error) => {
    await unlock();
    throw error;
  });
  const prisma = new PrismaClient({ adapter: new PrismaPGlite(engine) });
  return {
    prisma,
    migrator: prisma,
    embedded: true,
    close: async () => {
      await prisma.$disconnect();
      await engine.close();
      await unlock();
    },
  };
}
