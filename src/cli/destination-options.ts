import { readFile } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import type { DestinationType, SecretName, SettingName } from '../modules/destinations/types';
import { gather } from './service-command';

/** Options as commander parses them. */
export type GivenOptions = Readonly<Record<string, unknown>>;
/** By name: flags, and what the value is. The value of `--NAME-file <file>` is the content of the file. */
type OptionTable = Readonly<Record<string, readonly [flags: string, doc: string]>>;

/** The option of each setting. The compiler names the settings of a type that have none. */
export const SETTINGS = {
  encoding: ['--encoding <encoding>', 'of a webhook: json (default) or ndjson'],
  signature: ['--signature <version>', 'of a webhook: v1 (default) or v1a'],
  acknowledge: ['--acknowledge', 'of splunk-hec: wait for indexer acknowledgement'],
  index: ['--index <name>', 'of splunk-hec and elasticsearch'],
  source: ['--source <text>', 'of splunk-hec'],
  sourcetype: ['--sourcetype <text>', 'of splunk-hec'],
  pipeline: ['--pipeline <name>', 'of elasticsearch'],
  bucket: ['--bucket <name>', 'of s3'],
  region: ['--region <name>', 'of s3'],
  prefix: ['--prefix <text>', 'of s3: how the names of objects begin'],
  appName: ['--app-name <name>', 'of syslog and relp'],
  azureTenant: ['--azure-tenant <id>', 'of azure-monitor: the directory of Microsoft Entra'],
  clientId: ['--client-id <id>', 'of azure-monitor: the application that may send'],
  dcr: ['--dcr <id>', 'of azure-monitor: immutable id of the data collection rule'],
  stream: ['--stream <name>', 'of azure-monitor (default: Custom-SqlServerAudit_CL)'],
  loginUrl: ['--login-url <url>', 'of azure-monitor, in clouds with another one'],
  tokenScope: ['--token-scope <scope>', 'of azure-monitor, in clouds with another one'],
  omitEmpty: ['--omit-empty', 'sends no fields without a value, and no zeros of `additional`'],
  withoutAdditional: ['--without-additional', 'does not send `additional`'],
  ca: ['--ca-file <file>', 'CA certificates (PEM) that verify the receiver'],
} as const satisfies OptionTable & Readonly<Record<SettingName, unknown>>;

/** The option of each secret, as `SETTINGS`. */
export const SECRETS = {
  headers: ['--header <name: value>', 'of a webhook: sent with each message (repeatable)'],
  token: ['--token <token>', 'of splunk-hec'],
  apiKey: ['--api-key <key>', 'of elasticsearch'],
  username: ['--username <name>', 'of elasticsearch, with its password'],
  password: ['--password <password>', 'of elasticsearch'],
  accessKeyId: ['--access-key-id <id>', 'of s3'],
  secretAccessKey: ['--secret-access-key <key>', 'of s3'],
  sessionToken: ['--session-token <token>', 'of s3'],
  clientSecret: ['--client-secret <secret>', 'of azure-monitor'],
  clientCertificate: ['--client-certificate-file <file>', 'of syslog and relp: PEM, with --client-key-file'],
  clientKey: ['--client-key-file <file>', 'its key, PEM'],
} as const satisfies OptionTable & Readonly<Record<SecretName, unknown>>;

/** The secret of each type that a file may hold as it is. Null: the type has several. */
const SECRET_OF_TYPE: Readonly<Record<DestinationType, SecretName | null>> = {
  webhook: 'headers',
  'splunk-hec': 'token',
  elasticsearch: 'apiKey',
  s3: 'secretAccessKey',
  'azure-monitor': 'clientSecret',
  syslog: null,
  relp: null,
};
export const TYPE_NAMES = Object.keys(SECRET_OF_TYPE);
export const secretOfType = (type: string): SecretName | null =>
  Object.hasOwn(SECRET_OF_TYPE, type) ? SECRET_OF_TYPE[type as DestinationType] : null;

export function addOptions(command: Command, table: OptionTable): Command {
  for (const [flags, doc] of Object.values(table)) {
    const option = new Option(flags, doc);
    command.addOption(flags === SECRETS.headers[0] ? option.argParser(gather).default([]) : option);
  }
  return command;
}

/** The values of a table's options that were given, by name. */
export async function valuesOf(options: GivenOptions, table: OptionTable): Promise<GivenOptions> {
  const values: Record<string, unknown> = {};
  for (const [name, [flags]] of Object.entries(table)) {
    const value = options[new Option(flags).attributeName()];
    if (value === undefined) continue;
    values[name] = flags.endsWith('-file <file>') ? await readFile(String(value), 'utf8') : value;
  }
  return values;
}
