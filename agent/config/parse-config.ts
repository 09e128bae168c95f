import { dirname } from 'node:path';
import type { z } from 'zod';
import { errorText } from '../log';
import { type AuditGlob, parseAuditGlob } from '../tail/audit-glob';
import { type ConfigFileContent, configFile } from './config-schema';
import { Secret } from './secret';

export interface DatabaseConfig {
  readonly name: string;
  readonly sourceType: string;
  readonly glob: AuditGlob;
}

export interface AgentConfig {
  readonly baseUrl: string;
  readonly apiKey: Secret;
  /** Null: nothing can be published yet. */
  readonly tenantId: string | null;
  readonly enabled: boolean;
  readonly pollIntervalMs: number;
  readonly batchEventsMax: number;
  readonly batchAgeMaxMs: number;
  /** Of each database's spool; 0: there is none. */
  readonly spoolBytesMax: number;
  /** The enabled ones. */
  readonly databases: readonly DatabaseConfig[];
}

export type ParsedConfig =
  | { readonly kind: 'config'; readonly config: AgentConfig; readonly warnings: readonly string[] }
  | { readonly kind: 'invalid'; readonly problems: readonly string[]; readonly warnings: readonly string[] };

/**
 * The configuration in a file's text, or everything that is wrong with it. No message repeats a value, since one
 * of them is the key.
 * @param path of the file: relative audit paths start from its folder
 */
export function parseConfig(text: string, path: string): ParsedConfig {
  const json = parseJson(text);
  if ('problem' in json) return { kind: 'invalid', problems: [json.problem], warnings: [] };
  const { known, warnings } = withoutUnknownKeys(json.value);
  const parsed = configFile.safeParse(known);
  if (parsed.success) return { kind: 'config', config: toConfig(parsed.data, path), warnings };
  return { kind: 'invalid', problems: parsed.error.issues.map(toProblem), warnings };
}

function toConfig({ CentralApi, EventHubPublisher }: ConfigFileContent, path: string): AgentConfig {
  return {
    baseUrl: CentralApi.BaseUrl.replace(/\/+$/, ''),
    apiKey: new Secret(CentralApi.ApiKey),
    tenantId: CentralApi.TenantId,
    enabled: EventHubPublisher.Enabled,
    pollIntervalMs: EventHubPublisher.PollIntervalMs,
    batchEventsMax: EventHubPublisher.BatchMaxEvents,
    batchAgeMaxMs: EventHubPublisher.BatchMaxAgeMs,
    spoolBytesMax: EventHubPublisher.SpoolMaxBytes,
    databases: EventHubPublisher.Databases.filter(({ Enabled }) => Enabled).map(({ Name, AuditSource }) => ({
      name: Name,
      sourceType: AuditSource.Type,
      glob: parseAuditGlob(AuditSource.DirectFile.AuditFilePath, dirname(path)),
    })),
  };
}

function parseJson(text: string): { readonly value: unknown } | { readonly problem: string } {
  // Windows editors like to begin a file with a byte order mark.
  const json = text.replace(/^\uFEFF/, '');
  try {
    return { value: JSON.parse(json) };
  } catch (error) {
    // The rest of the message may quote the file, and with it the key.
    const [, position] = /at position (\d+)/.exec(errorText(error)) ?? [];
    if (position === undefined) return { problem: 'is not valid JSON' };
    const before = json.slice(0, Number(position)).split('\n');
    return {
      problem: `is not valid JSON: see line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`,
    };
  }
}

/** A mistyped key is worth a word, but an unknown one must not stop an agent that is older than its configuration. */
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
