import { mkdir, readFile, rename, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Clock } from '../clock';
import { errorText, type Log } from '../log';
import type { AgentTimes } from '../times';
import { type AgentStatus, agentStatus } from './database-status';

export const statusPath = (dataDir: string): string => join(dataDir, 'status.json');

/** The status in a data folder; null if there is no readable one. */
export async function loadStatus(dataDir: string): Promise<AgentStatus | null> {
  try {
    return agentStatus.parse(JSON.parse(await readFile(statusPath(dataDir), 'utf8')));
  } catch {
    // The file is absent or of another version. Nothing depends on it.
    return null;
  }
}

interface StatusFileOptions {
  readonly dataDir: string;
  readonly times: Pick<AgentTimes, 'statusMs' | 'statusMaxMs'>;
  readonly clock: Clock;
  readonly log: Log;
  status(): Omit<AgentStatus, 'writtenAt' | 'running'>;
}

/** Keeps the status file up to date. The agent continues to work if that fails. */
export class StatusFile {
  private written = '';
  private writtenAtMs = 0;
  private failed = false;

  constructor(private readonly options: StatusFileOptions) {}

  /** Writes until the signal is aborted, and then once more. */
  async keep(stop: AbortSignal): Promise<void> {
    const { clock, times } = this.options;
    while (!stop.aborted) {
      await this.write(true);
      await clock.wait(times.statusMs, stop);
    }
    await this.write(false);
  }

  private async write(running: boolean): Promise<void> {
    const { clock, dataDir, log, status, times } = this.options;
    const elapsedMs = clock.elapsed();
    const current = { ...status(), running };
    const text = JSON.stringify(current, withoutPassingTime);
    if (text === this.written && elapsedMs - this.writtenAtMs < times.statusMaxMs) return;
    const path = statusPath(dataDir);
    try {
      await mkdir(dirname(path), { recursive: true });
      const whole = { ...current, writtenAt: new Date(clock.now()).toISOString() };
      await replace(path, `${JSON.stringify(whole, null, 2)}\n`);
      this.written = text;
      this.writtenAtMs = elapsedMs;
      this.failed = false;
    } catch (error) {
      if (!this.failed) log.warn(`${path}: cannot be written: ${errorText(error)}`);
      this.failed = true;
    }
  }
}

/**
 * Replaces the file. If no new file can be made, it overwrites the old text, for which even a full disk has room: an
 * outdated status must not stay.
 * @throws Error why no new file could be made
 */
async function replace(path: string, text: string): Promise<void> {
  try {
    await writeFile(`${path}.new`, text);
    await rename(`${path}.new`, path);
  } catch (error) {
    await writeFile(path, text, { flag: 'r+' }).then(
      () => truncate(path, Buffer.byteLength(text)),
      () => {},
    );
    throw error;
  }
}

/** The status without the one time that changes with each listing even while nothing happens. */
const withoutPassingTime = (key: string, value: unknown): unknown =>
  key === 'caughtUpAt' && value !== null ? 'once' : value;
