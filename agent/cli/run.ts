import { constants, getPriority, setPriority } from 'node:os';
import { join } from 'node:path';
import { dataDirOf } from '../agent-context';
import { systemClock } from '../clock';
import { LineLog, type LogLevel } from '../log';
import { LogFile } from '../log-file';
import { runAgent } from '../run-agent';
import type { Environment } from '../source/environment';
import { AGENT_TIMES } from '../times';
import { LineOutput } from './line-output';

export interface RunFlags {
  readonly config: string;
  readonly dataDir?: string;
  readonly logFile?: string;
  readonly once: boolean;
  readonly service: boolean;
}

/** A service host waits for this on stdout before it reports the service as started. */
const READY_LINE = 'READY';

/** @returns the exit code */
export async function run(flags: RunFlags, env: Environment): Promise<number> {
  const { config: configPath, once, service } = flags;
  letOthersFirst();
  const dataDir = flags.dataDir ?? null;
  const stop = new AbortController();
  const file = await logFileOf(flags);
  const log = new LineLog((line, level) => writeLine(file, line, level));
  const stopOn = (reason: string) => {
    if (!stop.signal.aborted) log.info(`${reason}: stopping`);
    stop.abort();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopOn(signal));
  if (service) onEndOfInput(() => stopOn('end of input'));
  const out = new LineOutput(process.stdout);
  const print = (line: string) => void out.write(line);
  const onReady = () => {
    if (service) print(READY_LINE);
  };
  try {
    const options = {
      configPath,
      dataDir,
      once,
      times: AGENT_TIMES,
      clock: systemClock,
      env,
      log,
      print,
      onReady,
    };
    return await runAgent(options, stop.signal);
  } finally {
    if (service) process.stdin.destroy();
    await file?.close();
  }
}

/** The database server comes first: the agent has a low priority. */
function letOthersFirst(): void {
  const low = constants.priority.PRIORITY_BELOW_NORMAL;
  try {
    // Larger numbers are lower priorities.
    if (getPriority() < low) setPriority(low);
  } catch {
    // The sandbox of the package for Linux forbids it; there the unit says it.
  }
}

async function logFileOf({ config, dataDir, logFile, service }: RunFlags): Promise<LogFile | null> {
  const preset = service ? join(dataDirOf(config, dataDir ?? null), 'logs', 'agent.log') : null;
  const path = logFile ?? preset;
  if (path === null) return null;
  return LogFile.open(path, (reason) => writeError(`${new Date().toISOString()} warn  ${reason}\n`));
}

/** stderr gets warnings and errors as well: a service host passes them on. */
function writeLine(file: LogFile | null, line: string, level: LogLevel): void {
  const isWritten = file?.write(line) ?? false;
  if (!isWritten || level !== 'info') writeError(line);
}

/** A service host ends the agent by closing its input. That works on every system, and the agent cannot miss it. */
function onEndOfInput(end: () => void): void {
  process.stdin.once('end', end).once('error', end).resume();
}

const writeError = (text: string): void => void process.stderr.write(text);
