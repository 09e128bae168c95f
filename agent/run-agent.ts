import { dirname, join, resolve } from 'node:path';
import type { Clock } from './clock';
import { ConfigFile } from './config/config-file';
import type { AgentConfig } from './config/parse-config';
import { follow } from './follow';
import { lockFolder } from './lock';
import type { LineLog } from './log';
import { publishOnce } from './publish-once';
import { StatusBoard } from './status/status-board';
import { loadStatus, StatusFile } from './status/status-file';
import type { AgentTimes } from './times';

export interface RunOptions {
  readonly configPath: string;
  /** See `dataDirOf`. */
  readonly dataDir: string | null;
  /** Ends when all that is there is published. */
  readonly once: boolean;
  readonly times: AgentTimes;
  readonly clock: Clock;
  readonly log: LineLog;
  /** Takes the summary lines of a run that ends. */
  print(line: string): void;
  /** Called when the configuration is valid, the data folder is this agent's, and publishing begins. */
  onReady?(): void;
}

/** What a running agent works with. */
export interface AgentContext extends Omit<RunOptions, 'dataDir'> {
  readonly dataDir: string;
  readonly file: ConfigFile;
  readonly config: AgentConfig;
  readonly board: StatusBoard;
}

/** @param given null: `agent-data` beside the configuration */
export const dataDirOf = (configPath: string, given: string | null): string =>
  resolve(given ?? join(dirname(resolve(configPath)), 'agent-data'));

/** Runs the agent until all is done or the signal is aborted. @returns the exit code */
export async function runAgent(options: RunOptions, stop: AbortSignal): Promise<number> {
  const { log, once } = options;
  const configPath = resolve(options.configPath);
  const file = new ConfigFile(configPath, log);
  const config = await file.loadChanged();
  if (config === null) {
    log.error('the agent cannot start without a valid configuration');
    return 1;
  }
  const dataDir = dataDirOf(configPath, options.dataDir);
  const lock = await lockFolder(dataDir);
  if (lock.kind === 'taken') {
    log.error(`another agent (process ${lock.pid}) works with ${dataDir}; only one can`);
    return 1;
  }
  const { clock, times } = options;
  const board = new StatusBoard(configPath, clock, await loadStatus(dataDir));
  const status = new StatusFile({ dataDir, times, clock, log, status: () => board.status() });
  const ended = new AbortController();
  const keepingStatus = status.keep(ended.signal);
  try {
    const context = { ...options, configPath, dataDir, file, config, board };
    options.onReady?.();
    return await (once ? publishOnce(context, stop) : follow(context, stop));
  } finally {
    ended.abort();
    await keepingStatus;
    await lock.release();
  }
}

/** Why nothing can be published with a configuration, or null. */
export function obstacleOf(config: AgentConfig, configPath: string): string | null {
  if (!config.enabled) return `${configPath}: EventHubPublisher.Enabled is false: nothing is published`;
  if (config.tenantId === null) {
    return (
      `${configPath}: CentralApi.TenantId is not set: nothing is published. ` +
      'Set it to the id of the tenant that the agent key was made for'
    );
  }
  return config.databases.length === 0 ? `${configPath}: no database is enabled: nothing is published` : null;
}
