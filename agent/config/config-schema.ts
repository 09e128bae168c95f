import { z } from 'zod';
import { WINDOW } from '../../src/event/agent-package';
import {
  AGENT_LOG_LEVELS,
  AGENT_SETTING_NAMES,
  type AgentLogLevel,
  BATCH_EVENTS,
  POLL_INTERVAL_MS,
} from '../../src/event/agent-settings';
import { publicKeyOf } from '../update/offer';
import { Secret } from './secret';

/** Advice for people who wrote a Windows path into JSON without escaping it. */
export const BACKSLASH_HINT = 'in JSON, each \\ of a path is written \\\\ (or /)';

/** An empty text in a configuration file counts as absent, since it was not filled in. */
const absentWhenEmpty = (value: unknown) =>
  typeof value === 'string' && value.trim() === '' ? undefined : value;
const text = z.preprocess(absentWhenEmpty, z.string().trim());
const flag = z.boolean().default(true);
const oneOf = <T extends string>(values: readonly T[]) =>
  z.enum(values, { error: () => `must be one of ${values.join(', ')}` });
const whole = (min: number, max: number, preset: number) => z.int().min(min).max(max).default(preset);

/** Whether a path was written with single backslashes: JSON reads `\t`, `\n`, `\b`, `\r` and `\f` as one character. */
const hasControlCharacter = (path: string) => [...path].some((char) => char < ' ');

const directFile = z.strictObject({
  AuditFilePath: text.refine(
    (path) => !hasControlCharacter(path),
    `holds a control character: ${BACKSLASH_HINT}`,
  ),
  /** The folder belongs to several hosts, and may be away: see `docs/agent.md`. */
  Shared: z.boolean().default(false),
});

const optional = text.nullish().transform((value) => value ?? null);
const secret = text.nullish().transform((value) => (value == null ? null : new Secret(value)));
/** Address of a store. It gets requests with signatures, so a proxy or a mistyped address must not be followed. */
const storeAddress = text
  .refine(isServiceAddress, 'must be an http or https address without user, query and fragment')
  .transform((url) => url.replace(/\/+$/, ''));

const s3 = z
  .strictObject({
    Bucket: text.pipe(z.string().regex(/^[\w.-]{1,255}$/, 'must be the name of a bucket')),
    Prefix: optional,
    Region: text.pipe(z.string().regex(/^[\w-]{1,64}$/, 'must be the name of a region')).nullish(),
    Endpoint: storeAddress.nullish(),
    AccessKeyId: optional,
    SecretAccessKey: secret,
    SessionToken: secret,
    Profile: optional,
    RoleArn: optional,
    ExternalId: secret,
    ListIntervalMs: whole(10, 3_600_000, 60_000),
  })
  .refine(
    ({ AccessKeyId, SecretAccessKey }) => (AccessKeyId === null) === (SecretAccessKey === null),
    'must have AccessKeyId and SecretAccessKey together, or neither',
  );

const azureBlob = z.strictObject({
  Account: text.pipe(z.string().regex(/^[a-z0-9]{3,24}$/, 'must be the name of a storage account')),
  Container: text.pipe(z.string().regex(/^\$?[a-z0-9-]{1,63}$/, 'must be the name of a container')),
  Prefix: optional,
  Endpoint: storeAddress.nullish(),
  SasToken: secret,
  AccountKey: secret,
  TenantId: optional,
  ClientId: optional,
  ClientSecret: secret,
  ListIntervalMs: whole(10, 3_600_000, 60_000),
});

export const database = z.strictObject({
  Name: text.pipe(z.string().max(100, 'must have at most 100 characters')),
  Enabled: flag,
  AuditSource: z.discriminatedUnion(
    'Type',
    [
      z.strictObject({ Type: z.literal('DirectFile'), DirectFile: directFile }),
      z.strictObject({ Type: z.literal('S3'), S3: s3 }),
      z.strictObject({ Type: z.literal('AzureBlob'), AzureBlob: azureBlob }),
    ],
    {
      error: ({ code }) =>
        code === 'invalid_union' ? 'must be "DirectFile", "S3" or "AzureBlob"' : undefined,
    },
  ),
});

/**
 * The file that the installer writes, with the settings that the specification leaves open. Optional settings have the
 * values given here.
 */
export const configFile = z.strictObject({
  CentralApi: z.strictObject({
    BaseUrl: text.refine(
      isServiceAddress,
      'must be an http or https address without user, query and fragment',
    ),
    ApiKey: text.refine(
      (key) => /^[\x21-\x7e]+$/.test(key),
      'must be the key as it was shown, without blanks',
    ),
    /** A proxy between the agent and the service. Null: none. */
    ProxyUrl: text
      .refine(
        isProxyAddress,
        'must be an http address of host and port, with user and password if it wants them',
      )
      .nullish()
      .transform((value) => (value == null ? null : new Secret(value))),
    /** Certificates (PEM) that are trusted beside those of the system. A relative path starts at the file's folder. */
    CaFile: text
      .refine((path) => !hasControlCharacter(path), `holds a control character: ${BACKSLASH_HINT}`)
      .nullish()
      .transform((value) => value ?? null),
    /** Without it nothing is published. A tenant id looks like a number, so a number is taken too. */
    TenantId: z
      .preprocess(
        (value) => (Number.isSafeInteger(value) ? String(value) : value),
        z.string().trim().max(100),
      )
      .nullish()
      .transform((id) => id || null),
    /** Which settings the service may change. */
    AllowedSettings: z.array(oneOf(AGENT_SETTING_NAMES)).default([]),
  }),
  EventHubPublisher: z.strictObject({
    Enabled: flag,
    /** Between two listings of the audit files. */
    PollIntervalMs: whole(POLL_INTERVAL_MS.min, POLL_INTERVAL_MS.max, 1_000),
    /** Events per request. */
    BatchMaxEvents: whole(BATCH_EVENTS.min, BATCH_EVENTS.max, 1_000),
    /** The longest time that an event waits for others to share its request. */
    BatchMaxAgeMs: whole(0, 60_000, 500),
    /** Bytes per database that copies of audit files may take while publishing is held up; 0: no copies. */
    SpoolMaxBytes: whole(0, Number.MAX_SAFE_INTEGER, 1024 ** 3),
    /** Bytes of events per second, of all databases together; 0: as many as the agent can. */
    MaxBytesPerSecond: whole(0, Number.MAX_SAFE_INTEGER, 0).refine(
      (bytes) => bytes === 0 || bytes >= 10_000,
      'must be 0, or 10000 or more',
    ),
    /** Of one processor; 100: as much as the agent can. */
    MaxProcessorPercent: whole(1, 100, 100),
    /** The least level of the lines in the log. */
    LogLevel: oneOf(Object.keys(AGENT_LOG_LEVELS) as AgentLogLevel[]).default('info'),
    Databases: z.array(database).superRefine(nameEachOnce),
  }),
  /** Packages of the agent that the service offers. Without a key, none is taken. */
  Updates: z
    .strictObject({
      /** Whoever has the private key decides what runs here. */
      PublicKey: text.refine(isPublicKey, 'must be a public Ed25519 key in Base64').nullish(),
      /** In place of the window of the offer. */
      Window: text.pipe(z.string().regex(WINDOW, 'must be two times of a day, as 02:00-04:00')).nullish(),
      /** The time in which the service must have acknowledged something of a package. */
      TrialSeconds: whole(1, 86_400, 600),
    })
    .nullish(),
});
export type ConfigFileContent = z.infer<typeof configFile>;

function isPublicKey(text: string): boolean {
  try {
    return publicKeyOf(text).asymmetricKeyType === 'ed25519';
  } catch {
    return false;
  }
}

function isServiceAddress(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol)) return false;
  return url.username === '' && url.password === '' && url.search === '' && url.hash === '';
}

function isProxyAddress(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null;
  return url?.protocol === 'http:' && url.pathname === '/' && url.search === '' && url.hash === '';
}

/** The name is a file name in the data folder, and some file systems do not tell case apart. */
function nameEachOnce(databases: readonly { readonly Name: string }[], context: z.RefinementCtx): void {
  const names = new Set<string>();
  databases.forEach(({ Name }, index) => {
    const name = Name.toLowerCase();
    if (names.has(name)) {
      context.addIssue({
        code: 'custom',
        path: [index, 'Name'],
        message: 'is the name of another database too',
      });
    }
    names.add(name);
  });
}
