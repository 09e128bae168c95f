import { appendFileSync, mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { lockFolder } from '../../src/folder-lock';
import type { Clock } from '../clock';
import { errorText, LineLog } from '../log';
import type { Environment } from '../source/environment';
import { AGENT_TIMES } from '../times';
import { startAgent } from '../update/agent-process';
import { type LaunchOptions, launch } from '../update/launch';
import { readConfig } from './read-config';

interface LaunchedRun {
  readonly configPath: string;
  readonly dataDir: string;
  readonly logFile: string | null;
  readonly env: Environment;
  readonly clock: Clock;
  readonly stop: AbortSignal;
  onReady(): void;
}

/** Runs the agent, or a package in its place, as a process of its own. @returns the exit code */
export async function runLaunched(given: LaunchedRun): Promise<number> {
  const { dataDir, env, clock, logFile, onReady, stop } = given;
  const configPath = resolve(given.configPath);
  const log = new LineLog((line, level) => {
    // The agent has the file open, and may rename it.
    const isWritten = logFile !== null && appended(logFile, line);
    if (!isWritten || level !== 'info') process.stderr.write(line);
  });
  const locks = [];
  try {
    for (const program of ['launcher', 'agent'] as const) {
      const lock = await lockFolder(dataDir, program).catch((error: unknown) => errorText(error));
      if (typeof lock === 'string') {
        log.error(`${dataDir}: cannot be used as the agent's data folder: ${lock}`);
        return 1;
      }
      if (lock.kind === 'taken') {
        log.error(`another agent (process ${lock.pid}) works with ${dataDir}; only one can`);
        return 1;
      }
      locks.push(lock);
    }
    // The agent that is started takes it itself.
    await locks.pop()?.release();
    let updates: Awaited<ReturnType<LaunchOptions['updates']>> = null;
    return await launch(
      {
        dataDir,
        own: process.argv[1] ?? '',
        args: [
          ...['run', '--config', configPath, '--data-dir', dataDir],
          ...(logFile === null ? [] : ['--log-file', logFile]),
        ],
        env,
        // A file that is being edited changes nothing.
        updates: async () => {
          const read = await readConfig(configPath, dataDir);
          if (read.kind === 'config') updates = read.config.updates;
          return updates;
        },
        start: startAgent,
        times: AGENT_TIMES,
        clock,
        log,
        onReady,
      },
      stop,
    );
  } finally {
    for (const lock of locks) await lock.release();
  }
}

function appended(path: string, line: string): boolean {
  try {
    mkdirSync(dirname(path), { recursive: true });
    appendFileSync(path, line, { mode: 0o640 });
    return true;
  } catch {
    // Then stderr gets it.
    return false;
  }
}
