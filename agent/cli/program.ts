import { text } from 'node:stream/consumers';
import { Command } from 'commander';
import type { Environment } from '../source/environment';
import { AGENT_TIMES } from '../times';
import { AGENT_VERSION } from '../version';
import { check } from './check';
import { configure } from './configure';
import { decode } from './decode';
import { enrollAt } from './enroll';
import { LineOutput } from './line-output';
import { type RunFlags, run } from './run';
import { becomeServiceUser } from './service-user';
import { status } from './status';

/**
 * The agent's command line. `exitCode` is called once a command has ended.
 * @param asJson prints usage errors as JSON
 */
export function agentProgram(
  exitCode: (code: number) => void,
  asJson = false,
  env: Environment = {},
): Command {
  const program = new Command('audit-agent')
    .description('Reads SQL Server audit files and publishes their records to the Audit Activity service.')
    .version(AGENT_VERSION)
    .configureOutput({
      outputError: (text, write) =>
        asJson ? asJsonError('usage', text.replace(/^error: /, '').trim()) : write(text),
    })
    .exitOverride();
  program
    .command('decode')
    .description('prints the audit records of files, one JSON object per line')
    .argument('<file...>', 'audit files (.sqlaudit, .xel)')
    .option('--raw', 'prints every event of any kind as it is', false)
    .action(async (files: string[], { raw }: { raw: boolean }) => {
      const out = new LineOutput(process.stdout);
      exitCode(await decode(files, { raw, out, complain }));
    });
  program
    .command('run')
    .description('publishes the records of the configured audit files, and follows the files')
    .requiredOption('--config <file>', 'the configuration, JSON')
    .option(
      '--once',
      'publish the present records, then end; the exit code is not 0 if anything could not be published',
      false,
    )
    .option('--data-dir <dir>', DATA_DIR)
    .option('--log-file <file>', 'write the log to this file; stderr then gets warnings and errors only')
    .option(
      '--service',
      'run under a service host: READY on stdout, end with the end of stdin, log to logs/agent.log in the data folder',
      false,
    )
    .action(async (flags: RunFlags) => exitCode(await run(flags, env)));
  program
    .command('status')
    .description(
      'prints what the agent does, or last did; 0: it runs and publishes, 1: it does not, 2: bad configuration',
    )
    .requiredOption('--config <file>', 'the configuration, JSON')
    .option('--data-dir <dir>', DATA_DIR)
    .option('--json', 'print JSON', false)
    .action(async ({ config, dataDir, json }: { config: string; dataDir?: string; json: boolean }) => {
      const out = new LineOutput(process.stdout);
      const given = { configPath: config, dataDir: dataDir ?? null, json, out, now: Date.now };
      exitCode(await status({ ...given, complain: json ? complainAsJson : complain }));
    });
  program
    .command('check')
    .description('checks the configuration, the audit files, the service and the key, and changes nothing')
    .requiredOption('--config <file>', 'the configuration, JSON')
    .option('--data-dir <dir>', DATA_DIR)
    .option('--user <name>', 'as root: run the checks as this user, the one that the service runs as')
    .action(async ({ config, dataDir, user = null }: CheckFlags) => {
      const given = {
        configPath: config,
        dataDir: dataDir ?? null,
        timeoutMs: AGENT_TIMES.requestTimeoutMs,
        env,
      };
      const out = new LineOutput(process.stdout);
      exitCode(await check({ ...given, out, becomeServiceUser: (path) => becomeServiceUser(user, path) }));
    });
  program
    .command('configure')
    .description('checks a configuration and writes it, whole or not at all')
    .requiredOption('--config <file>', 'the configuration, JSON')
    .requiredOption('--stdin', 'read the settings from standard input: JSON, or lines NAME=value')
    .option('--keep-previous', 'leave the replaced file beside the new one, for an installer', false)
    .action(async ({ config, keepPrevious }: { config: string; keepPrevious: boolean }) => {
      const print = (line: string) => void process.stdout.write(`${line}\n`);
      const input = await text(process.stdin);
      const enroll = enrollAt(AGENT_TIMES.requestTimeoutMs);
      exitCode(await configure({ configPath: config, keepPrevious, input, enroll, print, complain }));
    });
  return program;
}

interface CheckFlags {
  readonly config: string;
  readonly dataDir?: string;
  readonly user?: string | null;
}

const DATA_DIR = 'where the agent keeps its state (default: agent-data beside the configuration)';
const asJsonError = (code: string, message: string): void =>
  void process.stderr.write(`${JSON.stringify({ error: { code, message } })}\n`);
const complainAsJson = (message: string): void => asJsonError('failed', message);
const complain = (line: string): void => void process.stderr.write(`audit-agent: ${line}\n`);
