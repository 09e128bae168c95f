import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lockFolder } from '../../src/folder-lock';

describe('the lock of a data folder', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'audit-lock-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const isSocket = (name: string) => name.includes('.live-');
  const locks = () => readdirSync(folder).filter((name) => !isSocket(name));
  /** The lock of an owner that this process cannot see, such as one in another container. */
  const elsewhere = (path: string) => {
    const own = JSON.parse(readFileSync(path, 'utf8'));
    writeFileSync(path, JSON.stringify({ ...own, started: 'another boot:1' }));
  };

  it.each([
    ['names a process that is gone', JSON.stringify({ pid: 2 ** 22 + 1, started: '1' })],
    [
      'names an earlier process whose id another process has now',
      JSON.stringify({ pid: process.ppid, started: '0' }),
    ],
    ['names no process', '?'],
    ['was released', ''],
  ])('is taken over where it %s', async (_, text) => {
    writeFileSync(join(folder, 'agent.lock.7'), text);
    const lock = await lockFolder(folder, 'agent');
    expect(lock.kind).toBe('locked');
    expect(await lockFolder(folder, 'agent')).toEqual({ kind: 'taken', pid: process.pid });
    expect(locks()).toEqual(['agent.lock.8']);
    if (lock.kind === 'locked') await lock.release();
    expect((await lockFolder(folder, 'agent')).kind).toBe('locked');
    expect(locks()).toEqual(['agent.lock.9']);
  });

  it('is taken over from a process that began before another one got its id, in one run of the machine', async () => {
    await lockFolder(folder, 'agent');
    const own = JSON.parse(readFileSync(join(folder, 'agent.lock.1'), 'utf8'));
    const later = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60_000)']);
    writeFileSync(join(folder, 'agent.lock.1'), JSON.stringify({ ...own, pid: later.pid, socket: null }));
    const { kind } = await lockFolder(folder, 'agent').finally(() => later.kill());
    expect(kind).toBe('locked');
  });

  it('stays with a process that has the same id in another container, until it ends or releases it', async () => {
    const lock = await lockFolder(folder, 'agent');
    elsewhere(join(folder, 'agent.lock.1'));
    expect(await lockFolder(folder, 'agent')).toEqual({ kind: 'taken', pid: process.pid });
    if (lock.kind === 'locked') await lock.release();
    expect(readdirSync(folder).filter(isSocket)).toEqual([]);
    expect((await lockFolder(folder, 'agent')).kind).toBe('locked');
  });

  it('is taken over from a process of another container that was killed, with the socket that it left', async () => {
    const socket = 'agent.lock.live-00000000-0000-4000-8000-000000000000';
    const killed = spawn(process.execPath, [
      '-e',
      `require('node:net').createServer().listen(${JSON.stringify(join(folder, socket))}, () => process.kill(process.pid, 'SIGKILL'))`,
    ]);
    await once(killed, 'exit');
    writeFileSync(
      join(folder, 'agent.lock.1'),
      JSON.stringify({ pid: 1, started: 'another boot:1', socket }),
    );
    expect(readdirSync(folder).filter(isSocket)).toEqual([socket]);
    expect((await lockFolder(folder, 'agent')).kind).toBe('locked');
    expect(readdirSync(folder).filter(isSocket)).not.toContain(socket);
  });

  it('stays with a process of another user', async () => {
    await lockFolder(folder, 'agent');
    const kill = jest.spyOn(process, 'kill').mockImplementation(() => {
      throw Object.assign(new Error('not permitted'), { code: 'EPERM' });
    });
    const found = await lockFolder(folder, 'agent').finally(() => kill.mockRestore());
    expect(found).toEqual({ kind: 'taken', pid: process.pid });
  });

  it('stays with an agent that meanwhile took a lock with a higher number', async () => {
    const holder = await lockFolder(folder, 'agent');
    writeFileSync(join(folder, 'agent.lock.3'), readFileSync(join(folder, 'agent.lock.1')));
    rmSync(join(folder, 'agent.lock.1'));
    // The listing is a moment old: it has the abandoned lock, and not the lock that counts now.
    jest.spyOn(fs, 'readdir').mockResolvedValueOnce(['agent.lock.1'] as never);
    expect(holder.kind).toBe('locked');
    expect(await lockFolder(folder, 'agent')).toEqual({ kind: 'taken', pid: process.pid });
    expect(locks()).toEqual(['agent.lock.3']);
  });

  it('is given to only one of many agents that find it abandoned at the same moment', async () => {
    for (let round = 0; round < 20; round++) {
      writeFileSync(join(folder, `agent.lock.${100 * round + 1}`), '?');
      const taken = await Promise.all(Array.from({ length: 10 }, () => lockFolder(folder, 'agent')));
      const locked = taken.flatMap((lock) => (lock.kind === 'locked' ? [lock] : []));
      expect(locked).toHaveLength(1);
      await locked[0]?.release();
    }
  });
});
