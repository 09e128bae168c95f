import type { Logger } from 'pino';
import type { Config } from './config';
import type { Database, ServiceDoor } from './database/clients';
import { openDatabase } from './database/database';
import { DiskRoom } from './database/disk-room';
import { checkNodes } from './database/distribute/check-start';
import { Nodes } from './database/distribute/nodes';
import { vacuum } from './database/embedded';
import { guarded } from './database/limited';
import { migrate } from './database/migrate';
import { assertRowSecurity } from './database/row-security';
import { ServerDisk } from './database/server-disk';
import { Standby } from './database/standby';
import { LIMITS } from './limits';
import type { Module } from './module';
import { openReadSide, type ReadSide } from './modules/activity/open-replica';
import { openTracing } from './observe/open-tracing';
import { tracedDoor } from './observe/traced-database';
import type { Tracing } from './observe/tracing';

const HEALTH_DEADLINE_MS = 2_000;

/** The base of a service: its migrated database, the database that it reads from, and the traces of both. */
export interface Storage extends Module {
  readonly database: Database;
  readonly readSide: ReadSide;
  /** Null: no traces are kept. */
  readonly tracing: Tracing | null;
  /** Resolves while the database answers. */
  ping(): Promise<unknown>;
  close(): Promise<void>;
}

/** @throws NoRowSecurity, NewerDatabase, NotAReplica, LoginRefused: each has a text of one line for an operator */
export async function openStorage(config: Config, log: Logger): Promise<Storage> {
  const tracing = config.otlpEndpoint ? await openTracing(config.otlpEndpoint, log) : null;
  const disk = config.databaseUrl ? new ServerDisk(log) : new DiskRoom(config.dataDir);
  const standby = new Standby(log);
  const opened = await openDatabase(config, disk instanceof ServerDisk ? disk.hear : undefined, standby);
  const careful = disk instanceof DiskRoom ? disk.guarding(opened) : opened;
  const traced = (service: ServiceDoor) => (tracing ? tracedDoor(service, tracing) : service);
  const database = { ...careful, service: traced(careful.service) };
  const close = async () => {
    await database.close();
    await tracing?.close();
  };
  try {
    const applied = await migrate(database.migrator);
    if (applied.length > 0) log.info({ applied }, 'migrations applied');
    await assertRowSecurity(database.service);
    await checkNodes(database.service, config.migrationDatabaseUrl !== null);
    const replica = {
      url: config.readDatabaseUrl,
      isOwner: config.migrationDatabaseUrl === null,
      traced,
    };
    const readSide = await openReadSide(database.service, replica, log);
    return {
      database,
      readSide,
      tracing,
      ping: () => guarded(() => database.service.models.$queryRaw`SELECT 1`, HEALTH_DEADLINE_MS),
      ...upkeepOf(config, database, { disk, standby }, log),
      close: async () => {
        await readSide.close();
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The recurring tasks, the metrics and the health of the database. */
function upkeepOf(
  config: Config,
  database: Database,
  { disk, standby }: { readonly disk: { readonly healthy: boolean }; readonly standby: Standby },
  log: Logger,
): Module {
  const { owner, connections } = database;
  const nodes = owner.isDistributed ? new Nodes(owner, log) : null;
  return {
    tasks: [
      ...(nodes
        ? [
            {
              name: 'nodes',
              doc: 'looking for its nodes',
              everyMs: LIMITS.nodeLookMs,
              run: () => nodes.look(),
            },
          ]
        : []),
      ...(config.databaseUrl
        ? []
        : [{ name: 'vacuum', doc: 'vacuum', everyMs: LIMITS.vacuumMs, run: () => vacuum(owner) }]),
    ],
    metrics: (metrics) => {
      metrics.gauges(
        'database_connections',
        'Connections for requests; waiting: requests that wait for one.',
        ['state'],
        () => Object.entries(connections()).map(([state, value]) => ({ labels: { state }, value })),
      );
      metrics.gauge(
        'database_disk_full',
        '1 while the database has no room: PostgreSQL said so in the last five minutes, or less than 64 MiB are left for the embedded one.',
        () => Number(!disk.healthy),
      );
      metrics.gauge(
        'database_commits_waiting',
        'Connections whose commit waits for a synchronous standby beyond the time limit; meanwhile the service does not write.',
        () => standby.waiting,
      );
    },
    health: [...(nodes ? [nodes] : []), disk, standby],
  };
}
