import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { addressProblems } from './address-list';
import { LIMITS } from './limits';
import { readWitnessKey } from './store/log/evidence/cosignature';

/** The environment variables have mistakes. One text names all of them. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

const url = (protocols: readonly string[]) =>
  z
    .string()
    .refine((text) => protocols.some((protocol) => text.toLowerCase().startsWith(`${protocol}//`)), {
      error: `must be a URL that begins with ${protocols.map((p) => `${p}//`).join(' or ')}`,
      abort: true,
    })
    .refine((text) => URL.canParse(text), {
      error: `must be a URL, and what follows ${protocols[0]}// is none. ${ENCODE}`,
      abort: true,
    });

const ENCODE =
  'In a user name or password, write # as %23, / as %2F, ? as %3F, @ as %40, : as %3A and % as %25.';

/** A URL that may hold a login. A special character of the password that is not encoded would cut the URL short. */
const serverUrl = (protocols: readonly string[]) =>
  url(protocols).refine((text) => !isCutShort(new URL(text)), {
    error: `must be a URL in which the user name and the password are encoded. ${ENCODE}`,
  });

function isCutShort({ username, password, hash, pathname, search }: URL): boolean {
  const isDecodable = [username, password].every((part) => !/%(?![0-9a-f]{2})/i.test(part));
  return (
    !isDecodable ||
    hash !== '' ||
    (username === '' && password === '' && `${pathname}${search}`.includes('@'))
  );
}

const SSL_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'];

/** The URL of PostgreSQL. The driver treats an unknown TLS mode as a mode that asks for TLS. */
const databaseUrl = serverUrl(['postgres:', 'postgresql:']).refine(
  (text) => new URL(text).searchParams.getAll('sslmode').every((mode) => SSL_MODES.includes(mode)),
  { error: `must have as its sslmode one of ${SSL_MODES.join(', ')}` },
);

/** A folder, or a bucket of an object store with the interface of S3. */
export type ArchivePlace =
  | { readonly kind: 'folder'; readonly folder: string }
  | ({ readonly kind: 'bucket' } & Record<
      'endpoint' | 'region' | 'bucket' | 'prefix' | 'accessKeyId' | 'secretAccessKey',
      string
    >);

/** Null: the URL names no place. */
function archivePlaceOf(text: string): ArchivePlace | null {
  const url = new URL(text);
  if (url.protocol === 'file:')
    return url.host === '' && url.pathname !== '/' ? { kind: 'folder', folder: fileURLToPath(url) } : null;
  const [region, asked] = ['region', 'endpoint'].map((name) => url.searchParams.get(name) ?? '');
  const [accessKeyId, secretAccessKey] = [url.username, url.password].map(decodeURIComponent);
  const endpoint = asked || `https://s3.${region}.amazonaws.com`;
  const isEndpoint = URL.canParse(endpoint) && /^https?:$/.test(new URL(endpoint).protocol);
  if (!url.hostname || !region || !accessKeyId || !secretAccessKey || !isEndpoint) return null;
  const prefix = decodeURIComponent(url.pathname).replace(/^\/+|\/+$/g, '');
  return {
    kind: 'bucket',
    endpoint,
    region,
    bucket: url.hostname,
    prefix: prefix === '' ? '' : `${prefix}/`,
    accessKeyId,
    secretAccessKey,
  };
}

const archiveUrl = serverUrl(['file:', 's3:']).refine((text) => archivePlaceOf(text) !== null, {
  error: 'must be file:///FOLDER, or s3://KEYID:SECRET@BUCKET/PREFIX?region=REGION',
});

/** A program elsewhere that signs checkpoints of evidence logs. */
export interface ConfiguredWitness {
  readonly verifierKey: string;
  /** Where `add-checkpoint` is. */
  readonly url: string;
}

const witnessesOf = (text: string): ConfiguredWitness[] =>
  text.split(',').map((one) => {
    const [verifierKey = '', ...rest] = one.trim().split(/\s+/);
    return { verifierKey, url: rest.join(' ') };
  });

/** @returns what is wrong, in words */
function wrongWitnesses(all: readonly ConfiguredWitness[]): string[] {
  if (all.length > LIMITS.witnessesMax) return [`must name at most ${LIMITS.witnessesMax} witnesses`];
  const known = new Set<string>();
  return all.flatMap(({ verifierKey, url }, i) => {
    const wrong: string[] = [];
    const isUrl = URL.canParse(url) && /^https?:$/.test(new URL(url).protocol) && !/\s/.test(url);
    if (!isUrl)
      wrong.push(
        `must be KEY URL, with commas between: witness ${i + 1} has no URL that begins with https:// or http://`,
      );
    try {
      const key = readWitnessKey(verifierKey).publicKey.toString('hex');
      if (known.has(key)) wrong.push(`must name each witness once: witness ${i + 1} was named before`);
      known.add(key);
    } catch (error) {
      wrong.push(`must have the key of witness ${i + 1}: ${(error as Error).message}`);
    }
    return wrong;
  });
}

const witnesses = z
  .string()
  .transform(witnessesOf)
  .superRefine((all, context) => {
    for (const message of wrongWitnesses(all)) context.addIssue({ code: 'custom', message });
  });

const isLoopback = (text: string) => /^(?:localhost|127\.[\d.]+|\[::1\])$/.test(new URL(text).hostname);

const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .refine((text) => /^\d{1,15}$/.test(text) && Number(text) >= min && Number(text) <= max, {
      error: `must be a whole number from ${min} to ${max}`,
    })
    .transform(Number);

/** TLS modes that the driver treats as `verify-full`. Its next version will check less; this service will not. */
const LESS_THAN_FULL = /([?&]sslmode=)(prefer|require|verify-ca)(?=&|$)/;

/** The URL of PostgreSQL, with `verify-full` in place of TLS modes that mean the same. */
const strictly = (text: string | undefined): string | null => {
  if (text === undefined) return null;
  return /[?&]uselibpqcompat=true/i.test(text) ? text : text.replace(LESS_THAN_FULL, '$1verify-full');
};

/** Express's names for the private networks. */
const NAMED_NETWORKS = ['loopback', 'linklocal', 'uniquelocal'];

const networks = z
  .string()
  .transform((text) => text.split(',').map((network) => network.trim()))
  .refine((list) => addressProblems(list.filter((n) => !NAMED_NETWORKS.includes(n))).length === 0, {
    error: `must be addresses and networks (CIDR), or ${NAMED_NETWORKS.join(', ')}, with commas between them`,
  });

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** The environment variables of the service; their descriptions are the table of docs/operate.md. */
export const ENVIRONMENT = z.object({
  PORT: wholeNumber(0, 65_535).default(8080).describe('TCP port; 0 takes a free one.'),
  HOST: z
    .string()
    .optional()
    .describe('Address to listen on. Default 127.0.0.1 with the embedded database, else 0.0.0.0.'),
  DATA_DIR: z.string().default('.data').describe('Folder of the embedded database and of `operator.key`.'),
  DATABASE_URL: databaseUrl
    .optional()
    .describe(
      'PostgreSQL 15 or newer. Not set: the embedded database. `sslmode=require` and `verify-ca` check certificate and host name too, as `verify-full` does.',
    ),
  MIGRATION_DATABASE_URL: databaseUrl
    .optional()
    .describe(
      'DATABASE_URL with the login that owns the tables, for migrations and background tasks. Not set: DATABASE_URL has it.',
    ),
  READ_DATABASE_URL: databaseUrl
    .optional()
    .describe(
      'A replica of DATABASE_URL that answers lists, details and summaries. Not set: DATABASE_URL does.',
    ),
  CHECKPOINT_KEY_FILE: z
    .string()
    .optional()
    .describe(
      'Key that signs the evidence log, and earlier keys behind it; instances on one database share them. Not set: `checkpoint.key` in DATA_DIR.',
    ),
  CHECKPOINT_KEY_SUCCEEDS: z
    .string()
    .regex(/^[0-9a-f]{8}( *, *[0-9a-f]{8})*$/, {
      error: 'must be key ids, 8 digits each, with commas between',
    })
    .optional()
    .describe('Key ids of lost checkpoint keys whose logs this instance may continue.'),
  EVIDENCE_WITNESSES: witnesses
    .optional()
    .describe(
      'Witnesses that sign checkpoints of the evidence log: `KEY URL` of each, comma-separated ([evidence](evidence.md#witnesses)). Not set: none.',
    ),
  TIMESTAMP_URL: url(['http:', 'https:'])
    .optional()
    .describe(
      'Time-stamp authority (RFC 3161) that stamps checkpoints of the evidence log ([evidence](evidence.md#time-stamps)). Not set: none.',
    ),
  SECRETS_KEY_FILE: z
    .string()
    .optional()
    .describe(
      'Keys that encrypt the secrets of destinations; instances on one database share it. Not set: `secrets.key` in DATA_DIR.',
    ),
  DESTINATION_ALLOW_NETWORKS: z
    .string()
    .transform((text) => text.split(',').map((network) => network.trim()))
    .refine((list) => addressProblems(list).length === 0, {
      error: 'must be addresses and networks (CIDR), with commas between them',
    })
    .optional()
    .describe(
      'Private, loopback and other special networks (CIDR), comma-separated, that destinations may be in; without encryption only those.',
    ),
  DRILL: z
    .enum(['0', '1'], { error: 'must be 0 or 1' })
    .default('0')
    .describe(
      'With `1` this instance sends nothing (events, mail, notices) and removes nothing, for a drill on a restored database; `/health` says Degraded.',
    ),
  SMTP_URL: serverUrl(['smtp:', 'smtps:'])
    .optional()
    .describe(
      'The server that takes mail about alerts and reports: smtp:// with STARTTLS, smtps:// with TLS; a login is sent over TLS only. Not set: no mail.',
    ),
  SMTP_FROM: z
    .string()
    .optional()
    .describe('Who mail about alerts and reports is from. Not set: audit-activity@localhost.'),
  REDIS_URL: serverUrl(['redis:', 'rediss:'])
    .optional()
    .describe(
      'Shares the rate limits, and the places of calls that wait, between instances. Not set: each instance keeps its own.',
    ),
  REDIS_CA_FILE: z
    .string()
    .optional()
    .describe("CA of Redis' certificate (PEM), for a rediss:// URL. Not set: the CAs that Node.js trusts."),
  ARCHIVE_AFTER_DAYS: wholeNumber(LIMITS.archiveAfterDaysMin, 36_500)
    .optional()
    .describe(
      'Days after the end of a week after which its events are put into files ([archive](archive.md)). Not set: no week is.',
    ),
  ARCHIVE_URL: archiveUrl
    .optional()
    .describe(
      'Where these files are put: `file:///FOLDER` that all instances share, or `s3://KEYID:SECRET@BUCKET/PREFIX?region=REGION`, with `&endpoint=URL` for a store other than that of AWS. Not set: in the database.',
    ),
  SEARCH_INDEX: z
    .enum(['on', 'off'], { error: 'must be on or off' })
    .default('on')
    .describe(
      'With `off` this instance does not index for search; where none does, searches read the events.',
    ),
  LOG_LEVEL: z
    .enum(LOG_LEVELS, { error: `must be one of ${LOG_LEVELS.join(', ')}` })
    .default('info')
    .describe('Least level of the log lines on stderr.'),
  RATE_LIMIT_PER_MINUTE: wholeNumber(1, LIMITS.rateLimitPerMinuteMax)
    .default(60)
    .describe('Calls per key in any 60 seconds, for keys without a limit of their own.'),
  READINESS_DELAY_MS: wholeNumber(0, 600_000)
    .default(0)
    .describe('When it stops: milliseconds it goes on serving while `/readyz` already says no.'),
  DRAIN_MS: wholeNumber(0, 600_000)
    .default(10_000)
    .describe('After that: milliseconds requests in flight have to finish before they are cut off.'),
  BACKGROUND_STATEMENT_MS: wholeNumber(1_000, 3_600_000)
    .default(LIMITS.backgroundStatementMsDefault)
    .describe(
      'Milliseconds a statement of a background task (indexing, retention, ...) may take; after a longer silence the connection is closed.',
    ),
  METRICS_PORT: wholeNumber(0, 65_535)
    .optional()
    .describe(
      'TCP port for `/metrics`, which names tenants and databases; 0 takes a free one. Not set: none.',
    ),
  METRICS_HOST: z.string().default('127.0.0.1').describe('Address to listen on for it.'),
  OTEL_EXPORTER_OTLP_ENDPOINT: url(['http:', 'https:'])
    .optional()
    .describe(
      "Where traces are sent by OTLP over HTTP; OpenTelemetry's other variables are heeded too. Not set: none.",
    ),
  TRUST_PROXY: networks
    .optional()
    .describe(
      'Reverse proxies whose `X-Forwarded-For` is believed: addresses and networks (CIDR), comma-separated.',
    ),
  PUBLIC_URL: url(['https:', 'http:'])
    .optional()
    .describe(
      'Where browsers find this service, `https://…`: needed for sign-in by OpenID Connect, and for the links in mail about reports.',
    ),
  OIDC_ISSUER: url(['https:', 'http:'])
    .refine((text) => !URL.canParse(text) || new URL(text).protocol === 'https:' || isLoopback(text), {
      error: 'must begin with https://, or be on this host',
    })
    .optional()
    .describe('Identity provider by which people sign in to the dashboard. Not set: by key alone.'),
  OIDC_CLIENT_ID: z.string().optional().describe('This service, as the identity provider knows it.'),
  OIDC_CLIENT_SECRET: z.string().optional().describe('Its secret there.'),
  OIDC_TENANTS_CLAIM: z
    .string()
    .default('tenants')
    .describe('Claim of the ID token with the tenant ids an analyst may read: a list, or text with commas.'),
  OIDC_ROLE_CLAIM: z
    .string()
    .default('role')
    .describe('Claim with `analyst` or `operator`, alone or in a list; who has both is an operator.'),
  REPORT_DAYS: wholeNumber(1, LIMITS.reportDaysMax)
    .default(LIMITS.reportDays)
    .describe('Days that the files of reports are kept, where a schedule says no other number.'),
  ACCESS_LOG_DAYS: wholeNumber(1, LIMITS.accessLogDaysMax)
    .default(400)
    .describe('Days that entries of the access log are kept.'),
});

export interface OpenIdConfig {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly tenantsClaim: string;
  readonly roleClaim: string;
  /** The URL at which browsers find this service. */
  readonly publicUrl: string;
}

export interface Config {
  readonly port: number;
  readonly host: string;
  /** An absolute path. */
  readonly dataDir: string;
  readonly databaseUrl: string | null;
  /** Always null when `databaseUrl` is null. */
  readonly migrationDatabaseUrl: string | null;
  /** Always null when `databaseUrl` is null. */
  readonly readDatabaseUrl: string | null;
  /** Null: the key file in the data folder, which the first start makes. */
  readonly checkpointKeyFile: string | null;
  readonly formerCheckpointKeys: readonly string[];
  readonly witnesses: readonly ConfiguredWitness[];
  /** Of the time-stamp authority. */
  readonly timeStampUrl: string | null;
  /** Null: the key file in the data folder, which the first start makes. */
  readonly secretsKeyFile: string | null;
  /** Networks outside the public internet that destinations may be in. */
  readonly destinationAllowNetworks: readonly string[];
  /** Whether this instance sends nothing and removes nothing. */
  readonly drill: boolean;
  /** Null: no mail is sent. */
  readonly mail: { readonly url: string; readonly from: string } | null;
  /** Where browsers find the service; null: nobody said. */
  readonly publicUrl: string | null;
  /** Days that the files of reports are kept. */
  readonly reportDays: number;
  readonly redisUrl: string | null;
  /** Null: the CAs that Node.js trusts. */
  readonly redisCaFile: string | null;
  /** Null: no week is sealed. */
  readonly archiveAfterDays: number | null;
  /** Null: the database. */
  readonly archivePlace: ArchivePlace | null;
  /** Whether this instance keeps the search index up to date. */
  readonly searchIndex: boolean;
  readonly logLevel: (typeof LOG_LEVELS)[number];
  readonly rateLimitPerMinute: number;
  readonly readinessDelayMs: number;
  readonly drainMs: number;
  readonly backgroundStatementMs: number;
  readonly metrics: { readonly host: string; readonly port: number } | null;
  readonly otlpEndpoint: string | null;
  /** Addresses and networks of the proxies whose X-Forwarded-For is believed. */
  readonly trustProxy: readonly string[];
  readonly accessLogDays: number;
  /** Sign-in to the dashboard by OpenID Connect. */
  readonly openId: OpenIdConfig | null;
}

const NEEDED_WITH_ISSUER = ['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET', 'PUBLIC_URL'] as const;
const NEEDS_DATABASE = {
  READ_DATABASE_URL: 'whose replica it is',
  MIGRATION_DATABASE_URL: 'for requests',
} as const;

/** Variables that are missing although other variables need them. @returns sentences */
function missingIn(given: Readonly<Record<string, unknown>>): string[] {
  const lines: string[] = [];
  if (!given.DATABASE_URL)
    for (const [name, reason] of Object.entries(NEEDS_DATABASE))
      if (given[name]) lines.push(`${name}: needs DATABASE_URL, ${reason}`);
  if (given.REDIS_CA_FILE && !/^rediss:/i.test(String(given.REDIS_URL)))
    lines.push('REDIS_CA_FILE: needs REDIS_URL with rediss://; without TLS there is no certificate to check');
  if (given.OIDC_ISSUER)
    for (const name of NEEDED_WITH_ISSUER)
      if (!given[name]) lines.push(`${name}: is needed with OIDC_ISSUER`);
  return lines;
}

function openIdOf(data: z.infer<typeof ENVIRONMENT>): OpenIdConfig | null {
  const { OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, PUBLIC_URL } = data;
  if (!OIDC_ISSUER || !OIDC_CLIENT_ID || !OIDC_CLIENT_SECRET || !PUBLIC_URL) return null;
  return {
    issuer: OIDC_ISSUER,
    clientId: OIDC_CLIENT_ID,
    clientSecret: OIDC_CLIENT_SECRET,
    tenantsClaim: data.OIDC_TENANTS_CLAIM,
    roleClaim: data.OIDC_ROLE_CLAIM,
    publicUrl: PUBLIC_URL,
  };
}

/** @throws ConfigError that names every mistake. An empty variable counts as not set. */
export function loadConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const given = Object.fromEntries(
    Object.keys(ENVIRONMENT.shape)
      .map((name) => [name, env[name]?.trim()] as const)
      .filter(([, value]) => value),
  );
  const parsed = ENVIRONMENT.safeParse(given);
  const wrong = parsed.success
    ? []
    : parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  const mistakes = [...wrong, ...missingIn(given)];
  if (!parsed.success || mistakes.length > 0)
    throw new ConfigError(
      `The configuration has mistakes:\n${mistakes.map((line) => `  ${line}`).join('\n')}`,
    );
  const { data } = parsed;
  return Object.freeze({
    port: data.PORT,
    host: data.HOST ?? (data.DATABASE_URL ? '0.0.0.0' : '127.0.0.1'),
    dataDir: path.resolve(data.DATA_DIR),
    databaseUrl: strictly(data.DATABASE_URL),
    migrationDatabaseUrl: strictly(data.MIGRATION_DATABASE_URL),
    readDatabaseUrl: strictly(data.READ_DATABASE_URL),
    checkpointKeyFile: data.CHECKPOINT_KEY_FILE ?? null,
    formerCheckpointKeys: data.CHECKPOINT_KEY_SUCCEEDS?.split(/ *, */) ?? [],
    witnesses: data.EVIDENCE_WITNESSES ?? [],
    timeStampUrl: data.TIMESTAMP_URL ?? null,
    secretsKeyFile: data.SECRETS_KEY_FILE ?? null,
    destinationAllowNetworks: data.DESTINATION_ALLOW_NETWORKS ?? [],
    drill: data.DRILL === '1',
    publicUrl: data.PUBLIC_URL ?? null,
    reportDays: data.REPORT_DAYS,
    mail: data.SMTP_URL ? { url: data.SMTP_URL, from: data.SMTP_FROM ?? 'audit-activity@localhost' } : null,
    redisUrl: data.REDIS_URL ?? null,
    redisCaFile: data.REDIS_CA_FILE ?? null,
    archiveAfterDays: data.ARCHIVE_AFTER_DAYS ?? null,
    archivePlace: data.ARCHIVE_URL === undefined ? null : archivePlaceOf(data.ARCHIVE_URL),
    searchIndex: data.SEARCH_INDEX === 'on',
    logLevel: data.LOG_LEVEL,
    rateLimitPerMinute: data.RATE_LIMIT_PER_MINUTE,
    readinessDelayMs: data.READINESS_DELAY_MS,
    drainMs: data.DRAIN_MS,
    backgroundStatementMs: data.BACKGROUND_STATEMENT_MS,
    metrics: data.METRICS_PORT === undefined ? null : { host: data.METRICS_HOST, port: data.METRICS_PORT },
    otlpEndpoint: data.OTEL_EXPORTER_OTLP_ENDPOINT ?? null,
    trustProxy: data.TRUST_PROXY ?? [],
    accessLogDays: data.ACCESS_LOG_DAYS,
    openId: openIdOf(data),
  });
}
