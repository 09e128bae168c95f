import { chmod, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { PGlite, type Transaction } from '@electric-sql/pglite';
import { PrismaPGlite } from 'pglite-prisma-adapter';
import { PrismaClient } from '../generated/prisma/client';
import type { NoTenants, TenantSet } from '../tenant-set';
import { ARRAY_TYPE_IDS } from './binary-array';
import type { Database, OwnerDoor, Prisma, ServiceDoor, ServiceSteps, Step } from './clients';
import { lockDataDir } from './data-dir-lock';
import { layout, SERVICE_ROLE, setTenants } from './each-tenant';

export const EMBEDDED_FOLDER = 'database';
const ONE_MOMENT = 'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; ';
const BECOME_SERVICE = `SET LOCAL ROLE ${SERVICE_ROLE}`;

/** The engine's driver would write arrays as text. The arrays given here are in binary form already. */
const BINARY = Object.fromEntries(ARRAY_TYPE_IDS.map((id) => [id, (array: unknown) => array as string]));

/**
 * Opens the engine in this process. All callers share its one connection, so each transaction takes on the role itself.
 */
export async function openEmbedded(dataDir: string): Promise<Database> {
  const unlock = await lockDataDir(dataDir);
  const engine = await openEngine(path.join(dataDir, EMBEDDED_FOLDER)).catch(async (error) => {
    await unlock();
    throw error;
  });
  const service = serviceDoor(engine);
  const owner = ownerDoor(engine);
  return {
    service,
    owner,
    migrator: owner,
    connections: () => ({ total: 1, idle: 0, waiting: 0 }),
    close: async () => {
      await Promise.all([service.models.$disconnect(), owner.models.$disconnect()]);
      await engine.close();
      await unlock();
    },
  };
}

function serviceDoor(engine: PGlite): ServiceDoor {
  const stepsWith =
    (options: object, first = ''): ServiceSteps =>
    (tenants, work) =>
      inTenants(engine, tenants, (tx) => work(stepOf(tx, options)), first);
  return {
    login: 'service',
    models: new PrismaClient({ adapter: new PrismaPGlite(asService(engine)) }),
    ...layout(false),
    ask: <R extends object>({ text, values }: Prisma.Sql, tenants: TenantSet) =>
      inTenants(engine, tenants, (tx) => stepOf(tx)<R>(text, values)),
    run: (text, values, tenants) =>
      inTenants(engine, tenants, (tx) => stepOf(tx, { serializers: BINARY })(text, values)),
    steps: stepsWith({}),
    snapshot: stepsWith({}, ONE_MOMENT),
  };
}

const ownerDoor = (engine: PGlite): OwnerDoor => ({
  login: 'owner',
  models: new PrismaClient({ adapter: new PrismaPGlite(engine) }),
  ...layout(false),
  ask: async <R extends object>({ text, values }: Prisma.Sql) =>
    (await engine.query<R>(text, [...values])).rows,
  steps: (work) =>
    engine.transaction(async (tx) => {
      await tx.exec(ONE_MOMENT);
      return work(stepOf(tx));
    }),
});

/** @param first statements before the first snapshot of the transaction */
const inTenants = <T>(
  engine: PGlite,
  tenants: TenantSet | NoTenants,
  work: (tx: Transaction) => Promise<T>,
  first = '',
): Promise<T> =>
  engine.transaction(async (tx) => {
    await tx.exec(`${first}${BECOME_SERVICE}; ${setTenants(tenants)}`);
    return work(tx);
  });

const stepOf =
  (tx: Transaction, options: object = {}): Step =>
  async <R extends object>(text: string, values: readonly unknown[]) =>
    (await tx.query<R>(text, [...values], options)).rows;

/** The engine makes files that every user may write. So the folder excludes the other users of the host. */
async function openEngine(folder: string): Promise<PGlite> {
  await mkdir(folder, { recursive: true });
  await chmod(folder, 0o700);
  return PGlite.create(folder);
}

/** A proxy of the engine that runs every statement as the service's role. */
function asService(engine: PGlite): PGlite {
  const transaction: PGlite['transaction'] = (work) =>
    engine.transaction(async (tx) => {
      await tx.exec(BECOME_SERVICE);
      return work(tx);
    });
  const query: PGlite['query'] = (text, values, options) =>
    transaction((tx) => tx.query(text, values, options));
  return new Proxy(engine, {
    get(target, name) {
      if (name === 'transaction') return transaction;
      if (name === 'query') return query;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/**
 * The tables with many rows that were deleted or replaced, by the engine's own counts, as autovacuum chooses them: more
 * than 50, and more than a fifth of the rows that are there.
 */
const WORN = `SELECT format('%I.%I', schemaname, relname) AS name FROM pg_stat_user_tables
  WHERE n_dead_tup > 50 + n_live_tup / 5 ORDER BY 1`;

/**
 * Frees the room of deleted rows. A PostgreSQL server does so by itself, and the embedded engine does not. Its deltas
 * alone would keep 60 bytes an event for good.
 */
export async function vacuum({ models }: OwnerDoor): Promise<void> {
  // The engine holds the counts of its connection back for a while. A statement shows only what was flushed before it.
  await models.$executeRawUnsafe('SELECT pg_stat_force_next_flush()');
  const worn = await models.$queryRawUnsafe<{ name: string }[]>(WORN);
  // One table at a time, so that other callers of the engine's one connection come in between.
  for (const { name } of worn) await models.$executeRawUnsafe(`VACUUM ${name}`);
}
