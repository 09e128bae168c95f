import { z } from 'zod';
import { SIGNATURES } from '../../delivery/standard-webhooks';
import { type DestinationFormat, FEED_FORMAT_NAMES } from '../../event/formats/formats';
import { LIMITS } from '../../limits';
import {
  always,
  appName,
  ca,
  clientCertificate,
  guid,
  headers,
  headerText,
  named,
  SHOWN,
  text,
} from './setting-fields';

interface TypeSpec {
  /** The permitted protocols of the URL. */
  readonly protocols: readonly string[];
  /** The settings beside the URL. */
  readonly settings: z.ZodObject;
  /** Secrets that an operator gives and that the service never shows again. */
  readonly secrets: z.ZodObject;
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
      encoding: named(
        'Encoding',
        'A JSON array of events, or one event per line.',
        z.enum(['json', 'ndjson']).default('json'),
      ),
      signature: named(
        'Signature',
        'v1 is a shared secret (HMAC-SHA256), v1a a key pair (Ed25519).',
        z.enum(SIGNATURES).default('v1'),
      ),
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
      acknowledge: named(
        'Wait until Splunk has indexed',
        'The token needs indexer acknowledgement.',
        z.boolean().default(false),
      ),
      index: named('Index', 'Empty: that of the token.', text(100).optional()),
      source: named('Source', 'Empty: that of the token.', text(256).optional()),
      sourcetype: named(
        'Source type',
        'The app of deploy/splunk knows audit_activity.',
        text(256).default('audit_activity'),
      ),
      ca,
    }),
    secrets: z.strictObject({ token: named('Token', 'Of the HTTP Event Collector.', headerText()) }),
    eventsMax: LIMITS.destinationBatchEvents,
    doc: "Splunk's HTTP Event Collector.",
  },
  elasticsearch: {
    protocols: HTTP,
    settings: z.strictObject({
      ...SHOWN,
      index: named('Index', 'Index or data stream.', text(256).default('audit-activity')),
      pipeline: named('Pipeline', 'An ingest pipeline, or empty.', text(256).optional()),
      ca,
    }),
    secrets: z
      .strictObject({
        apiKey: named('API key', 'Or a user name and a password.', headerText().optional()),
        username: named(
          'User name',
          'With its password.',
          text()
            .refine((name) => !name.includes(':'), { error: 'must not have a colon, which ends it' })
            .optional(),
        ),
        password: named('Password', 'Of the user name.', text().optional()),
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
      bucket: named(
        'Bucket',
        'It must exist.',
        z.string().regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, { error: 'must be the name of a bucket' }),
      ),
      region: named(
        'Region',
        'Of the bucket.',
        z
          .string()
          .regex(/^[a-z0-9-]{1,50}$/, { error: 'must be a region' })
          .default('us-east-1'),
      ),
      prefix: named(
        'Prefix',
        'How the names of objects begin.',
        z
          .string()
          .regex(/^[A-Za-z0-9!_.*'()/=-]{0,300}$/, { error: 'must have letters, digits and !_.*()/=- alone' })
          .default(''),
      ),
      ca,
    }),
    secrets: z.strictObject({
      accessKeyId: named('Access key id', 'It may write objects of the bucket.', headerText()),
      secretAccessKey: named('Secret access key', 'Of the access key id.', text()),
      sessionToken: named('Session token', 'Of a temporary access key.', headerText(4_000).optional()),
    }),
    eventsMax: 5_000,
    restMs: 10_000,
    doc: 'An object store with the interface of S3: gzipped NDJSON.',
  },
  'azure-monitor': {
    protocols: HTTP,
    settings: z.strictObject({
      ...SHOWN,
      azureTenant: named(
        'Directory',
        'Tenant id of Microsoft Entra.',
        guid('of a directory of Microsoft Entra'),
      ),
      clientId: named(
        'Application',
        'Client id of the application that may send.',
        guid('of an application of Microsoft Entra'),
      ),
      dcr: named(
        'Data collection rule',
        'Its immutable id, dcr-….',
        z
          .string()
          .regex(/^dcr-[0-9a-f]{32}$/, { error: 'must be the immutable id of a data collection rule' }),
      ),
      stream: named(
        'Stream',
        'Of the data collection rule.',
        z
          .string()
          .regex(/^Custom-[A-Za-z0-9_-]{1,100}$/, { error: 'must be the name of a stream: Custom-…' })
          .default('Custom-SqlServerAudit_CL'),
      ),
      loginUrl: named(
        'Login URL',
        'Another one in clouds of their own.',
        z
          .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
          .max(512)
          .default('https://login.microsoftonline.com'),
      ),
      tokenScope: named(
        'Scope of the token',
        'Another one in clouds of their own.',
        text().default('https://monitor.azure.com//.default'),
      ),
      ca,
    }),
    secrets: z.strictObject({ clientSecret: named('Client secret', 'Of the application.', text()) }),
    eventsMax: LIMITS.destinationBatchEvents,
    formats: ['native'],
    doc: 'The Logs Ingestion API of Azure Monitor, for Microsoft Sentinel.',
  },
  syslog: {
    protocols: ['tls:'],
    settings: z.strictObject({
      ...SHOWN,
      appName,
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
      appName,
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
