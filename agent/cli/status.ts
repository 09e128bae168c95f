import { dataDirOf } from '../run-agent';
import type { AgentStatus, DatabaseStatus } from '../status/database-status';
import { loadStatus, statusPath } from '../status/status-file';
import type { LineOutput } from './line-output';
import { readConfig } from './read-config';
import { statusLines } from './status-lines';

/** A status that is older than this is not of an agent that runs: it is written every ten seconds. */
const STALE_MS = 60_000;

export interface StatusOptions {
  readonly configPath: string;
  /** See `dataDirOf`. */
  readonly dataDir: string | null;
  readonly json: boolean;
  readonly out: LineOutput;
  complain(line: string): void;
  now(): number;
}

/** A database as `status` shows it. `unknown`: the agent has not worked on it yet. */
export type ShownDatabase =
  | (Omit<DatabaseStatus, 'state'> & {
      readonly state: DatabaseStatus['state'] | 'stopped';
      /** Seconds since everything in the files was acknowledged; null: never was. */
      readonly lag: number | null;
    })
  | { readonly name: string; readonly state: 'disabled' | 'unknown' };

export interface ShownStatus extends Omit<AgentStatus, 'databases' | 'version'> {
  readonly databases: readonly ShownDatabase[];
}

/**
 * Prints what the agent does, or last did.
 * @returns the exit code: 0 it runs and nothing is wrong; 1 it does not run, or something keeps it from publishing;
 *   2 the configuration is bad
 */
export async function status({
  configPath,
  dataDir,
  json,
  out,
  complain,
  now,
}: StatusOptions): Promise<number> {
  const read = await readConfig(configPath);
  if (read.kind === 'invalid') {
    for (const problem of read.problems) complain(problem);
    return 2;
  }
  const folder = dataDirOf(configPath, dataDir);
  const found = await loadStatus(folder);
  if (found === null) {
    complain(`the agent has not run yet with this configuration: there is no ${statusPath(folder)}`);
    return 1;
  }
  const nowMs = now();
  const names = read.config.databases.map(({ name }) => name);
  const shown = toShown(found, names, read.disabled, nowMs);
  const lines = json ? [JSON.stringify(shown, null, 2)] : statusLines(shown, nowMs);
  for (const line of lines) await out.write(line);
  return isHealthy(shown, read.config.enabled) ? 0 : 1;
}

function toShown(
  found: AgentStatus,
  enabled: readonly string[],
  disabled: readonly string[],
  nowMs: number,
): ShownStatus {
  const { version: _, ...agent } = found;
  const running = isRunning(found, nowMs);
  // A running agent keeps its file fresh enough; of another one, time passes since it stopped.
  const atMs = running ? Date.parse(found.writtenAt) : nowMs;
  const databases = enabled.map((name): ShownDatabase => {
    const one = found.databases.find((database) => database.name === name);
    if (one === undefined) return { name, state: 'unknown' };
    const caughtUpMs = one.caughtUpAt === null ? null : Date.parse(one.caughtUpAt);
    const lag = caughtUpMs === null ? null : Math.max(0, atMs - caughtUpMs) / 1000;
    return { ...one, state: running ? one.state : 'stopped', lag };
  });
  const off = disabled.map((name): ShownDatabase => ({ name, state: 'disabled' }));
  return { ...agent, running, databases: [...databases, ...off] };
}

function isRunning({ running, pid, writtenAt }: AgentStatus, nowMs: number): boolean {
  return running && nowMs - Date.parse(writtenAt) < STALE_MS && isAlive(pid);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Of another account, as a service is.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function isHealthy({ running, obstacle, databases }: ShownStatus, isWanted: boolean): boolean {
  if (!running) return false;
  if (obstacle !== null) return !isWanted;
  return databases.every(
    (database) => database.state === 'disabled' || ('problem' in database && database.problem === null),
  );
}
