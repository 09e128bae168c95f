import { existsSync } from 'node:fs';
import { REFUSED_REASONS } from '../../src/event/agent-settings';
import { dataDirOf } from '../agent-context';
import type { AgentConfig } from '../config/parse-config';
import type { AgentStatus, DatabaseStatus } from '../status/database-status';
import { loadStatus, statusPath } from '../status/status-file';
import { currentOf, NO_PACKAGE, UpdateFile, type UpdateState } from '../update/update-state';
import { deadLettersPath } from '../uplink/dead-letters';
import type { LineOutput } from './line-output';
import { readConfig } from './read-config';

/** A running agent writes its status every ten seconds. If the status is older than this, the agent is not running. */
const STALE_MS = 60_000;

interface StatusOptions {
  readonly configPath: string;
  /** See `dataDirOf`. */
  readonly dataDir: string | null;
  readonly json: boolean;
  readonly out: LineOutput;
  complain(line: string): void;
  now(): number;
}

/** A database as the command shows it. `unknown`: the agent has not worked on it yet. */
type ShownDatabase =
  | (Omit<DatabaseStatus, 'state'> & {
      readonly state: DatabaseStatus['state'] | 'stopped';
      /** Seconds since everything in the files was acknowledged; null: it never was. */
      readonly lag: number | null;
      /** The file with the events that the service refused for good; null: there is none. */
      readonly rejectedPath: string | null;
    })
  | { readonly name: string; readonly state: 'disabled' | 'unknown' };

interface ShownStatus extends Omit<AgentStatus, 'databases' | 'version'> {
  readonly databases: readonly ShownDatabase[];
}

/**
 * Prints what the agent does, or last did.
 * @returns the exit code: 0 it runs and nothing is wrong; 1 it does not run, something prevents publishing, or events
 *   were refused for good; 2 the configuration is invalid
 */
export async function status({
  configPath,
  dataDir,
  json,
  out,
  complain,
  now,
}: StatusOptions): Promise<number> {
  const read = await readConfig(configPath, dataDir);
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
  const { config } = read;
  const namesOf = (databases: readonly { readonly name: string }[]) => databases.map(({ name }) => name);
  const names = namesOf([...config.databases, ...config.switchedOff]);
  const shown = toShown(found, { enabled: names, disabled: namesOf(config.disabled), folder, nowMs });
  const packages = await new UpdateFile(folder).load();
  const lines = json
    ? [JSON.stringify({ ...shown, ...(packages !== NO_PACKAGE && { packages }) }, null, 2)]
    : statusLines(shown, { wanted: config.wanted, packages }, nowMs);
  for (const line of lines) await out.write(line);
  return isHealthy(shown, config.enabled) ? 0 : 1;
}

function toShown(
  found: AgentStatus,
  {
    enabled,
    disabled,
    folder,
    nowMs,
  }: {
    readonly enabled: readonly string[];
    readonly disabled: readonly string[];
    readonly folder: string;
    readonly nowMs: number;
  },
): ShownStatus {
  const { version: _, ...agent } = found;
  const running = isRunning(found, nowMs);
  // A running agent keeps its file fresh. The lag of a stopped one grows from the time when it stopped.
  const atMs = running ? Date.parse(found.writtenAt) : nowMs;
  const databases = enabled.map((name): ShownDatabase => {
    const one = found.databases.find((database) => database.name === name);
    if (one === undefined) return { name, state: 'unknown' };
    const caughtUpMs = one.caughtUpAt === null ? null : Date.parse(one.caughtUpAt);
    const lag = caughtUpMs === null ? null : Math.max(0, atMs - caughtUpMs) / 1000;
    const path = deadLettersPath(folder, name);
    const rejectedPath = existsSync(path) ? path : null;
    return { ...one, state: running ? one.state : 'stopped', lag, rejectedPath };
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
    // The process runs under another account, as a service does.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function isHealthy({ running, obstacle, databases }: ShownStatus, isWanted: boolean): boolean {
  if (!running) return false;
  if (obstacle !== null) return !isWanted;
  return databases.every(
    (database) =>
      database.state === 'disabled' ||
      ('problem' in database && database.problem === null && database.rejectedPath === null),
  );
}

const STATE_TEXT: Record<ShownDatabase['state'], string> = {
  publishing: 'publishing',
  idle: 'idle',
  waiting: 'waiting for the service',
  keyRefused: 'key refused by the service',
  standby: 'standby: the shared folder is away',
  off: 'switched off by the service',
  failed: 'failed, is tried again',
  stopped: 'stopped',
  disabled: 'disabled',
  unknown: 'not seen by the agent yet',
};

/** The status as people read it. */
function statusLines(
  status: ShownStatus,
  { wanted, packages }: { readonly wanted: AgentConfig['wanted']; readonly packages: UpdateState },
  nowMs: number,
): string[] {
  const { agentVersion, configPath, obstacle, pid, running, startedAt, writtenAt } = status;
  const ageSeconds = Math.max(0, Math.round((nowMs - Date.parse(writtenAt)) / 1000));
  return [
    running
      ? `agent ${agentVersion}: running since ${startedAt} (process ${pid})`
      : `agent ${agentVersion}: not running; this is its last status, of ${writtenAt} (${durationOf(ageSeconds)} ago)`,
    `configuration: ${configPath}`,
    ...(wanted.version === null ? [] : [`settings: version ${wanted.version} of the service`]),
    ...wanted.refused.map(({ setting, reason }) => `not applied: ${setting}: ${REFUSED_REASONS[reason]}`),
    ...packageLines(packages),
    ...(obstacle === null ? [] : [`problem: ${obstacle}`]),
    ...status.databases.flatMap(databaseLines),
  ];
}

function packageLines(packages: UpdateState): string[] {
  const current = currentOf(packages);
  const running = current && `package: ${current.version}${packages.trial === null ? '' : ', on trial'}`;
  const ended = packages.ended.map(({ version, reason }) => `taken back: package ${version}: ${reason}`);
  return [...(running === null ? [] : [running]), ...ended];
}

function databaseLines(database: ShownDatabase): string[] {
  const isDone =
    database.state === 'idle' &&
    'problem' in database &&
    database.problem === null &&
    database.rejectedPath === null;
  const head = [
    '',
    `${database.name}: ${STATE_TEXT[database.state]}${isDone ? ', everything is acknowledged' : ''}`,
  ];
  if (!('tally' in database)) return head;
  const { file, fileCount, gaps, lag, lastAcknowledgedAt, lastError, lastEventTime, problem } = database;
  const { rejectedPath, store } = database;
  const { waitingBytes, waitingRecords, tally } = database;
  const values: [string, string | null][] = [
    ['problem', problem],
    ['files', `${fileCount}${file ? `; ${file.name} up to byte ${file.offset} of ${file.size}` : ''}`],
    ['lag', lag === null ? 'unknown: not everything was acknowledged yet' : durationOf(Math.round(lag))],
    ['acknowledged', `${lastAcknowledgedAt ?? 'nothing yet'}; newest event ${lastEventTime ?? 'none'}`],
    ['waiting', `${waitingBytes} bytes in files; of them ${waitingRecords} records read`],
    [
      'published',
      `${tally.accepted} (${tally.duplicates} duplicates, ${tally.rejected} rejected) in this run`,
    ],
    ['rejected', rejectedPath && `${rejectedPath}: look at these events, and move the file away`],
    ['store', store ? `${store.requests} requests, ${store.bytes} bytes of answers in this run` : null],
    ['gaps', `${gaps.reported + gaps.pending} (${gaps.pending} not yet reported)`],
    ['last error', lastError && `${lastError.at} ${lastError.text}`],
  ];
  return [
    ...head,
    ...values.flatMap(([name, value]) => (value === null ? [] : [`  ${name.padEnd(12)} ${value}`])),
  ];
}

/** `0 s`, `75 s`, `3 h 5 min`, `2 d 4 h` */
function durationOf(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}
