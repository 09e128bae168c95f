import { dirname, resolve } from 'node:path';
import type { z } from 'zod';
import type { AgentLogLevel, AgentSetting, RefusedSetting } from '../../src/event/agent-settings';
import { errorText } from '../log';
import type { PaceBounds } from '../pace';
import { toAzure } from '../source/azure/azure-config';
import { parseAuditGlob } from '../source/local-folder';
import type { SourceConfig } from '../source/open-source';
import { toS3 } from '../source/s3/s3-config';
import type { Way } from '../uplink/way';
import { BACKSLASH_HINT, type ConfigFileContent, configFile, database } from './config-schema';
import { OwnKey } from './own-key';
import { Secret } from './secret';

export interface DatabaseConfig {
  readonly name: string;
  readonly source: SourceConfig;
}

export interface AgentConfig {
  readonly baseUrl: string;
  /** Null: directly, and by the certificates of the system. */
  readonly way: Way | null;
  /** The key in use: that of the file, or the one that the agent renewed. */
  readonly apiKey: Secret;
  /** The key of the file. */
  readonly configuredKey: Secret;
  readonly isKeyRenewed: boolean;
  /** Null: nothing can be published yet. */
  readonly tenantId: string | null;
  readonly enabled: boolean;
  readonly pollIntervalMs: number;
  readonly batchEventsMax: number;
  readonly batchAgeMaxMs: number;
  /** The most bytes of each database's spool; 0: no spool. */
  readonly spoolBytesMax: number;
  readonly pace: PaceBounds;
  readonly logLevel: AgentLogLevel;
  /** How packages of the agent are taken that the service offers. */
  readonly updates: {
    /** In Base64. Null: none is taken. */
    readonly publicKey: string | null;
    /** Null: that of the offer counts. */
    readonly window: string | null;
    readonly trialMs: number;
  };
  /** Which settings the service may change. */
  readonly allowedSettings: readonly AgentSetting[];
  /** What the service wants: see `withSettings`. Its settings are in the fields above and below already. */
  readonly wanted: {
    /** Null: nothing. */
    readonly version: number | null;
    readonly refused: readonly RefusedSetting[];
  };
  /** Those that are published. */
  readonly databases: readonly DatabaseConfig[];
  /** Those that the service has switched off. */
  readonly switchedOff: readonly DatabaseConfig[];
  /** Those that are off in the file. */
  readonly disabled: readonly DatabaseConfig[];
}

type ParsedConfig =
  | { readonly kind: 'config'; readonly config: AgentConfig; readonly warnings: readonly string[] }
  | {
      readonly kind: 'invalid';
      readonly problems: readonly string[];
      readonly warnings: readonly string[];
      readonly sound: SoundParts;
    };

/** The valid parts of a configuration that may be invalid as a whole. */
export interface SoundParts {
  readonly baseUrl: string | null;
  readonly way: Way | null;
  readonly apiKey: Secret | null;
  /** Null: absent or invalid. */
  readonly tenantId: string | null;
  /** The enabled ones. */
  readonly databases: readonly DatabaseConfig[];
}
export const NOTHING_SOUND: SoundParts = {
  baseUrl: null,
  way: null,
  apiKey: null,
  tenantId: null,
  databases: [],
};

/**
 * The configuration in a file's text, or everything that is wrong with it. No message repeats a value, since one of the
 * values is the key.
 * @param path of the file: relative audit paths start from its folder
 */
export function parseConfig(text: string, path: string): ParsedConfig {
  const json = parseJson(text);
  if ('problem' in json) {
    return { kind: 'invalid', problems: [json.problem], warnings: [], sound: NOTHING_SOUND };
  }
  const { known, warnings } = withoutUnknownKeys(json.value);
  const parsed = configFile.safeParse(known);
  if (parsed.success) return { kind: 'config', config: toConfig(parsed.data, path), warnings };
  const problems = parsed.error.issues.map(toProblem);
  return { kind: 'invalid', problems, warnings, sound: soundParts(known, path) };
}

function toConfig({ CentralApi, EventHubPublisher, Updates }: ConfigFileContent, path: string): AgentConfig {
  return {
    baseUrl: toBaseUrl(CentralApi.BaseUrl),
    way: toWay(CentralApi.ProxyUrl, CentralApi.CaFile, path),
    apiKey: new Secret(CentralApi.ApiKey),
    configuredKey: new Secret(CentralApi.ApiKey),
    isKeyRenewed: false,
    tenantId: CentralApi.TenantId,
    enabled: EventHubPublisher.Enabled,
    pollIntervalMs: EventHubPublisher.PollIntervalMs,
    batchEventsMax: EventHubPublisher.BatchMaxEvents,
    batchAgeMaxMs: EventHubPublisher.BatchMaxAgeMs,
    spoolBytesMax: EventHubPublisher.SpoolMaxBytes,
    pace: {
      bytesPerSecond: EventHubPublisher.MaxBytesPerSecond,
      processorPercent: EventHubPublisher.MaxProcessorPercent,
    },
    logLevel: EventHubPublisher.LogLevel,
    updates: {
      publicKey: Updates?.PublicKey ?? null,
      window: Updates?.Window ?? null,
      trialMs: (Updates?.TrialSeconds ?? 600) * 1000,
    },
    allowedSettings: CentralApi.AllowedSettings,
    wanted: { version: null, refused: [] },
    databases: toDatabases(EventHubPublisher.Databases, path),
    switchedOff: [],
    disabled: toDatabases(EventHubPublisher.Databases, path, false),
  };
}

/** The configuration with the key that the agent renewed, if there is one. */
export function withOwnKey(config: AgentConfig, ownKeyText: string | null): AgentConfig {
  const renewed = OwnKey.renewed(ownKeyText, config.configuredKey);
  return renewed === null ? config : { ...config, apiKey: new Secret(renewed), isKeyRenewed: true };
}

function toWay(proxyUrl: Secret | null, caFile: string | null, path: string): Way | null {
  if (proxyUrl === null && caFile === null) return null;
  return { proxyUrl, caFile: caFile === null ? null : resolve(dirname(path), caFile) };
}

const toBaseUrl = (text: string) => text.replace(/\/+$/, '');

const toDatabases = (
  databases: ConfigFileContent['EventHubPublisher']['Databases'],
  path: string,
  isEnabled = true,
) =>
  databases
    .filter(({ Enabled }) => Enabled === isEnabled)
    .map(({ Name, AuditSource }) => ({ name: Name, source: toSource(AuditSource, path) }));

function toSource(source: z.infer<typeof database>['AuditSource'], path: string): SourceConfig {
  switch (source.Type) {
    case 'DirectFile': {
      const glob = parseAuditGlob(source.DirectFile.AuditFilePath, dirname(path));
      return { type: 'DirectFile', glob, isShared: source.DirectFile.Shared };
    }
    case 'S3':
      return toS3(source.S3);
    case 'AzureBlob':
      return toAzure(source.AzureBlob);
  }
}

/** Every secret of a configuration. */
export const secretsOf = (config: AgentConfig): readonly Secret[] => [
  config.apiKey,
  config.configuredKey,
  ...(config.way?.proxyUrl ? [config.way.proxyUrl] : []),
  ...[...config.databases, ...config.switchedOff, ...config.disabled].flatMap(({ source }) =>
    Object.values(source).filter((value): value is Secret => value instanceof Secret),
  ),
];

function soundParts(content: unknown, path: string): SoundParts {
  const { BaseUrl, ApiKey, TenantId, ProxyUrl, CaFile } = configFile.shape.CentralApi.shape;
  const central = isObject(content) && isObject(content.CentralApi) ? content.CentralApi : {};
  const publisher = isObject(content) && isObject(content.EventHubPublisher) ? content.EventHubPublisher : {};
  const databases: unknown[] = Array.isArray(publisher.Databases) ? publisher.Databases : [];
  const baseUrl = BaseUrl.safeParse(central.BaseUrl).data;
  const apiKey = ApiKey.safeParse(central.ApiKey).data;
  return {
    baseUrl: baseUrl === undefined ? null : toBaseUrl(baseUrl),
    way: toWay(
      ProxyUrl.safeParse(central.ProxyUrl).data ?? null,
      CaFile.safeParse(central.CaFile).data ?? null,
      path,
    ),
    apiKey: apiKey === undefined ? null : new Secret(apiKey),
    tenantId: TenantId.safeParse(central.TenantId).data ?? null,
    databases: toDatabases(
      databases.flatMap((each) => database.safeParse(each).data ?? []),
      path,
    ),
  };
}

function parseJson(text: string): { readonly value: unknown } | { readonly problem: string } {
  // Editors on Windows may begin a file with a byte order mark.
  const json = text.replace(/^\uFEFF/, '');
  try {
    return { value: JSON.parse(json) };
  } catch (error) {
    // The rest of the message may quote the file, and so the key.
    const message = errorText(error);
    const [, position] = /at position (\d+)/.exec(message) ?? [];
    const hint = /^Bad (escaped character|Unicode escape)/.test(message) ? `; ${BACKSLASH_HINT}` : '';
    if (position === undefined) return { problem: `is not valid JSON${hint}` };
    const before = json.slice(0, Number(position)).split('\n');
    const column = (before.at(-1)?.length ?? 0) + 1;
    return { problem: `is not valid JSON: see line ${before.length}, column ${column}${hint}` };
  }
}

/** An unknown setting may be a typing error, so it is warned of. It must not stop an agent that is older than its file. */
function withoutUnknownKeys(value: unknown): {
  readonly known: unknown;
  readonly warnings: readonly string[];
} {
  const known: unknown = structuredClone(value);
  const warnings: string[] = [];
  for (const issue of configFile.safeParse(value).error?.issues ?? []) {
    if (issue.code !== 'unrecognized_keys') continue;
    const parent = issue.path.reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), known);
    for (const key of issue.keys) {
      if (isObject(parent)) delete parent[key];
      warnings.push(`${pathText([...issue.path, key])} is no setting of the agent and has no effect`);
    }
  }
  return { known, warnings };
}

function toProblem(issue: z.core.$ZodIssue): string {
  const isMissing = issue.code === 'invalid_type' && issue.message.endsWith('received undefined');
  return `${pathText(issue.path)} ${isMissing ? 'is missing' : issue.message.replace(/^Invalid input: /, '')}`;
}

const pathText = (path: readonly PropertyKey[]): string =>
  path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
    .join('')
    .replace(/^\./, '') || 'the file';
const isObject = (value: unknown): value is Record<PropertyKey, unknown> =>
  typeof value === 'object' && value !== null;
