import type { Socket } from 'node:net';
import { PrismaPg } from '@prisma/adapter-pg';
import { Pool, type PoolClient } from 'pg';
import { PrismaClient } from '../generated/prisma/client';
import { LIMITS } from '../limits';
import type { AskRows, OwnerDb } from './clients';
import { NO_JIT, NODE_WAIT } from './limited';

/** Of these one makes partitions for waiting ingest while others fold and index. */
const BACKGROUND_POOL_MAX = 4;

/**
 * Connections for background tasks. PostgreSQL ends a statement that takes too long. If it can't, because it is gone or
 * sends invalid data, the connection is closed after a longer silence. Otherwise the task would wait for ever.
 * @param connectionString with the login that owns the tables
 */
export function openBackground(
  connectionString: string,
  statementMs: number,
): { readonly background: OwnerDb; readonly askOwner: AskRows } {
  const pool = new Pool({
    connectionString,
    max: BACKGROUND_POOL_MAX,
    connectionTimeoutMillis: LIMITS.backgroundConnectMs,
    statement_timeout: statementMs,
    keepAlive: true,
    application_name: 'audit-activity background',
    options: `${NO_JIT} ${NODE_WAIT}`,
  });
  // A connection lost while idle: the next statement takes another.
  pool.on('error', () => {});
  const silenceMs = statementMs + LIMITS.backgroundSilenceMs;
  pool.on('connect', (client) => {
    const socket = socketOf(client);
    socket.setTimeout(silenceMs, () =>
      socket.destroy(new Error(`PostgreSQL was silent for ${silenceMs} ms`)),
    );
  });
  return {
    background: new PrismaClient({ adapter: new PrismaPg(pool, { disposeExternalPool: true }) }) as OwnerDb,
    askOwner: async ({ text, values }) => (await pool.query(text, values)).rows,
  };
}

/** The driver's types leave it out. */
const socketOf = (client: PoolClient) =>
  (client as unknown as { readonly connection: { readonly stream: Socket } }).connection.stream;
