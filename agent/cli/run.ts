import { constants, getPriority, setPriority } from 'node:os';
import { join } from 'node:path';
import { dataDirOf } from '../agent-context';
import { systemClock } from '../clock';
import { LineLog, type LogLevel } from '../log';
import { LogFile } from '../log-file';
import { runAgent } from '../run-agent';
import type { Environment } from '../source/environment';
import { AGENT_TIMES } from '../times';
import { launcherOf, leaveLauncher } from '../update/launcher-port';
import { runLaunched } from './launched-run';
import { LineOutput } from './line-output';
import { readConfig } from './read-config';

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
  const stop = new AbortController();
  let log: LineLog | null = null;
  const stopOn = (reason: string) => {
    if (!stop.signal.aborted) log?.info(`${reason}: stopping`);
    stop.abort();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopOn(signal));
  if (service) onEndOfInput(() => stopOn('end of input'));
  const out = new LineOutput(process.stdout);
  const print = (line: string) => void out.write(line);
  const ready = () => {
    if (service) print(READY_LINE);
  };
  const launcher = launcherOf(env, stopOn);
  const dataDir = dataDirOf(configPath, flags.dataDir ?? null);
  const logFile = logFileOf(flags, dataDir);
  const common = { configPath, dataDir, env, clock: systemClock };
  let file: LogFile | null = null;
  try {
    if (launcher === null && !once && (await takesPackages(configPath)))
      return await runLaunched({ ...common, logFile, stop: stop.signal, onReady: ready });
    file = logFile === null ? null : await LogFile.open(logFile, warnOf);
    log = new LineLog((line, level) => writeLine(file, line, level));
    const onReady = launcher === null ? ready : () => launcher.ready();
    const options = { ...common, once, times: AGENT_TIMES, log, print, launcher, onReady };
    return await runAgent(options, stop.signal);
  } finally {
    leaveLauncher();
    if (service) process.stdin.destroy();
    await file?.close();
  }
}

/** An agent whose file has a key for packages is started by a launcher, which can start a package in its place. */
async function takesPackages(configPath: string): Promise<boolean> {
  const read = await readConfig(configPath);
  return read.kind === 'config' && read.config.updates.publicKey !== null;
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

const logFileOf = ({ logFile, service }: RunFlags, dataDir: string): string | null =>
  logFile ?? (service ? join(dataDir, 'logs', 'agent.log') : null);

const warnOf = (reason: string): void => writeError(`${new Date().toISOString()} warn  ${reason}\n`);

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
