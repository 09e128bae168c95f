import path from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { PrismaPg } from '@prisma/adapter-pg';
import { Pool } from 'pg';
import { PrismaPGlite } from 'pglite-prisma-adapter';
import type { Config } from '../config';
import { type Prisma, PrismaClient } from '../generated/prisma/client';
import { LIMITS } from '../limits';
import { ARRAY_TYPE_IDS } from './binary-arrays';
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

/**
 * Runs one statement past Prisma, which would write its values as JSON once more and read them again: for a batch of
 * events that takes longer than checking it. Arrays are given in binary form (`BinaryArrays`).
 */
export type RunStatement = (
  text: string,
  values: readonly unknown[],
) => Promise<readonly Record<string, unknown>[]>;

/**
 * Rows of a hot read: a statement put together by `Prisma.sql`, run past Prisma's client, which would go over every
 * row once more. A list page takes a quarter less of the service's time so.
 */
export type AskRows = (statement: Prisma.Sql) => Promise<readonly Readonly<Record<string, unknown>>[]>;

/** The same by way of Prisma, within a transaction too. */
export const askPrisma =
  (prisma: Pick<PrismaClient, '$queryRaw'>): AskRows =>
  (statement) =>
    prisma.$queryRaw(statement);

/** An open database: PostgreSQL, or the engine embedded in this process. */
export interface Database {
  readonly prisma: PrismaClient;
  /** On the connections of `prisma`. */
  readonly run: RunStatement;
  readonly ask: AskRows;
  /** For migrations and background tasks: connections of their own, without time limits. */
  readonly migrator: PrismaClient;
  close(): Promise<void>;
}

type Where = Pick<Config, 'databaseUrl' | 'dataDir'>;

export function openDatabase(config: Where): Promise<Database> {
  return config.databaseUrl ? openPostgres(config.databaseUrl) : openEmbedded(config.dataDir);
}

/** Compiling a statement over many weeks takes seconds, whatever little of it then runs. */
const NO_JIT = '-c jit=off';

/** Connections for requests: each, and each statement, has its time limit. */
function openPool(connectionString: string): Pool {
  const pool = new Pool({
    connectionString,
    max: POOL_MAX,
    connectionTimeoutMillis: LIMITS.databaseConnectMs,
    statement_timeout: LIMITS.databaseStatementMs,
    // For a connection that went silent: the server can't tell us any more.
    query_timeout: LIMITS.databaseStatementMs + 200,
    keepAlive: true,
    application_name: 'audit-activity',
    options: NO_JIT,
  });
  // A connection lost while idle: the next statement takes another.
  pool.on('error', () => {});
  return pool;
}

/** Connections for requests, with both ways to use them. */
export function openLimited(connectionString: string) {
  const pool = openPool(connectionString);
  const nameOf = statementNames();
  const options = { disposeExternalPool: true, statementNameGenerator: nameOf };
  const ask: AskRows = async (statement) => {
    const { text, values } = statement;
    return (await pool.query({ name: nameOf({ sql: text }), text, values })).rows;
  };
  return { pool, prisma: new PrismaClient({ adapter: new PrismaPg(pool, options) }), ask };
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
  const { pool, prisma, ask } = openLimited(connectionString);
  const migrator = new PrismaClient({
    adapter: new PrismaPg(
      { connectionString, max: BACKGROUND_POOL_MAX, connectionTimeoutMillis: 10_000, options: NO_JIT },
      { onPoolError: () => {} },
    ),
  });
  return {
    prisma,
    run: async (text, values) => (await pool.query(text, [...values])).rows,
    ask,
    migrator,
    close: async () => {
      await Promise.all([prisma.$disconnect(), migrator.$disconnect()]);
    },
  };
}

/** The engine's driver would write arrays as text; ours are in binary form already. */
const BINARY = Object.fromEntries(ARRAY_TYPE_IDS.map((id) => [id, (array: unknown) => array as string]));

async function openEmbedded(dataDir: string): Promise<Database> {
  const unlock = await lockDataDir(dataDir);
  const engine = await PGlite.create(path.join(dataDir, EMBEDDED_FOLDER)).catch(async (error) => {
    await unlock();
    throw error;
  });
  const prisma = new PrismaClient({ adapter: new PrismaPGlite(engine) });
  return {
    prisma,
    run: async (text, values) =>
      (await engine.query<Record<string, unknown>>(text, [...values], { serializers: BINARY })).rows,
    ask: askPrisma(prisma),
    migrator: prisma,
    close: async () => {
      await prisma.$disconnect();
      await engine.close();
      await unlock();
    },
  };
}
