import type { Socket } from 'node:net';
import { PrismaPg } from '@prisma/adapter-pg';
import { Pool, type PoolClient } from 'pg';
import { PrismaClient } from '../generated/prisma/client';
import { LIMITS } from '../limits';
import type { OwnerDoor } from './clients';
import { inTransaction, NODE_WAIT, OWNER_OPTIONS } from './limited';
import { heardClient, type OnServerError } from './server-disk';
import type { Standby } from './standby';

/** One of these makes partitions for waiting ingest while others fold and index. */
const BACKGROUND_POOL_MAX = 4;

type Opened = Pick<OwnerDoor, 'models' | 'ask' | 'steps'>;

/**
 * Connections for background tasks. PostgreSQL ends a statement that takes too long. If the server is gone or sends
 * invalid data, it cannot, and this pool closes the connection after a longer silence. Otherwise the task would never
 * end.
 * @param connectionString with the login that owns the tables
 */
export function openBackground(
  connectionString: string,
  statementMs: number,
  onServerError: OnServerError,
  standby: Standby,
): Opened {
  const pool = new Pool({
    Client: heardClient(onServerError),
    connectionString,
    max: BACKGROUND_POOL_MAX,
    connectionTimeoutMillis: LIMITS.backgroundConnectMs,
    statement_timeout: statementMs,
    keepAlive: true,
    application_name: 'audit-activity background',
    options: `${OWNER_OPTIONS} ${NODE_WAIT}`,
  });
  // An idle connection was lost. The next statement uses another one.
  pool.on('error', () => {});
  const silenceMs = statementMs + LIMITS.backgroundSilenceMs;
  pool.on('connect', (client) => {
    const socket = socketOf(client);
    socket.setTimeout(silenceMs, async () => {
      // To leave it would gain nothing: PostgreSQL's process stays, and that of the next attempt would wait beside it.
      if (await standby.isInCommit(client, connectionString)) socket.setTimeout(silenceMs);
      else socket.destroy(new Error(`PostgreSQL was silent for ${silenceMs} ms`));
    });
  });
  return openOn(pool);
}

/** Connections for migrations, without time limits. @param connectionString with the login that owns the tables */
export function openMigration(connectionString: string): Opened {
  const pool = new Pool({
    connectionString,
    connectionTimeoutMillis: LIMITS.backgroundConnectMs,
    options: OWNER_OPTIONS,
  });
  pool.on('error', () => {});
  return openOn(pool);
}

function openOn(pool: Pool): Opened {
  return {
    models: new PrismaClient({ adapter: new PrismaPg(pool, { disposeExternalPool: true }) }),
    ask: async ({ text, values }) => (await pool.query(text, values)).rows,
    steps: (work) => inTransaction(pool, 'BEGIN ISOLATION LEVEL REPEATABLE READ', work),
  };
}

/** The driver's types do not declare this property. */
const socketOf = (client: PoolClient) =>
  (client as unknown as { readonly connection: { readonly stream: Socket } }).connection.stream;
