import type { Logger } from 'pino';
import type { Config } from '../config';
import type { Database } from '../database/clients';
import { KEYS_CHANGED, listen } from '../database/notifications';
import { LIMITS } from '../limits';
import type { Module } from '../module';
import { AccessLog } from './access-log';
import { PostgresAccessLogStore } from './access-log.store';
import { Authenticator } from './authenticate';
import { type AcceptCall, callAccepter } from './call';
import { PostgresKeyStore } from './key.store';
import { CHANGE_SHARES, FairShare, sharesOf } from './rate-limit/fair-share';
import { AnswerBytes } from './rate-limit/holdings';
import { type Limiter, RedisLimiter, SlidingLog } from './rate-limit/limiter';
import { RedisLink } from './rate-limit/redis-link';
import { OwnPlaces, SharedPlaces, type WaitingPlaces } from './rate-limit/waiting-places';
import { PostgresSessionStore } from './session/session.store';
import { Sessions } from './session/sessions';
import { PostgresTenantStore } from './tenant.store';

/** Authentication, the callers' rights, and the share of the service that each caller may use. */
export interface Callers extends Module {
  readonly accessEntries: PostgresAccessLogStore;
  readonly accessLog: AccessLog;
  readonly keys: PostgresKeyStore;
  readonly tenants: PostgresTenantStore;
  readonly authenticator: Authenticator;
  readonly sessions: Sessions;
  readonly limiter: Limiter;
  readonly waitingPlaces: WaitingPlaces;
  readonly fairShare: FairShare;
  /** The turns of changes. */
  readonly changes: FairShare;
  readonly answers: AnswerBytes;
  readonly acceptCall: AcceptCall;
  /** Listens for changes of keys by other instances. */
  listen(): { close(): Promise<void> };
  /** Writes the access log and the last-used times after the last request. */
  close(): Promise<void>;
}

export async function openCallers(parts: {
  readonly config: Pick<Config, 'databaseUrl' | 'redisUrl' | 'rateLimitPerMinute'>;
  readonly database: Database;
  readonly nowMs: () => number;
  readonly log: Logger;
}): Promise<Callers> {
  const { config, database, nowMs, log } = parts;
  const { prisma } = database;
  const accessEntries = new PostgresAccessLogStore(database);
  const accessLog = new AccessLog(accessEntries);
  const { databaseUrl, rateLimitPerMinute } = config;
  const keys = new PostgresKeyStore(prisma);
  const authenticator = new Authenticator(keys);
  const sessions = new Sessions(new PostgresSessionStore(prisma), authenticator);
  const { limiter, waitingPlaces } = await openShared(config.redisUrl, log);
  const fairShare = new FairShare(sharesOf(databaseUrl ? LIMITS.databaseConnections : 1));
  const changes = new FairShare(CHANGE_SHARES, 'changes or lists of rules');
  return {
    ...{ accessEntries, accessLog, keys, authenticator, sessions, limiter, waitingPlaces },
    ...{ fairShare, changes },
    tenants: new PostgresTenantStore(prisma),
    answers: new AnswerBytes(),
    acceptCall: callAccepter({ authenticator, sessions, limiter, rateLimitPerMinute, accessLog, nowMs }),
    listen: () =>
      databaseUrl
        ? listen(databaseUrl, KEYS_CHANGED, { heard: () => authenticator.forget(), log })
        : { close: async () => {} },
    tasks: [
      {
        name: 'removing ended sessions',
        everyMs: LIMITS.sessionIdleMs,
        run: () => sessions.removeEnded(),
      },
      {
        name: 'writing last-used times',
        everyMs: LIMITS.keyUseFlushMs,
        run: () => authenticator.flushUses(),
      },
    ],
    metrics: (metrics) => {
      metrics.gauge(
        'rate_limit_shared',
        '1 while rate limits are decided as configured; 0 while Redis is lost.',
        () => Number(limiter.healthy),
      );
      declareTurns(metrics, fairShare, {
        name: 'long_statements',
        help: 'Searches, counts and exports that run, or wait for their turn.',
      });
      declareTurns(metrics, changes, {
        name: 'changes',
        help: 'Changes by tenants and lists of their rules that run, or wait for their turn.',
      });
    },
    health: [limiter],
    close: async () => {
      await accessLog
        .close()
        .catch((err) => log.error({ err, entries: accessLog.unwritten }, 'access log not written'));
      await authenticator.flushUses().catch((err) => log.warn({ err }, 'last-used times not written'));
      await limiter.close();
    },
  };
}

/** Declares how many have or await a turn, and as `<name>_refused_total` how many were refused. */
function declareTurns(
  metrics: Parameters<NonNullable<Module['metrics']>>[0],
  turns: FairShare,
  { name, help }: { readonly name: string; readonly help: string },
): void {
  metrics.gauges(name, help, ['state'], () => {
    const { running, waiting } = turns.figures;
    return Object.entries({ running, waiting }).map(([state, value]) => ({ labels: { state }, value }));
  });
  metrics.counters(
    `${name}_refused_total`,
    'Those that waited too long, by whose share was used up: of the key, the tenant or all.',
    ['share'],
    () => Object.entries(turns.figures.refused).map(([share, value]) => ({ labels: { share }, value })),
  );
}

/** The limits that instances with a common Redis count together. */
async function openShared(
  redisUrl: string | null,
  log: Logger,
): Promise<Pick<Callers, 'limiter' | 'waitingPlaces'>> {
  if (!redisUrl) return { limiter: new SlidingLog(), waitingPlaces: new OwnPlaces() };
  const link = new RedisLink(redisUrl, log);
  await link.connected();
  return { limiter: new RedisLimiter(link), waitingPlaces: new SharedPlaces(link) };
}
