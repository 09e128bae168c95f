import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createFacade } from '../rest-facade/app';
import { answerExport } from '../rest-facade/export';
import { AccessLog } from './caller/access-log';
import { Authenticator } from './caller/authenticate';
import { KeyManager } from './modules/keys/manage-keys';
import { expireGaps } from './modules/sources/expire-gaps';
import { repeat } from './background';
import type { Config } from './config';
import { builtPage } from './modules/dashboard/page';
import { createDashboardRouter } from './modules/dashboard/router';
import { loadCheckpointKey, loadFormerOwnKey } from './modules/evidence/checkpoint-key-file';
import { CheckpointFiles } from './modules/evidence/checkpoint-memory';
import { EvidenceLog } from './modules/evidence/evidence-log';
import { exporter } from './modules/export/export-events';
import { contextFactory } from './graphql/context';
import { createSchema } from './schema';
import { createGraphqlRouter } from './graphql/server';
import { healthCheck, shared } from './http/health';
import { InFlight } from './http/in-flight';
import { createProbes } from './http/probes';
import { createHttpServer } from './http/server';
import { LIMITS } from './limits';
import { openMetrics } from './observe/open-metrics';
import { ensureOperatorKey } from './modules/keys/operator-key';
import { PostgresAccessLogStore } from './caller/access-log.store';
import { PostgresAuditEventWriter } from './modules/ingest/stored-writer';
import { PostgresAuditSourceStore } from './modules/sources/audit-source.store';
import { Folder } from './trail/counts/fold';
import { type AskRows, type Database, openDatabase } from './database/database';
import { checkNodes } from './database/distribute/check-start';
import { Nodes } from './database/distribute/nodes';
import { PostgresEvidenceStore } from './modules/evidence/evidence.store';
import { Sequencer } from './modules/evidence/sequencer';
import { PostgresAuditEventExplorer } from './modules/explore/stored-explorer';
import { PostgresExportSource } from './modules/export/export.source';
import { PostgresExportLeases } from './modules/export/leases';
import { guarded } from './database/failure';
import { readFigures } from './observe/stored-figures';
import { PostgresKeyStore } from './modules/keys/key.store';
import { migrate } from './database/migrate';
import { KEYS_CHANGED, listen } from './database/notifications';
import { Partitions } from './trail/partitions';
import { openReadSide, type ReadSide } from './modules/activity/open-replica';
import { PostgresRetentionStore } from './modules/tenants/retention/retention.store';
import { assertRowSecurity } from './database/row-security';
import { Indexer } from './modules/search/indexer';
import { PostgresSessionStore } from './caller/session/session.store';
import { PostgresTenantStore } from './caller/tenant.store';
import { vacuum } from './database/vacuum';
import { AnswerBytes } from './caller/rate-limit/answer-bytes';
import { FairShare, sharesOf } from './caller/rate-limit/fair-share';
import type { Limiter } from './caller/rate-limit/limiter';
import { SlidingLog } from './caller/rate-limit/sliding-log';
import { RedisLimiter } from './caller/rate-limit/redis-limiter';
import { applyRetention } from './modules/tenants/retention/apply-retention';
import { RetentionManager } from './modules/tenants/retention/manage-retention';
import { Sessions } from './caller/session/sessions';
import { openTracing } from './observe/open-tracing';
import { tracedAsk, tracedDatabase } from './observe/traced-database';
import { NO_TRACING, type Tracing } from './observe/tracing';

const DAY_MS = 86_400_000;
const HEALTH_DEADLINE_MS = 2_000;

/** A running service. */
export interface Service {
  /** `http://HOST:PORT` */
  readonly url: string;
  /** Null: the database has an operator key, and this data folder none. */
  readonly operatorKeyFile: string | null;
  /** Null: not configured. */
  readonly metricsUrl: string | null;
  /** Says that it is not ready, then lets requests in flight finish, for a bounded time. */
  close(): Promise<void>;
}

/** The composition root: configuration → adapters → use cases → schema → servers. */
export async function startService(config: Config, log: Logger): Promise<Service> {
  const tracing = config.otlpEndpoint ? await openTracing(config.otlpEndpoint, log) : NO_TRACING;
  const opened = await openDatabase(config);
  const database = config.otlpEndpoint ? tracedDatabase(opened, tracing) : opened;
  let readSide: ReadSide | null = null;
  try {
    const applied = await migrate(database.migrator);
    if (applied.length > 0) log.info({ applied }, 'migrations applied');
    await assertRowSecurity(database.prisma);
    await checkNodes(database.prisma, config.migrationDatabaseUrl !== null);
    const replica = {
      url: config.readDatabaseUrl,
      isOwner: config.migrationDatabaseUrl === null,
      traced: (ask: AskRows) => (config.otlpEndpoint ? tracedAsk(ask, tracing) : ask),
    };
    readSide = await openReadSide(database, replica, log);
    return await serve(config, log, { database, readSide, tracing });
  } catch (error) {
    await readSide?.close();
    await database.close();
    await tracing.close();
    throw error;
  }
}

interface Opened {
  readonly database: Database;
  readonly readSide: ReadSide;
  readonly tracing: Tracing;
}

async function serve(config: Config, log: Logger, opened: Opened): Promise<Service> {
  const { database, readSide, tracing } = opened;
  const { prisma, background: owner } = database;
  const partitions = new Partitions(owner);
  await partitions.ensureAhead(Date.now());

  const keyStore = new PostgresKeyStore(prisma);
  const tenants = new PostgresTenantStore(prisma);
  const operatorKeyFile = await ensureOperatorKey(config.dataDir, keyStore, {
    info: (text) => log.info(text),
    warn: (text) => log.warn(text),
  });
  const authenticator = new Authenticator(keyStore);
  const limiter = await openLimiter(config, log);
  const retention = new PostgresRetentionStore(prisma, owner);
  const sources = new PostgresAuditSourceStore(prisma, owner);
  const accessEntries = new PostgresAccessLogStore(database);
  const accessLog = new AccessLog(accessEntries);
  const nodes = readSide.form === 'union' ? new Nodes(owner, log) : null;
  const checkpointKey = await loadCheckpointKey(config.dataDir, config.checkpointKeyFile);
  log.info({ keyId: checkpointKey.keyId, publicKey: checkpointKey.verifierKey }, 'checkpoint key');
  const logKeys = {
    own: checkpointKey,
    others: await loadFormerOwnKey(config.dataDir, checkpointKey),
    former: config.formerCheckpointKeys,
  };
  const sequencer = new Sequencer(owner, logKeys, new CheckpointFiles(config.dataDir), log);
  await sequencer.begin(config.checkpointKeyFile === null);
  const sessions = new Sessions(new PostgresSessionStore(prisma), authenticator);
  const fairShare = new FairShare(sharesOf(config.databaseUrl ? LIMITS.databaseConnections : 1));
  const createContext = contextFactory({
    authenticator,
    sessions,
    limiter,
    rateLimitPerMinute: config.rateLimitPerMinute,
    services: {
      reader: readSide.reader,
      explorer: new PostgresAuditEventExplorer(database.ask, readSide.form),
      fairShare,
      answers: new AnswerBytes(),
      writer: new PostgresAuditEventWriter(
        database.run,
        partitions,
        checkpointKey,
        readSide.form === 'union' ? database.steps : null,
      ),
      tenants,
      keys: new KeyManager(keyStore, tenants, authenticator),
      retention: new RetentionManager(retention),
      sources,
      evidence: new EvidenceLog(
        new PostgresEvidenceStore(database.ask, readSide.form),
        checkpointKey.verifierKey,
        (tenantId) => sequencer.problemOf(tenantId),
      ),
      accessLog,
      accessEntries,
      now: Date.now,
    },
  });
  const schema = createSchema();
  const ping = shared(() => guarded(() => prisma.$queryRaw`SELECT 1`, HEALTH_DEADLINE_MS));
  const beginExport = exporter(
    new PostgresExportSource(database.ask, readSide.form),
    new PostgresExportLeases(prisma),
    fairShare,
  );
  const facade = createFacade({
    schema,
    createContext,
    beginExport,
    checkHealth: healthCheck(ping, limiter, readSide, sequencer, accessLog, ...(nodes ? [nodes] : [])),
    tracing,
    log,
  });
  const inFlight = new InFlight();
  const { whileReading } = inFlight;
  const graphql = await createGraphqlRouter({ schema, createContext, whileReading, tracing, log });
  const dashboard = createDashboardRouter({
    sessions,
    tenants,
    createContext,
    whileReading,
    answerExport: (contextOf) => answerExport(beginExport, contextOf),
    openId: config.openId,
    folder: builtPage(),
    log,
  });
  const stopping = new AbortController();
  const isReady = async () =>
    !stopping.signal.aborted &&
    ping().then(
      () => true,
      () => false,
    );
  const metrics = config.metrics
    ? await openMetrics({
        figures: () => readFigures(owner, LIMITS.metricsSourcesMax, LIMITS.metricsDeadlineMs),
        connections: database.connections,
        limiter,
        inFlight,
        accessLog,
        stoppedLogs: () => sequencer.stoppedLogs,
        longStatements: () => fairShare.figures,
        nowMs: Date.now,
      })
    : null;
  const server = createHttpServer({
    ...{ facade, graphql, dashboard, probes: createProbes(isReady), inFlight, tracing, log },
    trustProxy: config.trustProxy,
    onAnswered: metrics ? [metrics.onAnswered] : [],
  });

  const folder = new Folder(owner);
  const indexer = new Indexer(owner, { pastMs: LIMITS.indexQuietMs, liveMs: LIMITS.indexLiveQuietMs });
  const background = (name: string, everyMs: number, run: () => Promise<unknown>) =>
    repeat(name, everyMs, log, async () => {
      const left = await run();
      metrics?.onRound(name);
      return left;
    });
  const tasks = [
    background('folding counts', LIMITS.foldMs, () => folder.run()),
    background('taking events into the evidence log', LIMITS.sequenceMs, () => sequencer.run()),
    ...(config.searchIndex ? [background('indexing for search', LIMITS.indexMs, () => indexer.run())] : []),
    background('writing the access log', LIMITS.accessLogFlushMs, () => accessLog.flush()),
    background('retention of the access log', LIMITS.retentionMs, () =>
      accessEntries.removeBefore(Date.now() - config.accessLogDays * DAY_MS, LIMITS.accessLogRemoveEntries),
    ),
    background('removing ended sessions', LIMITS.sessionIdleMs, () => sessions.removeEnded()),
    background('writing last-used times', LIMITS.keyUseFlushMs, () => authenticator.flushUses()),
    background('retention', LIMITS.retentionMs, () =>
      applyRetention({ store: retention, nowMs: Date.now, log, signal: stopping.signal }),
    ),
    background('retention of gaps', LIMITS.retentionMs, () =>
      expireGaps({ sources, retention, nowMs: Date.now, log }),
    ),
    ...(nodes ? [background('looking for its nodes', LIMITS.nodeLookMs, () => nodes.look())] : []),
    ...(config.databaseUrl ? [] : [background('vacuum', LIMITS.vacuumMs, () => vacuum(owner))]),
    background('making partitions ahead', DAY_MS, () => partitions.ensureAhead(Date.now())),
  ];

  const metricsServer = config.metrics ? await metrics?.listen(config.metrics) : undefined;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(config.port, config.host, resolve);
  });
  const heard = () => authenticator.forget();
  const listener = config.databaseUrl ? listen(config.databaseUrl, KEYS_CHANGED, { heard, log }) : null;
  const { port } = server.address() as AddressInfo;
  const host = config.host.includes(':') ? `[${config.host}]` : config.host;
  return {
    url: `http://${host}:${port}`,
    operatorKeyFile,
    metricsUrl: metricsServer?.url ?? null,
    close: async () => {
      stopping.abort();
      await delay(config.readinessDelayMs);
      await inFlight.drain(server, config.drainMs);
      await listener?.close();
      await Promise.all(tasks.map((task) => task.stop()));
      await accessLog
        .close()
        .catch((err) => log.error({ err, entries: accessLog.unwritten }, 'access log not written'));
      await authenticator.flushUses().catch((err) => log.warn({ err }, 'last-used times not written'));
      await limiter.close();
      await readSide.close();
      await database.close();
      await metricsServer?.close();
      await tracing.close();
    },
  };
}

async function openLimiter(config: Config, log: Logger): Promise<Limiter> {
  if (!config.redisUrl) return new SlidingLog();
  const limiter = new RedisLimiter(config.redisUrl, log);
  await limiter.connected();
  return limiter;
}
