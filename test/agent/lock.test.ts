import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lockFolder } from '../../agent/lock';

describe('the lock of a data folder', () => {
  it.each([
    ['of a process that is gone', JSON.stringify({ pid: 2 ** 22 + 1, started: '1' })],
    ['of an earlier process with the id of another one', JSON.stringify({ pid: process.ppid, started: '0' })],
    ['of nobody', '?'],
  ])('%s is taken over', async (_, text) => {
    const folder = mkdtempSync(join(tmpdir(), 'audit-lock-'));
    writeFileSync(join(folder, 'agent.lock'), text);
    const lock = await lockFolder(folder);
    expect(lock.kind).toBe('locked');
    expect(await lockFolder(folder)).toEqual({ kind: 'taken', pid: process.pid });
    if (lock.kind === 'locked') await lock.release();
    expect((await lockFolder(folder)).kind).toBe('locked');
    rmSync(folder, { recursive: true });
  });
});
