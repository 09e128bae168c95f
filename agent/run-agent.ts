import { resolve } from 'node:path';
import { lockFolder } from '../src/folder-lock';
import { dataDirOf, type RunOptions } from './agent-context';
import { ConfigFile } from './config/config-file';
import { OwnKey } from './config/own-key';
import { follow } from './follow';
import { errorText } from './log';
import { publishOnce } from './publish-once';
import { KeptSettings } from './settings/kept-settings';
import { StatusBoard } from './status/status-board';
import { loadStatus, StatusFile } from './status/status-file';
import { OfferedPackage } from './update/offered-package';

/** Runs the agent until all is done or the signal is aborted. @returns the exit code */
export async function runAgent(options: RunOptions, stop: AbortSignal): Promise<number> {
  const { log, once } = options;
  const configPath = resolve(options.configPath);
  const dataDir = dataDirOf(configPath, options.dataDir);
  const kept = new KeptSettings(dataDir);
  const file = new ConfigFile(configPath, log, new OwnKey(dataDir), kept);
  const config = await file.loadChanged();
  if (config === null) {
    log.error('the agent cannot start without a valid configuration');
    return 1;
  }
  const lock = await lockFolder(dataDir, 'agent').catch((error: unknown) => errorText(error));
  if (typeof lock === 'string') {
    log.error(`${dataDir}: cannot be used as the agent's data folder: ${lock}`);
    return 1;
  }
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
    const packages = new OfferedPackage({ ...options, dataDir, launcher: options.launcher ?? null });
    const context = { ...options, configPath, dataDir, file, kept, packages, config, board };
    options.onReady?.();
    return await (once ? publishOnce(context, stop) : follow(context, stop));
  } finally {
    ended.abort();
    await keepingStatus;
    await lock.release();
  }
}
