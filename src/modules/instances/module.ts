import { createHash } from 'node:crypto';
import type { Logger } from 'pino';
import type { Config, ConfiguredWitness } from '../../config';
import type { OwnerDoor } from '../../database/clients';
import { LIMITS } from '../../limits';
import type { Module } from '../../module';
import type { Metrics } from '../../observe/metrics';
import { OtherInstances, type Settings } from './other-instances';

/** The instances on one database, and whether they are set alike. */
export function instancesModule(parts: {
  readonly config: Config;
  readonly owner: OwnerDoor;
  /** Of this build. */
  readonly version: string;
  readonly redisId: () => Promise<string | null>;
  /** The text of the rules that come with the service. */
  readonly rules: () => Iterable<string>;
  readonly log: Logger;
}): Module & { readonly others: OtherInstances } {
  const { config, owner, redisId, log } = parts;
  const fixed = { ...settingsOf(config), ...rulesOf(parts.version, parts.rules()) };
  const own = async () => ({ ...fixed, REDIS_URL: config.redisUrl ? await redisId() : 'not set' });
  const others = new OtherInstances(owner, own, log);
  const module = {
    others,
    metrics: (metrics: Metrics) =>
      metrics.gauge(
        'instance_settings_differ',
        'Settings that another instance on the database has otherwise.',
        () => others.differing.length,
      ),
  };
  // Nobody else has an embedded database.
  if (config.databaseUrl === null) return module;
  return {
    ...module,
    tasks: [
      {
        name: 'instance-settings',
        doc: 'comparing settings with other instances',
        everyMs: LIMITS.instanceSettingsMs,
        run: () => others.say(),
      },
    ],
    health: [others],
    stop: () => others.leave(),
  };
}

/** The settings that all instances have alike, without secrets. Those that may be null are alike where they are set. */
export const settingsOf = (config: Config): Settings => ({
  DRILL: config.drill ? 1 : 0,
  ACCESS_LOG_DAYS: config.accessLogDays,
  REPORT_DAYS: config.reportDays,
  RATE_LIMIT_PER_MINUTE: config.rateLimitPerMinute,
  ARCHIVE_AFTER_DAYS: config.archiveAfterDays,
  ARCHIVE_URL: placeOf(config.archivePlace),
  PUBLIC_URL: config.publicUrl ?? 'not set',
  OIDC_ISSUER: config.openId?.issuer ?? 'not set',
  OIDC_CLIENT_ID: config.openId?.clientId ?? null,
  OIDC_TENANTS_CLAIM: config.openId?.tenantsClaim ?? null,
  OIDC_ROLE_CLAIM: config.openId?.roleClaim ?? null,
  SMTP_URL: config.mail ? 'set' : 'not set',
  EVIDENCE_WITNESSES: config.witnesses.map(idOf).sort().join(', ') || null,
  TIMESTAMP_URL: config.timeStampUrl === null ? null : addressOf(config.timeStampUrl),
});

/** The id of its key. Names of many witnesses would not fit into a notification. */
const idOf = ({ verifierKey }: ConfiguredWitness): string => verifierKey.split('+')[1] ?? '';

/** Without the login, and without what stands behind `?`, which may be a key. */
const addressOf = (text: string): string => {
  const { origin, pathname } = new URL(text);
  return `${origin}${pathname}`;
};

/** Where files of weeks lie: without the login, and in whatever way a store is reached. */
const placeOf = (place: Config['archivePlace']): string => {
  if (place === null) return 'not set';
  return place.kind === 'folder' ? `file://${place.folder}` : `s3://${place.bucket}/${place.prefix}`;
};

/** Instances of one build have the same rules. While a release follows another one, they may differ. */
const rulesOf = (version: string, texts: Iterable<string>): Settings => {
  const hash = createHash('sha256');
  for (const text of texts) hash.update(text);
  return { [`rules of ${version}`]: hash.digest('hex').slice(0, 16) };
};
