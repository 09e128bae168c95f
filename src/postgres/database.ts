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
/** Of these one makes partitions for waiting ingest while others fold and index. */
const BACKGROUND_POOL_MAX = 4;
const NAMED_STATEMENTS_MAX = 256;
const UNNAMED = '';
const EMBEDDED_FOLDER = 'database';

/** An open database: PostgreSQL, or the engine embedded in this process. */
export interface Database {
  readonly prisma: PrismaClient;
  /** For migrations and background tasks: connections of their own, without time limits. */
  readonly migrator: PrismaClient;
  readonly embedded: boolean;
  close(): Promise<void>;
}

type Where = Pick<Config, 'databaseUrl' | 'dataDir'>;

export function openDatabase(config: Where): Promise<Database> {
  return config.databaseUrl ? openPostgres(config.databaseUrl) : openEmbedded(config.dataDir);
}

/** A client for requests: every connection and statement has its time limit. */
export function openLimited(connectionString: string): PrismaClient {
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
  const options = { onPoolError: () => {}, statementNameGenerator: statementNames() };
  return new PrismaClient({ adapter: new PrismaPg(limited, options) });
}

/**
 * Names by which PostgreSQL keeps statements prepared, so that it plans each once and not at every request: planning
 * takes longer than running them. Each connection keeps what it has named, so their number is bounded.
 */
function statementNames(): (query: { readonly sql: string }) => string {
  const names = new Map<string, string>();
  return ({ sql }) => {
    let name = names.get(sql);
    if (name === undefined && names.size < NAMED_STATEMENTS_MAX) {
      name = `s${names.size}`;
      names.set(sql, name);
    }
    return name ?? UNNAMED;
  };
}

async function openPostgres(connectionString: string): Promise<Database> {
  const prisma = openLimited(connectionString);
  const migrator = new PrismaClient({
    adapter: new PrismaPg(
      { connectionString, max: BACKGROUND_POOL_MAX, connectionTimeoutMillis: 10_000 },
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
