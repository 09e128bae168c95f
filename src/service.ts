import 'reflect-metadata';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { startTasks } from './background';
import { openCallers } from './caller/callers';
import type { Config } from './config';
import { createEntrances } from './entrances';
import { healthCheck, isAnswered, shared } from './http/health';
import { InFlight } from './http/in-flight';
import { listenAt } from './http/server';
import { LIMITS } from './limits';
import type { Module } from './module';
import { accessLogModule } from './modules/access-log/module';
import { activityModule } from './modules/activity/module';
import { openDestinations } from './modules/destinations/module';
import { detectionModule } from './modules/detection/module';
import { openEvidence } from './modules/evidence/module';
import { exploreModule } from './modules/explore/module';
import { beginExports } from './modules/export/module';
import { openIngest } from './modules/ingest/module';
import { keysModule } from './modules/keys/module';
import { ensureOperatorKey } from './modules/keys/operator-key';
import { savedSearchesModule } from './modules/saved-searches/module';
import { searchModule } from './modules/search/module';
import { sourcesModule } from './modules/sources/module';
import { openTail } from './modules/tail/module';
import { tenantsModule } from './modules/tenants/module';
import { openMetrics } from './observe/open-metrics';
import { readFigures } from './observe/stored-figures';
import { createSchema } from './schema';
import { openStorage, type Storage } from './storage';

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

/** The composition root: configuration → storage → modules → schema → entrances. */
export async function startService(config: Config, log: Logger): Promise<Service> {
  const storage = await openStorage(config, log);
  try {
    return await serve(config, log, storage);
  } catch (error) {
    await storage.close();
    throw error;
  }
}

async function serve(config: Config, log: Logger, storage: Storage): Promise<Service> {
  const { database, readSide, tracing } = storage;
  const { prisma, background: owner, ask } = database;
  const { form } = readSide;
  const nowMs = Date.now;
  const stopping = new AbortController();
  const callers = await openCallers({ config, database, nowMs, log });
  const { keys, tenants, authenticator, fairShare, answers, accessLog, accessEntries } = callers;
  const operatorKeyFile = await ensureOperatorKey(config.dataDir, keys, log);
  const evidence = await openEvidence({ config, owner, ask, form, tenants, log });
  const ingest = await openIngest({ database, owner, form, checkpointKey: evidence.checkpointKey, nowMs });
  const { checkpointKeys } = evidence;
  const tenancy = tenantsModule({ prisma, owner, tenants, signal: stopping.signal, nowMs, log });
  const sources = sourcesModule({ prisma, owner, tenants, retention: tenancy.retention, nowMs, log });
  const listSources = sources.complete;
  const tail = openTail({ ask, owner, form, checkpointKeys, fairShare, answers, listSources, nowMs });
  const destinations = await openDestinations({ config, prisma, owner, form, tenants, nowMs, log });
  const inFlight = new InFlight();
  const modules: readonly Module[] = [
    ...[storage, callers, inFlight, evidence, ingest, tail, tenancy, sources, destinations],
    activityModule({ owner, readSide, fairShare, nowMs, log }),
    searchModule(owner, config.searchIndex),
    detectionModule({
      ...{ prisma, owner, tenants, signal: stopping.signal, ask, form, nowMs, log },
      ...{ send: destinations.sendMessage, mail: config.mail },
    }),
    exploreModule(database, form, fairShare),
    keysModule({ store: keys, tenants, authenticator, nowMs }),
    savedSearchesModule(prisma, owner),
    accessLogModule({ accessLog, store: accessEntries, days: config.accessLogDays, nowMs }),
  ];
  const all = <T>(part: (one: Module) => readonly T[] | undefined) =>
    modules.flatMap((one) => part(one) ?? []);

  const ping = shared(storage.ping);
  const figures = () => readFigures(owner, LIMITS.metricsSourcesMax, LIMITS.metricsDeadlineMs);
  const metrics = config.metrics
    ? await openMetrics(
        figures,
        all(({ metrics }) => metrics && [metrics]),
        nowMs,
      )
    : null;
  const server = await createEntrances({
    ...{ config, callers, inFlight, tracing, log },
    schema: createSchema({ resolvers: all(({ resolvers }) => resolvers), answers, accessLog, nowMs }),
    agents: ingest.agents,
    beginExport: beginExports(database, form, fairShare),
    tail: { ...tail, stopping: stopping.signal },
    checkHealth: healthCheck(
      ping,
      all(({ health }) => health),
    ),
    isReady: async () => !stopping.signal.aborted && isAnswered(ping),
    onAnswered: metrics ? [metrics.onAnswered] : [],
  });
  const tasks = startTasks(
    all((one) => one.tasks),
    log,
    (name) => metrics?.onRound(name),
  );
  const metricsServer = config.metrics ? await metrics?.listen(config.metrics) : undefined;
  const url = await listenAt(server, config.host, config.port);
  const listener = callers.listen();
  return {
    ...{ url, operatorKeyFile, metricsUrl: metricsServer?.url ?? null },
    close: async () => {
      stopping.abort();
      await delay(config.readinessDelayMs);
      await inFlight.drain(server, config.drainMs);
      await listener.close();
      await tasks.stop();
      await Promise.all(modules.map((one) => one.stop?.()));
      await callers.close();
      await metricsServer?.close();
      await storage.close();
    },
  };
}
