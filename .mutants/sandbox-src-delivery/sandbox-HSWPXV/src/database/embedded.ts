import { chmod, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { PGlite, type Transaction } from '@electric-sql/pglite';
import { PrismaPGlite } from 'pglite-prisma-adapter';
import { PrismaClient } from '../generated/prisma/client';
import { ARRAY_TYPE_IDS } from './binary-array';
import type { Database, OwnerDb, RunStatement, RunSteps, ServiceDb, Step } from './clients';
import { lockDataDir } from './data-dir-lock';
import { SERVICE_ROLE, setTenants } from './tenant-rows';

const EMBEDDED_FOLDER = 'database';
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
  const prisma = new PrismaClient({ adapter: new PrismaPGlite(asService(engine)) }) as ServiceDb;
  const migrator = new PrismaClient({ adapter: new PrismaPGlite(engine) }) as OwnerDb;
  const stepsWith =
    (options: object, first = ''): RunSteps =>
    (tenants, work) =>
      engine.transaction(async (tx) => {
        await tx.exec(`${first}${BECOME_SERVICE}; ${setTenants(tenants)}`);
        return work(stepOf(tx, options));
      });
  const run =
    (options: object): RunStatement =>
    (text, values, tenants) =>
      stepsWith(options)(tenants, (step) => step(text, values));
  const runPlain = run({});
  return {
    prisma,
    run: run({ serializers: BINARY }),
    steps: stepsWith({}),
    snapshot: stepsWith({}, ONE_MOMENT),
    ask: ({ text, values }, tenants) => runPlain(text, values, tenants),
    askOwner: async ({ text, values }) =>
      (await engine.query<Record<string, unknown>>(text, [...values])).rows,
    ownerSteps: (work) =>
      engine.transaction(async (tx) => {
        await tx.exec(ONE_MOMENT);
        return work(stepOf(tx));
      }),
    background: migrator,
    migrator,
    connections: () => ({ total: 1, idle: 0, waiting: 0 }),
    close: async () => {
      await Promise.all([prisma.$disconnect(), migrator.$disconnect()]);
      await engine.close();
      await unlock();
    },
  };
}

const stepOf =
  (tx: Transaction, options: object = {}): Step =>
  async (text, values) =>
    (await tx.query<Record<string, unknown>>(text, [...values], options)).rows;

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

/** Tables in which rows are inserted and deleted all the time. */
const BUSY = [
  ...['audit_delta', 'audit_count', 'audit_unindexed', 'audit_log_queue', 'audit_log_head', 'audit_source'],
  ...['api_key', 'dashboard_session', 'export_lease', 'destination'],
];

/**
 * Frees the room of deleted rows. A PostgreSQL server does so by itself, and the embedded engine does not. Its deltas
 * alone would keep 60 bytes an event for good.
 * @param prisma the owner's client
 */
export async function vacuum(prisma: OwnerDb): Promise<void> {
  // One table at a time, so that other callers of the engine's one connection come in between.
  for (const table of BUSY) await prisma.$executeRawUnsafe(`VACUUM ${table}`);
}
