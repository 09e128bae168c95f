import { copyFile, mkdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, resolve } from 'node:path';
import { missingFrom, parseConfigureInput } from '../config/configure-input';
import { mergeConfig, mergeContent } from '../config/merge-config';
import { type AgentConfig, parseConfig } from '../config/parse-config';
import { templateOf } from '../config/template';
import { replaceFile } from '../durable-file';
import { errorCode, errorText } from '../log';
import type { Enroll, Enrolled } from './enroll';

interface ConfigureOptions {
  readonly configPath: string;
  /** Leaves the replaced file beside the new one, for an installer that may have to restore it. */
  readonly keepPrevious: boolean;
  /** Returns the whole standard input. */
  readonly input: string;
  readonly enroll: Enroll;
  print(line: string): void;
  /** Takes one line for each problem. */
  complain(line: string): void;
}

/** What an installer restores on a rollback: the file from before, or a mark that there was none. */
const PREVIOUS = '.prev';
const FRESH = '.fresh';

/** Checks a configuration and writes it, whole or not at all. @returns the exit code: 0 only if it is valid now */
export async function configure(options: ConfigureOptions): Promise<number> {
  const configPath = resolve(options.configPath);
  try {
    // An interrupted installation may have left a file with a key that is no longer used.
    await Promise.all([PREVIOUS, FRESH].map((end) => rm(configPath + end, { force: true })));
    const wanted = await wantedConfig(options.input, configPath, options.enroll);
    for (const warning of wanted.warnings) options.print(`${configPath}: ${warning}`);
    if (wanted.text !== null) {
      if (options.keepPrevious) await keepPrevious(configPath);
      await writeConfig(configPath, wanted.text);
    }
    options.print(`${configPath}: ${wanted.text === null ? 'is kept as it is' : 'is written'}`);
    if (wanted.config.tenantId === null) {
      options.print(`${configPath}: CentralApi.TenantId is not set: nothing is published until it is`);
    }
    return 0;
  } catch (error) {
    const problems = error instanceof Refused ? error.problems : [`${configPath}: ${errorText(error)}`];
    for (const problem of problems) options.complain(problem);
    return 1;
  }
}

class Refused extends Error {
  constructor(readonly problems: readonly string[]) {
    super(problems.join('; '));
  }
}

interface Wanted {
  /** Null: the file stays as it is. */
  readonly text: string | null;
  readonly config: AgentConfig;
  readonly warnings: readonly string[];
}

async function wantedConfig(input: string, configPath: string, enroll: Enroll): Promise<Wanted> {
  const asked = parseConfigureInput(input);
  switch (asked.kind) {
    case 'invalid':
      throw new Refused(asked.problems);
    case 'text':
      return mergedText(asked.text, configPath, enroll);
    case 'file':
      if (!isAbsolute(asked.path)) throw new Refused([`CONFIGFILE ${asked.path}: must be a full path`]);
      return ofThisHost(await readText(asked.path, 'CONFIGFILE '), configPath, {
        label: `CONFIGFILE ${asked.path}`,
        enroll,
      });
    case 'none':
      return keptConfig(configPath);
    case 'properties': {
      const existing = await existingContent(configPath);
      const missing = existing === null ? missingFrom(asked.properties) : [];
      if (missing.length > 0)
        throw new Refused([`${configPath}: is new and needs ${missing.join(', ')} too`]);
      const merged = mergeConfig(existing, asked.properties);
      if (merged.kind === 'unclear') throw new Refused([`${configPath}: ${merged.problem}`]);
      return ofThisHost(toText(merged.content), configPath, { label: configPath, enroll });
    }
  }
}

/** The existing file, merged with the input. */
async function mergedText(input: string, configPath: string, enroll: Enroll): Promise<Wanted> {
  const existing = await existingContent(configPath);
  const part = contentOf(input, configPath, 'the input');
  if (existing === null) return ofThisHost(input, configPath, { label: 'the input', enroll });
  const label = `${configPath} with the input`;
  return ofThisHost(toText(mergeContent(existing, part)), configPath, { label, enroll });
}

/**
 * The configuration of one host, made of a text that may be that of many: names have the host's name in place of
 * `%COMPUTERNAME%`, and a token is exchanged for a key of the host's own. Everything else is checked first, so that a mistake
 * uses up no token.
 */
async function ofThisHost(
  text: string,
  configPath: string,
  { label, enroll }: { readonly label: string; readonly enroll: Enroll },
): Promise<Wanted> {
  const template = templateOf(text);
  if (template === null) return checkedText(text, configPath, label);
  const { content, central, token } = template;
  const withKey = (key: Partial<Enrolled>) => {
    const tenantId = isFilledIn(central.TenantId) ? central.TenantId : (key.tenantId ?? central.TenantId);
    const own = { ApiKey: key.key ?? central.ApiKey, TenantId: tenantId };
    return toText({ ...content, CentralApi: { ...central, ...own } });
  };
  if (token === null) return checkedText(withKey({}), configPath, label);
  const { config } = checkedText(withKey({ key: token, tenantId: '0' }), configPath, label);
  const way = config.way === null ? [] : [config.way];
  const enrolled = await enroll(config.baseUrl, token, ...way).catch((error: unknown) => {
    throw new Refused([`${label}: CentralApi.EnrollToken: ${errorText(error)}`]);
  });
  return checkedText(withKey(enrolled), configPath, label);
}

/** The configuration that a package brings has an empty tenant. */
const isFilledIn = (value: unknown) =>
  typeof value === 'string' ? value.trim() !== '' : (value ?? null) !== null;

const toText = (content: unknown) => `${JSON.stringify(content, null, 2)}\n`;

/** An unknown setting in the input is a mistake, and its author is present to correct it. */
function checkedText(text: string, configPath: string, label: string): Wanted {
  const parsed = parseConfig(text, configPath);
  const problems = [...(parsed.kind === 'invalid' ? parsed.problems : []), ...parsed.warnings];
  if (parsed.kind === 'invalid' || problems.length > 0) {
    throw new Refused(problems.map((problem) => `${label}: ${problem}`));
  }
  return { text, config: parsed.config, warnings: [] };
}

/** A setting of a newer agent must not make a running agent fail. */
async function keptConfig(configPath: string): Promise<Wanted> {
  const parsed = parseConfig(await readText(configPath), configPath);
  if (parsed.kind === 'config') return { text: null, config: parsed.config, warnings: parsed.warnings };
  throw new Refused(parsed.problems.map((problem) => `${configPath}: ${problem}`));
}

async function existingContent(configPath: string): Promise<unknown> {
  if (!(await exists(configPath))) return null;
  return contentOf(await readText(configPath), configPath, configPath);
}

function contentOf(text: string, configPath: string, label: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const parsed = parseConfig(text, configPath);
    throw new Refused(parsed.kind === 'invalid' ? parsed.problems.map((p) => `${label}: ${p}`) : []);
  }
}

/** Text of a file, without its byte order mark. The shell of Windows writes UTF-16. */
async function readText(path: string, label = ''): Promise<string> {
  const bytes = await readFile(path).catch((error: unknown) => {
    throw new Refused([`${label}${path}: cannot be read: ${errorText(error)}`]);
  });
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : 'utf-8';
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw new Refused([`${label}${path}: is not UTF-8 text`]);
  }
}

async function keepPrevious(configPath: string): Promise<void> {
  await mkdir(dirname(configPath), { recursive: true });
  if (await exists(configPath)) await copyFile(configPath, configPath + PREVIOUS);
  else await writeFile(configPath + FRESH, '');
}

/**
 * An existing file keeps its owner, since the service may run as a user of its own. A symbolic link stays, and its target
 * is written.
 */
async function writeConfig(configPath: string, text: string): Promise<void> {
  if (process.platform === 'win32' || !(await exists(configPath))) return replaceFile(configPath, text);
  await replaceFile(await realpath(configPath), text, await stat(configPath));
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
}
