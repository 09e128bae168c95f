import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LOG_FILE, LogFile, type LogFileOptions } from '../../agent/log-file';
import { until } from './support/until';

describe('a log file', () => {
  let folder: string;
  const failures: string[] = [];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'audit-log-'));
    failures.length = 0;
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const open = (path: string, options: Partial<LogFileOptions> = {}) =>
    LogFile.open(path, (reason) => failures.push(reason), { ...LOG_FILE, ...options });

  it('creates its folder, and continues after a restart', async () => {
    const path = join(folder, 'logs/new/agent.log');
    for (const line of ['first\n', 'second\n']) {
      const file = await open(path);
      expect(file.write(line)).toBe(true);
      await file.close();
    }
    expect(readFileSync(path, 'utf8')).toBe('first\nsecond\n');
    expect(failures).toEqual([]);
    // Only the user of the agent and its group read it.
    if (process.platform !== 'win32') expect(statSync(path).mode & 0o007).toBe(0);
  });

  it('is rotated when it is full, and five older files are kept, the newest as 1', async () => {
    const path = join(folder, 'agent.log');
    const file = await open(path, { size: '100B' });
    for (let n = 0; n < 60; n++) file.write(`${n} `.padEnd(49, '.').concat('\n'));
    await file.close();
    const names = readdirSync(folder).toSorted();
    expect(names).toEqual(['agent.log', ...[1, 2, 3, 4, 5].map((n) => `agent.log.${n}`)]);
    const firstOf = (name: string) => Number.parseInt(readFileSync(join(folder, name), 'utf8'), 10);
    expect(names.slice(1).map(firstOf)).toEqual([58, 56, 54, 52, 50]);
  });

  it('that cannot be written is reported once, drops its lines, and is tried again later', async () => {
    writeFileSync(join(folder, 'logs'), 'a file where a folder should be');
    const path = join(folder, 'logs/agent.log');
    const file = await open(path, { retryMs: 0 });
    file.write('lost\n');
    await until('a failure', () => failures.length > 0);
    expect(failures).toEqual([expect.stringMatching(/agent\.log: cannot be written: (ENOTDIR|EEXIST)/)]);
    file.write('lost\n');
    rmSync(join(folder, 'logs'));
    await until('a line in the file', () => {
      file.write('kept\n');
      return existsSync(path) && readFileSync(path, 'utf8').includes('kept');
    });
    await file.close();
    expect(failures).toHaveLength(1);
  });

  it('that failed drops every line until it is tried again', async () => {
    writeFileSync(join(folder, 'logs'), 'a file where a folder should be');
    const file = await open(join(folder, 'logs/agent.log'));
    file.write('lost\n');
    await until('a failure', () => failures.length > 0);
    expect(file.write('for stderr\n')).toBe(false);
    await file.close();
  });
});
