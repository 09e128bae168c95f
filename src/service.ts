import 'reflect-metadata';
import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { startTasks } from './background';
import { openCallers } from './caller/callers';
import type { Config } from './config';
import { makeFolder } from './data-folder';
import { INSTANCE_SETTINGS } from './database/notifications';
import { createEntrances } from './entrances';
import { healthCheck, isAnswered, shared } from './http/health';
import { InFlight } from './http/in-flight';
import { listenAt } from './http/server';
import { LIMITS } from './limits';
import type { Module } from './module';
import { degradedOf } from './observe/degraded';
import { openMetrics } from './observe/open-metrics';
import { readFigures } from './observe/stored-figures';
import { surroundingsOf } from './observe/surroundings';
import { openModules } from './open-modules';
import { createSchema } from './schema';
import { openStorage, type Storage } from './storage';

/** A running service. */
export interface Service {
  /** `http://HOST:PORT` */
  readonly url: string;
  /** Null: the database has an operator key, and this data folder has none. */
  readonly operatorKeyFile: string | null;
  /** Null: not configured. */
  readonly metricsUrl: string | null;
  /** Reports not ready, then gives requests in flight a bounded time to finish. */
  close(): Promise<void>;
}

/** The composition root: configuration → storage → modules → schema → entrances. */
export async function startService(config: Config, log: Logger): Promise<Service> {
  await makeFolder(config.dataDir);
  const storage = await openStorage(config, log);
  try {
    return await serve(config, log, storage);
  } catch (error) {
    await storage.close();
    throw error;
  }
}

async function serve(config: Config, log: Logger, storage: Storage): Promise<Service> {
  const { database, tracing } = storage;
  const nowMs = Date.now;
  const stopping = new AbortController();
  // Every waiting call listens to this signal, so there is no limit to its listeners.
  setMaxListeners(0, stopping.signal);
  const callers = await openCallers({ config, database, nowMs, log });
  const inFlight = new InFlight();
  const opened = await openModules({
    config,
    log,
    storage,
    callers,
    inFlight,
    nowMs,
    signal: stopping.signal,
  });
  const {
    modules,
    ingest,
    tail,
    large,
    pageAssets,
    operatorKeyFile,
    beginExport,
    packages,
    reports,
    hearInstance,
  } = opened;
  const { answers, changes, accessLog, accessViews } = callers;
  const all = <T>(part: (one: Module) => readonly T[] | undefined) =>
    modules.flatMap((one) => part(one) ?? []);

  const ping = shared(storage.ping);
  const figures = () => readFigures(database.owner, LIMITS.metricsSourcesMax, LIMITS.metricsDeadlineMs);
  const parts = all(({ health }) => health);
  const metrics = config.metrics
    ? await openMetrics(
        figures,
        [...all(({ metrics }) => metrics && [metrics]), degradedOf(parts), surroundingsOf(config)],
        nowMs,
      )
    : null;
  const server = await createEntrances({
    config,
    callers,
    inFlight,
    tracing,
    log,
    schema: createSchema({
      resolvers: all(({ resolvers }) => resolvers),
      answers,
      changes,
      accessLog,
      accessViews,
      nowMs,
    }),
    agents: ingest.agents,
    beginExport,
    packages,
    large,
    reports,
    pageAssets,
    operatorKeyFile,
    tail: { ...tail, large, stopping: stopping.signal },
    checkHealth: healthCheck(ping, parts),
    isReady: async () => !stopping.signal.aborted && isAnswered(ping),
    onAnswered: metrics ? [metrics.onAnswered] : [],
  });
  const tasks = startTasks(
    all((one) => one.tasks),
    log,
    (task) => metrics?.onRound(task),
  );
  const metricsServer = config.metrics ? await metrics?.listen(config.metrics) : undefined;
  const url = await listenAt(server, config.host, config.port);
  const listener = callers.listen({ [INSTANCE_SETTINGS]: hearInstance });
  return {
    url,
    operatorKeyFile,
    metricsUrl: metricsServer?.url ?? null,
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
