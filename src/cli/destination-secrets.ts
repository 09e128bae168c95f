import type { Command } from 'commander';
import { addOptions, type GivenOptions, SECRETS, secretOfType, valuesOf } from './destination-options';
import { CommandError } from './service-client';
import type { Operator } from './service-command';

/** The options by which a command takes the secrets of a destination. */
export const withSecrets = (command: Command): Command =>
  addOptions(
    command.option(
      '--secret-file <file>',
      'holds the secret, as it is or as JSON; - is the standard input. The options below show theirs in the list of processes',
    ),
    SECRETS,
  );

/** @param type of the destination, which says what a secret is that a file holds as it is */
export async function destinationSecrets(
  options: GivenOptions,
  type: () => Promise<string>,
  { readSecret }: Operator,
): Promise<GivenOptions> {
  const { headers: lines, ...others } = await valuesOf(options, SECRETS);
  const headers = headersOf(lines as readonly string[]);
  const byOption = { ...others, ...(headers && { headers }) };
  if (typeof options.secretFile !== 'string') return byOption;
  const text = await readSecret(options.secretFile);
  const inFile = text.trimStart().startsWith('{') ? parsed(text) : named(text, await type(), options);
  const twice = Object.keys(inFile).filter((name) => name in byOption);
  if (twice.length > 0)
    throw new CommandError(`${twice.join(', ')}: given by an option and by --secret-file.`, 'usage');
  return { ...inFile, ...byOption };
}

function parsed(text: string): GivenOptions {
  try {
    return JSON.parse(text) as GivenOptions;
  } catch {
    // The parser's message would quote the secret.
    throw new CommandError('--secret-file begins as JSON and is none.', 'usage');
  }
}

/** The secret of a type that has one. */
function named(text: string, type: string, options: GivenOptions): GivenOptions {
  const name = secretOfType(type);
  if (name === null)
    throw new CommandError(
      `--secret-file must be JSON for a destination of type ${type}, for example {"clientKey":"…"}.`,
      'usage',
    );
  if (name === 'headers') {
    const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
    return { headers: headersOf(lines, '--secret-file') };
  }
  return { [name === 'apiKey' && options.username !== undefined ? 'password' : name]: text };
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
