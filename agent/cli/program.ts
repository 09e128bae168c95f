import { Command } from 'commander';
import { systemClock } from '../clock';
import { LineLog } from '../log';
import { type RunOptions, runAgent } from '../run-agent';
import { AGENT_TIMES } from '../times';
import { decode } from './decode';
import { LineOutput } from './line-output';

/** The agent's command line. `exitCode` is called once a command has ended. */
export function agentProgram(exitCode: (code: number) => void): Command {
  const program = new Command('audit-agent')
    .description('Reads SQL Server audit files and publishes their records to the Audit Activity service.')
    .exitOverride();
  program
    .command('decode')
    .description('prints the audit records of files, one JSON object per line')
    .argument('<file...>', 'audit files (.sqlaudit, .xel)')
    .option('--raw', 'prints every event of any kind as it is', false)
    .action(async (files: string[], { raw }: { raw: boolean }) => {
      const out = new LineOutput(process.stdout);
      exitCode(await decode(files, { raw, out, complain: (line) => writeError(`audit-agent: ${line}\n`) }));
    });
  program
    .command('run')
    .description('publishes the records of the configured audit files, and follows the files')
    .requiredOption('--config <file>', 'the configuration, JSON')
    .option('--once', 'publish what is there, then end; not 0 when anything could not be published', false)
    .option(
      '--data-dir <dir>',
      'checkpoints and rejected events (default: agent-data beside the configuration)',
    )
    .action(async ({ config, once, dataDir }: { config: string; once: boolean; dataDir?: string }) => {
      exitCode(await run({ configPath: config, once, dataDir: dataDir ?? null }));
    });
  return program;
}

async function run(given: Pick<RunOptions, 'configPath' | 'once' | 'dataDir'>): Promise<number> {
  const stop = new AbortController();
  const log = new LineLog(writeError);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      log.info(`${signal}: stopping`);
      stop.abort();
    });
  }
  const out = new LineOutput(process.stdout);
  const print = (line: string) => void out.write(line);
  return runAgent({ ...given, times: AGENT_TIMES, clock: systemClock, log, print }, stop.signal);
}

const writeError = (text: string): void => void process.stderr.write(text);
