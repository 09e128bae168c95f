import { dirname, join, resolve } from 'node:path';
import type { Clock } from './clock';
import type { ConfigFile } from './config/config-file';
import type { AgentConfig } from './config/parse-config';
import type { LineLog } from './log';
import type { KeptSettings } from './settings/kept-settings';
import type { Environment } from './source/environment';
import type { StatusBoard } from './status/status-board';
import type { AgentTimes } from './times';
import type { Launcher } from './update/launcher-port';
import type { OfferedPackage } from './update/offered-package';

export interface RunOptions {
  readonly configPath: string;
  /** See `dataDirOf`. */
  readonly dataDir: string | null;
  /** The agent ends when all present records are published. */
  readonly once: boolean;
  readonly times: AgentTimes;
  readonly clock: Clock;
  /** For the credentials of object stores; by default nothing. */
  readonly env?: Environment;
  readonly log: LineLog;
  /** What has started this agent and can start another one in its place; null or absent: nothing. */
  readonly launcher?: Launcher | null;
  /** Takes the summary lines at the end of a single run. */
  print(line: string): void;
  /** Called when publishing begins: the configuration is valid, and this agent has locked the data folder. */
  onReady?(): void;
}

/** What a running agent works with. */
export interface AgentContext extends Omit<RunOptions, 'dataDir'> {
  readonly dataDir: string;
  readonly file: ConfigFile;
  readonly kept: KeptSettings;
  readonly packages: OfferedPackage;
  readonly config: AgentConfig;
  readonly board: StatusBoard;
}

/** @param given null: `agent-data` beside the configuration */
export const dataDirOf = (configPath: string, given: string | null): string =>
  resolve(given ?? join(dirname(resolve(configPath)), 'agent-data'));

/** Why nothing can be published with a configuration, or null. */
export function configProblemOf(config: AgentConfig, configPath: string): string | null {
  if (!config.enabled) return `${configPath}: EventHubPublisher.Enabled is false: nothing is published`;
  if (config.tenantId === null) {
    return (
      `${configPath}: CentralApi.TenantId is not set: nothing is published. ` +
      'Set it to the id of the tenant that the agent key was made for'
    );
  }
  const { databases, switchedOff } = config;
  return databases.length + switchedOff.length === 0
    ? `${configPath}: no database is enabled: nothing is published`
    : null;
}
