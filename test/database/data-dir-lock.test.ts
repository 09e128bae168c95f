import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { lockDataDir } from '../../src/database/data-dir-lock';

/** Larger than any possible process id. */
const DEAD = JSON.stringify({ pid: 2 ** 22 + 1, started: null });

describe('the lock of a data folder', () => {
  let dataDir: string;
  beforeEach(async () => {
    dataDir = await mkdtemp(path.join(os.tmpdir(), 'audit-activity-lock-'));
  });
  afterEach(() => rm(dataDir, { recursive: true, force: true }));
  /** The current lock, as a killed process leaves it. */
  const lockFile = () => path.join(dataDir, 'service.lock.9');

  it('makes the folder if it is missing', async () => {
    const deep = path.join(dataDir, 'a/b');
    const release = await lockDataDir(deep);
    expect(await readdir(deep)).toContain('service.lock.1');
    await release();
  });

  it('refuses a second holder, and says who holds it and what to do', async () => {
    const release = await lockDataDir(dataDir);
    const refused = lockDataDir(dataDir);
    await expect(refused).rejects.toThrow(`${dataDir} is in use by process ${process.pid}`);
    await expect(refused).rejects.toThrow(/DATA_DIR.*DATABASE_URL/);
    await release();
  });

  it('can be taken again after it was released, and leaves one small file behind', async () => {
    for (let i = 0; i < 3; i++) await (await lockDataDir(dataDir))();
    expect(await readdir(dataDir)).toEqual(['service.lock.3']);
  });

  it('of a killed process does not block', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    await once(child, 'spawn');
    await writeFile(lockFile(), JSON.stringify({ pid: child.pid, started: null }));
    child.kill('SIGKILL');
    await once(child, 'exit');
    await (await lockDataDir(dataDir))();
  });

  it('does not block if its process id now belongs to another process', async () => {
    await writeFile(lockFile(), JSON.stringify({ pid: process.pid, started: 'another boot:1' }));
    const release = await lockDataDir(dataDir);
    expect(JSON.parse(await readFile(path.join(dataDir, 'service.lock.10'), 'utf8'))).toMatchObject({
      pid: process.pid,
    });
    await release();
  });

  it.each(['', 'null', '{"pid":', 'not a lock', '{"pid":"x"}', '{"pid":0}', '{"pid":-1}'])(
    'does not block if it holds %j',
    async (text) => {
      await writeFile(lockFile(), text);
      await (await lockDataDir(dataDir))();
    },
  );

  it('goes to only one of many that ask at once, also if a stale lock must be cleared first', async () => {
    for (let round = 0; round < 30; round++) {
      if (round % 2) await writeFile(path.join(dataDir, `service.lock.${round * 10}`), DEAD);
      const asked = await Promise.allSettled(Array.from({ length: 8 }, () => lockDataDir(dataDir)));
      const held = asked.filter((result) => result.status === 'fulfilled');
      expect(held).toHaveLength(1);
      for (const { value } of held) await value();
    }
  });
});
