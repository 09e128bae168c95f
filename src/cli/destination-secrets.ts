import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { CommandError } from './service-client';
import { gather, type Operator, type Options } from './service-command';

/** The options by which a command takes the secrets of a destination. */
export const withSecrets = (command: Command): Command =>
  command
    .option(
      '--secret-file <file>',
      'holds the secret, as it is or as JSON; - is the standard input. The options below show theirs in the list of processes',
    )
    .option('--header <name: value>', 'of a webhook: sent with each message (repeatable)', gather, [])
    .option('--token <token>', 'of splunk-hec')
    .option('--api-key <key>', 'of elasticsearch')
    .option('--username <name>', 'of elasticsearch, with its password')
    .option('--password <password>', 'of elasticsearch')
    .option('--access-key-id <id>', 'of s3')
    .option('--secret-access-key <key>', 'of s3')
    .option('--session-token <token>', 'of s3')
    .option('--client-certificate-file <file>', 'of syslog and relp: PEM, with --client-key-file')
    .option('--client-key-file <file>', 'its key, PEM');

const SECRETS = [
  ...['token', 'apiKey', 'username', 'password', 'accessKeyId', 'secretAccessKey', 'sessionToken'],
];

/** @param type of the destination, which says what a secret is that a file holds as it is */
export async function destinationSecrets(
  options: Options,
  type: () => Promise<string>,
  { readSecret }: Operator,
): Promise<Readonly<Record<string, unknown>>> {
  const headers = headersOf(options.header as readonly string[]);
  const byOption = {
    ...given(options, SECRETS),
    ...(await fileOf('clientCertificate', options.clientCertificateFile)),
    ...(await fileOf('clientKey', options.clientKeyFile)),
    ...(headers && { headers }),
  };
  if (typeof options.secretFile !== 'string') return byOption;
  const text = await readSecret(options.secretFile);
  const inFile = text.trimStart().startsWith('{') ? parsed(text) : named(text, await type(), options);
  const twice = Object.keys(inFile).filter((name) => name in byOption);
  if (twice.length > 0)
    throw new CommandError(`${twice.join(', ')}: given by an option and by --secret-file.`, 'usage');
  return { ...inFile, ...byOption };
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(text) as Readonly<Record<string, unknown>>;
  } catch {
    // The parser's message would quote the secret.
    throw new CommandError('--secret-file begins as JSON and is none.', 'usage');
  }
}

/** The secret of a type that has one. */
function named(text: string, type: string, options: Options): Readonly<Record<string, unknown>> {
  if (type === 'webhook') {
    const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
    return { headers: headersOf(lines, '--secret-file') };
  }
  if (type === 'splunk-hec') return { token: text };
  if (type === 'elasticsearch') return options.username === undefined ? { apiKey: text } : { password: text };
  if (type === 's3') return { secretAccessKey: text };
  throw new CommandError(
    `--secret-file must be JSON for a destination of type ${type}, for example {"clientKey":"…"}.`,
    'usage',
  );
}

function headersOf(texts: readonly string[], from = '--header'): Record<string, string> | null {
  if (texts.length === 0) return null;
  const headers = texts.map((text) => {
    const at = text.indexOf(':');
    if (at < 1) throw new CommandError(`${from} must be \`Name: value\`.`, 'usage');
    return [text.slice(0, at).trim(), text.slice(at + 1).trim()] as const;
  });
  const names = headers.map(([name]) => name.toLowerCase());
  const twice = headers.find(([name], i) => names.indexOf(name.toLowerCase()) < i);
  if (twice) throw new CommandError(`${from} gives ${twice[0]} twice.`, 'usage');
  return Object.fromEntries(headers);
}

/** The options among the named ones that were given. */
export const given = (options: Options, names: readonly string[]): Readonly<Record<string, unknown>> =>
  Object.fromEntries(names.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]])));

export const fileOf = async (name: string, file: unknown): Promise<Readonly<Record<string, string>>> =>
  typeof file === 'string' ? { [name]: await readFile(file, 'utf8') } : {};
