import { randomUUID, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Logger } from 'pino';
import type { Config } from '../config';
import type { Database } from '../database/clients';
import { KEYS_CHANGED, listen } from '../database/notifications';
import { LIMITS } from '../limits';
import type { Module } from '../module';
import { AccessLog } from './access-log';
import { PostgresAccessLogStore } from './access-log.store';
import { AccessViews } from './access-views';
import { Authenticator } from './authenticate';
import { type AcceptCall, callAccepter } from './call';
import { PostgresKeyStore } from './key.store';
import { MarkedTenants } from './principal';
import { CHANGE_SHARES, FairShare, LARGE_SHARES, sharesOf } from './rate-limit/fair-share';
import { AnswerBytes } from './rate-limit/holdings';
import { type Limiter, RedisLimiter, RedisLink, SlidingLog } from './rate-limit/limiter';
import { OwnPlaces, SharedPlaces, type WaitingPlaces } from './rate-limit/waiting-places';
import { PostgresSessionStore } from './session/session.store';
import { Sessions } from './session/sessions';
import { PostgresTenantStore } from './tenant.store';

const MASKS_KEPT_MS = 1_000;

/** Authentication, the callers' rights, and the share of the service that each caller may use. */
export interface Callers extends Module {
  readonly accessEntries: PostgresAccessLogStore;
  readonly accessLog: AccessLog;
  /** Joins what the dashboard reads, on its way to the access log. */
  readonly accessViews: AccessViews;
  readonly keys: PostgresKeyStore;
  readonly tenants: PostgresTenantStore;
  readonly maskedTenants: MarkedTenants;
  readonly disabledTenants: MarkedTenants;
  readonly authenticator: Authenticator;
  readonly sessions: Sessions;
  readonly limiter: Limiter;
  readonly waitingPlaces: WaitingPlaces;
  /** A name of the Redis that this instance has now; null: none, or it does not answer. */
  readonly redisId: () => Promise<string | null>;
  readonly fairShare: FairShare;
  /** The turns of changes. */
  readonly changes: FairShare;
  /** The turns of reading large statements. */
  readonly largeTurns: FairShare;
  readonly answers: AnswerBytes;
  readonly acceptCall: AcceptCall;
  /** Listens for changes of keys by other instances, and to what else they say. */
  listen(others: Parameters<typeof listen>[1]): { close(): Promise<void> };
  /** Writes the access log and the last-used times after the last request. */
  close(): Promise<void>;
}

export async function openCallers(parts: {
  readonly config: Pick<Config, 'databaseUrl' | 'redisUrl' | 'redisCaFile' | 'rateLimitPerMinute'>;
  readonly database: Database;
  readonly nowMs: () => number;
  readonly log: Logger;
}): Promise<Callers> {
  const { config, database, nowMs, log } = parts;
  const { service } = database;
  const accessEntries = new PostgresAccessLogStore(database);
  const accessLog = new AccessLog(accessEntries);
  const accessViews = new AccessViews((entry) => accessLog.note(entry));
  const { databaseUrl, rateLimitPerMinute } = config;
  const keys = new PostgresKeyStore(service);
  const tenants = new PostgresTenantStore(service);
  const disabledTenants = new MarkedTenants((only) => tenants.disabled(only), service, {
    keptMs: LIMITS.keyCacheMs,
    // Its rows are on the node that is away: nobody gets them, and callers are told so.
    isUnknownMarked: false,
  });
  const authenticator = new Authenticator(keys, undefined, disabledTenants);
  const maskedTenants = new MarkedTenants((only) => tenants.masked(only), service, {
    keptMs: MASKS_KEPT_MS,
    isUnknownMarked: true,
  });
  const sessions = new Sessions(new PostgresSessionStore(service), authenticator);
  const { limiter, waitingPlaces, redisId } = await openShared(config, log);
  const fairShare = new FairShare(sharesOf(databaseUrl ? LIMITS.databaseConnections : 1));
  const changes = new FairShare(CHANGE_SHARES, 'changes or lists of rules');
  const largeTurns = new FairShare(LARGE_SHARES, 'readings of large statements');
  return {
    accessEntries,
    accessLog,
    accessViews,
    keys,
    authenticator,
    sessions,
    limiter,
    waitingPlaces,
    fairShare,
    changes,
    largeTurns,
    tenants,
    maskedTenants,
    disabledTenants,
    answers: new AnswerBytes(),
    acceptCall: callAccepter({
      authenticator,
      sessions,
      limiter,
      rateLimitPerMinute,
      accessLog,
      maskedTenants,
      nowMs,
    }),
    redisId,
    listen: (others) =>
      databaseUrl
        ? listen(databaseUrl, { [KEYS_CHANGED]: () => authenticator.forget(), ...others }, log)
        : { close: async () => {} },
    tasks: [
      {
        name: 'ended-sessions',
        doc: 'removing ended sessions',
        everyMs: LIMITS.sessionIdleMs,
        run: () => sessions.removeEnded(),
      },
      {
        name: 'key-uses',
        doc: 'writing last-used times',
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
      declareTurns(metrics, largeTurns, {
        name: 'large_statements',
        help: 'Readings of large statements that run, or wait for their turn.',
      });
    },
    health: [limiter],
    close: async () => {
      accessViews.end();
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

/** @throws Error that names the setting, if the file cannot be read or has no certificate */
async function readCa(file: string): Promise<string> {
  try {
    const text = await readFile(file, 'utf8');
    // A file without certificates would be taken for an empty list of CAs.
    new X509Certificate(text);
    return text;
  } catch (error) {
    throw new Error(`REDIS_CA_FILE ${file} is not usable: ${(error as Error).message}`, { cause: error });
  }
}

/** The first instance names the Redis. The others read the name, so they see whether they have the same one. */
const NAME_REDIS = `redis.call('SET', KEYS[1], ARGV[1], 'NX') return redis.call('GET', KEYS[1])`;

/** The limits that instances with a common Redis count together. */
async function openShared(
  { redisUrl, redisCaFile }: Pick<Config, 'redisUrl' | 'redisCaFile'>,
  log: Logger,
): Promise<Pick<Callers, 'limiter' | 'waitingPlaces' | 'redisId'>> {
  if (!redisUrl)
    return { limiter: new SlidingLog(), waitingPlaces: new OwnPlaces(), redisId: async () => null };
  const link = new RedisLink(redisUrl, log, redisCaFile && (await readCa(redisCaFile)));
  await link.connected();
  const named = link.script<string>('whichRedis', NAME_REDIS);
  const redisId = () => named('audit-activity:redis', randomUUID());
  return { limiter: new RedisLimiter(link), waitingPlaces: new SharedPlaces(link), redisId };
}
