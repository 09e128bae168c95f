import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import { createFacade } from '../rest-facade/app';
import { Authenticator } from './api-key/authenticate';
import { KeyManager } from './api-key/manage-keys';
import { expireGaps } from './audit-source/expire-gaps';
import { repeat } from './background';
import type { Config } from './config';
import { contextFactory } from './graphql/context';
import { createSchema } from './graphql/schema';
import { createGraphqlRouter } from './graphql/server';
import { healthCheck } from './health';
import { createHttpServer } from './http-server';
import { LIMITS } from './limits';
import { ensureOperatorKey } from './operator-key';
import { PostgresAuditEventWriter } from './postgres/audit-event.writer';
import { PostgresAuditSourceStore } from './postgres/audit-source.store';
import { Folder } from './postgres/counts/fold';
import { type Database, openDatabase } from './postgres/database';
import { guarded } from './postgres/failure';
import { PostgresKeyStore } from './postgres/key.store';
import { migrate } from './postgres/migrate';
import { Partitions } from './postgres/partitions';
import { openReadSide, type ReadSide } from './postgres/replica/open-replica';
import { PostgresRetentionStore } from './postgres/retention/retention.store';
import { Indexer } from './postgres/search/indexer';
import { PostgresTenantStore } from './postgres/tenant.store';
import type { Limiter } from './rate-limit/limiter';
import { SlidingLog } from './rate-limit/sliding-log';
import { RedisLimiter } from './redis/redis-limiter';
import { applyRetention } from './retention/apply-retention';
import { RetentionManager } from './retention/manage-retention';

const DAY_MS = 86_400_000;
const HEALTH_DEADLINE_MS = 2_000;
const DRAIN_MS = 10_000;

/** A running service. */
export interface Service {
  /** `http://HOST:PORT` */
  readonly url: string;
  readonly operatorKeyFile: string;
  /** Lets requests in flight finish, for a bounded time. */
  close(): Promise<void>;
}

/** The composition root: configuration → adapters → use cases → schema → servers. */
export async function startService(config: Config, log: Logger): Promise<Service> {
  const database = await openDatabase(config);
  let readSide: ReadSide | null = null;
  try {
    const applied = await migrate(database.migrator);
    if (applied.length > 0) log.info({ applied }, 'migrations applied');
    readSide = await openReadSide(database, config.readDatabaseUrl, log);
    return await serve(config, log, database, readSide);
  } catch (error) {
    await readSide?.close();
    await database.close();
    throw error;
  }
}

async function serve(config: Config, log: Logger, database: Database, readSide: ReadSide): Promise<Service> {
  const { prisma, migrator } = database;
  const partitions = new Partitions(migrator);
  await partitions.ensureAhead(Date.now());

  const keyStore = new PostgresKeyStore(prisma);
  const tenants = new PostgresTenantStore(prisma);
  const operatorKeyFile = await ensureOperatorKey(config.dataDir, keyStore);
  const authenticator = new Authenticator(keyStore);
  const limiter = await openLimiter(config, log);
  const retention = new PostgresRetentionStore(prisma, migrator);
  const sources = new PostgresAuditSourceStore(prisma, migrator);
  const createContext = contextFactory({
    authenticator,
    limiter,
    rateLimitPerMinute: config.rateLimitPerMinute,
    services: {
      reader: readSide.reader,
      writer: new PostgresAuditEventWriter(database.run, partitions),
      tenants,
      keys: new KeyManager(keyStore, tenants, authenticator),
      retention: new RetentionManager(retention),
      sources,
      now: Date.now,
    },
  });
  const schema = createSchema();
  const ping = () => guarded(() => prisma.$queryRaw`SELECT 1`, HEALTH_DEADLINE_MS);
  const facade = createFacade({
    schema,
    createContext,
    checkHealth: healthCheck(ping, limiter, readSide),
    log,
  });
  const graphql = await createGraphqlRouter({ schema, createContext, log });
  const server = createHttpServer({ facade, graphql, log });

  const folder = new Folder(migrator);
  const indexer = new Indexer(migrator, { pastMs: LIMITS.indexQuietMs, liveMs: LIMITS.indexLiveQuietMs });
  const stopping = new AbortController();
  const tasks = [
    repeat('folding counts', LIMITS.foldMs, log, () => folder.run()),
    ...(config.searchIndex ? [repeat('indexing for search', LIMITS.indexMs, log, () => indexer.run())] : []),
    repeat('writing last-used times', LIMITS.keyUseFlushMs, log, () => authenticator.flushUses()),
    repeat('retention', LIMITS.retentionMs, log, () =>
      applyRetention({ store: retention, nowMs: Date.now, log, signal: stopping.signal }),
    ),
    repeat('retention of gaps', LIMITS.retentionMs, log, () =>
      expireGaps({ sources, retention, nowMs: Date.now, log }),
    ),
    repeat('making partitions ahead', DAY_MS, log, () => partitions.ensureAhead(Date.now())),
  ];

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(config.port, config.host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  const host = config.host.includes(':') ? `[${config.host}]` : config.host;
  return {
    url: `http://${host}:${port}`,
    operatorKeyFile,
    close: async () => {
      stopping.abort();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
        setTimeout(() => server.closeAllConnections(), DRAIN_MS).unref();
      });
      await Promise.all(tasks.map((task) => task.stop()));
      await authenticator.flushUses().catch((err) => log.warn({ err }, 'last-used times not written'));
      await limiter.close();
      await readSide.close();
      await database.close();
    },
  };
}

async function openLimiter(config: Config, log: Logger): Promise<Limiter> {
  if (!config.redisUrl) return new SlidingLog();
  const limiter = new RedisLimiter(config.redisUrl, log);
  await limiter.connected();
  return limiter;
}
