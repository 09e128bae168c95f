import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from '../support/free-port';
import { ROOT } from '../support/imports';

describe('npm start', () => {
  let folder: string;
  let npm: ChildProcess;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'npm-start-'));
  });
  afterEach(() => {
    if (npm.pid && npm.exitCode === null && npm.signalCode === null) process.kill(-npm.pid, 'SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });

  /** @returns the address of the service, once it listens */
  async function start(): Promise<string> {
    const { DATABASE_URL, REDIS_URL, ...inherited } = process.env;
    const env = { ...inherited, PORT: String(await freePort()), HOST: '127.0.0.1', DATA_DIR: folder };
    // A process group of its own, like that of a terminal.
    npm = spawn('npm', ['start'], { cwd: ROOT, env, detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
    let said = '';
    for await (const text of npm.stdout ?? []) {
      said += String(text);
      const [, url] = /^listening on (\S+)$/m.exec(said) ?? [];
      if (url) return url;
    }
    throw new Error(`npm start ended: ${said}`);
  }

  it.each([
    ['SIGTERM', 'npm alone', 1],
    ['SIGTERM', 'its whole group', -1],
    // Ctrl-C in a terminal.
    ['SIGINT', 'its whole group', -1],
  ] as const)('ends in order, and leaves no process, when %s comes to %s', async (signal, _, sign) => {
    const url = await start();
    expect((await fetch(`${url}/livez`)).status).toBe(200);
    const exit = once(npm, 'exit');
    process.kill(sign * (npm.pid ?? 0), signal);
    expect(await exit).toEqual([0, null]);
    await expect(fetch(`${url}/livez`)).rejects.toThrow();
    // Signal 0 only asks whether a process of the group is left.
    expect(() => process.kill(-(npm.pid ?? 0), 0)).toThrow('ESRCH');
  });
});
