import { z } from 'zod';
import { SIGNATURES } from '../../delivery/standard-webhooks';
import { type DestinationFormat, FEED_FORMAT_NAMES } from '../../event/formats/formats';
import { LIMITS } from '../../limits';

const text = (max = 512) =>
  z
    .string()
    .min(1)
    .max(max)
    .refine((value) => !/\p{Cc}|\p{Cs}/u.test(value), { error: 'must not have control characters' });
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
/** Headers that the service sets itself, for the body and the connection. */
const OWN_HEADERS =
  /^(?:content-.*|host|connection|transfer-encoding|user-agent|webhook-.*|te|trailer|upgrade|expect|keep-alive|proxy-.*)$/i;
/** A text that a header can carry: in HTTP/1.1 a character is one byte. */
const headerText = (max?: number) =>
  text(max).refine((value) => !/[^\0-\xFF]/.test(value), {
    error: 'must not have characters above U+00FF, which a header cannot carry',
  });
/** Makes a check of the whole run beside the checks of its parts, so that a caller sees all problems at once. */
const always = { when: ({ value }: { value: unknown }) => typeof value === 'object' && value !== null };
const headers = z
  .record(
    z
      .string()
      .regex(NAME, { error: 'is no name of a header' })
      .refine((name) => !OWN_HEADERS.test(name), { error: 'is a header that the service sets itself' }),
    headerText(4_000),
  )
  .refine((value) => Object.keys(value).length <= 20, { error: 'must be at most 20', ...always })
  .refine(
    (value) =>
      new Set(Object.keys(value).map((name) => name.toLowerCase())).size === Object.keys(value).length,
    {
      error: 'must not have a name twice, in small and in capital letters',
      ...always,
    },
  )
  .optional();
const PEM = /^-----BEGIN CERTIFICATE-----[\s\S]+-----END CERTIFICATE-----\s*$/;
const ca = z.string().max(100_000).regex(PEM, { error: 'must be certificates in PEM' }).optional();
const pem = z.string().max(100_000).startsWith('-----BEGIN ', { error: 'must be PEM' }).optional();
/** The certificate that the service shows to a receiver that asks for one. */
const clientCertificate = z
  .strictObject({ clientCertificate: pem, clientKey: pem })
  .refine((given) => (given.clientCertificate === undefined) === (given.clientKey === undefined), {
    error: 'a client certificate and its key are given together',
    ...always,
  });

/** Settings of every type: what leaves with an event. */
const SHOWN = {
  /** Fields without a value do not leave, and neither do values of `additional` that are zero. */
  omitEmpty: z.boolean().optional(),
  /** `additional` does not leave. */
  withoutAdditional: z.boolean().optional(),
};

const guid = (whose: string) =>
  z.string().regex(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i, { error: `must be the GUID ${whose}` });

interface TypeSpec {
  /** The permitted protocols of the URL. */
  readonly protocols: readonly string[];
  /** The settings beside the URL. */
  readonly settings: z.ZodObject;
  /** Secrets that an operator gives and that the service never shows again. */
  readonly secrets: z.ZodType;
  /** The most events in one batch. */
  readonly eventsMax: number;
  /** Absent: every format. */
  readonly formats?: readonly DestinationFormat[];
  /** The milliseconds until the next look when nothing is left, so that batches become worth sending. */
  readonly restMs?: number;
  readonly doc: string;
}

const HTTP = ['https:', 'http:'];

/** The types of destinations, with their settings, secrets and bounds. */
const TYPES = {
  webhook: {
    protocols: HTTP,
    settings: z.strictObject({
      ...SHOWN,
      encoding: z.enum(['json', 'ndjson']).default('json'),
      signature: z.enum(SIGNATURES).default('v1'),
      ca,
    }),
    secrets: z.strictObject({ headers }),
    eventsMax: LIMITS.destinationBatchEvents,
    doc: 'Standard Webhooks: a JSON array of events, signed.',
  },
  'splunk-hec': {
    protocols: HTTP,
    settings: z.strictObject({
      ...SHOWN,
      acknowledge: z.boolean().default(false),
      index: text(100).optional(),
      source: text(256).optional(),
      sourcetype: text(256).default('audit_activity'),
      ca,
    }),
    secrets: z.strictObject({ token: headerText() }),
    eventsMax: LIMITS.destinationBatchEvents,
    doc: "Splunk's HTTP Event Collector.",
  },
  elasticsearch: {
    protocols: HTTP,
    settings: z.strictObject({
      ...SHOWN,
      index: text(256).default('audit-activity'),
      pipeline: text(256).optional(),
      ca,
    }),
    secrets: z
      .strictObject({
        apiKey: headerText().optional(),
        username: text()
          .refine((name) => !name.includes(':'), { error: 'must not have a colon, which ends it' })
          .optional(),
        password: text().optional(),
      })
      .refine(({ username, password }) => (username === undefined) === (password === undefined), {
        error: 'username and password are given together',
        ...always,
      })
      .refine(({ apiKey, username }) => apiKey === undefined || username === undefined, {
        error: 'give an API key, or a user name and a password',
        ...always,
      }),
    eventsMax: LIMITS.destinationBatchEvents,
    formats: FEED_FORMAT_NAMES,
    doc: 'The `_bulk` interface of Elasticsearch and OpenSearch.',
  },
  s3: {
    protocols: HTTP,
    settings: z.strictObject({
      ...SHOWN,
      bucket: z
        .string()
        .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, { error: 'must be the name of a bucket' }),
      region: z
        .string()
        .regex(/^[a-z0-9-]{1,50}$/, { error: 'must be a region' })
        .default('us-east-1'),
      prefix: z
        .string()
        .regex(/^[A-Za-z0-9!_.*'()/=-]{0,300}$/, { error: 'must have letters, digits and !_.*()/=- alone' })
        .default(''),
      ca,
    }),
    secrets: z.strictObject({
      accessKeyId: headerText(),
      secretAccessKey: text(),
      sessionToken: headerText(4_000).optional(),
    }),
    eventsMax: 5_000,
    restMs: 10_000,
    doc: 'An object store with the interface of S3: gzipped NDJSON.',
  },
  'azure-monitor': {
    protocols: HTTP,
    settings: z.strictObject({
      ...SHOWN,
      azureTenant: guid('of a directory of Microsoft Entra'),
      clientId: guid('of an application of Microsoft Entra'),
      dcr: z
        .string()
        .regex(/^dcr-[0-9a-f]{32}$/, { error: 'must be the immutable id of a data collection rule' }),
      stream: z
        .string()
        .regex(/^Custom-[A-Za-z0-9_-]{1,100}$/, { error: 'must be the name of a stream: Custom-…' })
        .default('Custom-SqlServerAudit_CL'),
      loginUrl: z
        .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
        .max(512)
        .default('https://login.microsoftonline.com'),
      tokenScope: text().default('https://monitor.azure.com//.default'),
      ca,
    }),
    secrets: z.strictObject({ clientSecret: text() }),
    eventsMax: LIMITS.destinationBatchEvents,
    formats: ['native'],
    doc: 'The Logs Ingestion API of Azure Monitor, for Microsoft Sentinel.',
  },
  syslog: {
    protocols: ['tls:'],
    settings: z.strictObject({
      ...SHOWN,
      appName: z
        .string()
        .regex(/^[!-~]{1,48}$/)
        .default('audit-activity'),
      ca,
    }),
    secrets: clientCertificate,
    eventsMax: LIMITS.destinationBatchEvents,
    doc: 'Syslog (RFC 5424) over TLS (RFC 5425).',
  },
  relp: {
    protocols: ['relp+tls:', 'relp:'],
    settings: z.strictObject({
      ...SHOWN,
      appName: z
        .string()
        .regex(/^[!-~]{1,48}$/)
        .default('audit-activity'),
      ca,
    }),
    secrets: clientCertificate,
    eventsMax: LIMITS.destinationBatchEvents,
    doc: 'Syslog (RFC 5424) by RELP, which acknowledges.',
  },
} as const satisfies Record<string, TypeSpec>;

export type DestinationType = keyof typeof TYPES;
export const TYPE_NAMES = Object.keys(TYPES) as DestinationType[];
export const isType = (name: string): name is DestinationType => Object.hasOwn(TYPES, name);
export const typeSpec = (type: DestinationType): TypeSpec => TYPES[type];

type NamesIn<T> = T extends unknown ? keyof T & string : never;
/** A setting of any type, beside the URL. */
export type SettingName = NamesIn<z.infer<(typeof TYPES)[DestinationType]['settings']>>;
/** A secret of any type that an operator gives. */
export type SecretName = NamesIn<z.infer<(typeof TYPES)[DestinationType]['secrets']>>;

export type SettingsOf<T extends DestinationType> = z.infer<(typeof TYPES)[T]['settings']> & {
  readonly url: string;
};
export type SecretsOf<T extends DestinationType> = z.infer<(typeof TYPES)[T]['secrets']> & StoredSecrets;

/** Secrets of the service's own, beside those that an operator gives. */
export interface StoredSecrets {
  /** The signing secrets of a webhook, newest first. */
  readonly signing?: readonly SigningSecret[];
  /** The URL's part from `?` on, which often holds a token. */
  readonly query?: string;
}
export interface SigningSecret {
  readonly secret: string;
  /** ISO 8601; from then on the secret signs no more. */
  readonly until?: string;
}
