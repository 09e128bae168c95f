import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import os from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Machine } from '../machine';

const READY = /ready to accept connections/;
const READY_MS = 120_000;
/** The server's message while the server of an interrupted run is still writing out its memory. */
const BUSY = /lock file|pre-existing shared memory/;
const ATTEMPTS = 60;
const GIB = 2 ** 30;

/** The settings of a server of this size, except for fsync: the benches do not measure the disks of shared machines. */
function settingsOf(memoryBytes: number): Readonly<Record<string, string>> {
  const gib = (share: number, max: number) =>
    `${Math.max(256, Math.min(max * 1024, Math.floor(((memoryBytes * share) / GIB) * 1024)))}MB`;
  return {
    fsync: 'off',
    shared_buffers: gib(0.17, 4),
    effective_cache_size: gib(0.6, 64),
    work_mem: '32MB',
    maintenance_work_mem: gib(0.05, 1),
    max_wal_size: '16GB',
    checkpoint_timeout: '15min',
    random_page_cost: '1.1',
    autovacuum: 'on',
    max_connections: '100',
    timezone: 'UTC',
  };
}

/** A private PostgreSQL whose data may outlive the run, unlike that of the tests. */
export class PostgresServer {
  #child: ChildProcess | undefined;

  constructor(
    private readonly machine: Machine,
    private readonly folder: string,
    private readonly keep: boolean,
  ) {}

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** @returns the URL of its database `postgres` */
  async start(): Promise<string> {
    const { found: bin, skipped } = this.machine.ensureBinary('postgres');
    if (!bin) throw new Error(skipped ?? 'PostgreSQL was not found');
    const ids = this.machine.unprivilegedIds();
    // The data of a killed run belong to no process any more.
    if (!this.keep) rmSync(this.folder, { recursive: true, force: true });
    mkdirSync(this.folder, { recursive: true });
    if (ids) chownSync(this.folder, ids.uid, ids.gid);
    const data = join(this.folder, 'data');
    const env = { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' };
    if (!existsSync(join(data, 'PG_VERSION'))) {
      const args = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync', '--locale=C'];
      const { status, stderr } = spawnSync(join(bin, 'initdb'), args, {
        ...ids,
        cwd: this.folder,
        env,
        encoding: 'utf8',
      });
      if (status !== 0) throw new Error(`initdb failed in ${data}: ${stderr}`);
    }
    const port = await freePort();
    const settings = Object.entries({ ...settingsOf(os.totalmem()), listen_addresses: '127.0.0.1' });
    const command = [
      ...dyingWithUs(),
      join(bin, 'postgres'),
      ...['-D', data, '-p', String(port), '-k', this.folder],
      ...settings.flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ];
    for (let attempt = 1; ; attempt++) {
      const problem = await this.#spawn(command, { ...ids, cwd: this.folder, env });
      if (problem === null) break;
      if (attempt === ATTEMPTS || !BUSY.test(problem))
        throw new Error(`PostgreSQL did not start: ${problem}`);
      await sleep(1_000);
    }
    return `postgres://postgres@127.0.0.1:${port}/postgres`;
  }

  /** Shuts the server down gracefully, so that kept data need no recovery. */
  async close(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child && child.exitCode === null) {
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGINT');
      await gone;
    }
    if (!this.keep) rmSync(this.folder, { recursive: true, force: true });
  }

  /** @returns null when the server is ready, otherwise its answer */
  #spawn([program = '', ...args]: readonly string[], options: object): Promise<string | null> {
    const child = spawn(program, args, { ...options, stdio: ['ignore', 'ignore', 'pipe'], detached: true });
    this.#child = child;
    let output = '';
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`PostgreSQL is not ready: ${output}`)), READY_MS);
      const settle = (problem: string | null) => {
        clearTimeout(late);
        resolve(problem);
      };
      child.stderr?.setEncoding('utf8').on('data', (text: string) => {
        output = (output + text).slice(-1_000);
        if (READY.test(output)) settle(null);
      });
      child.once('error', reject);
      child.once('exit', () => settle(output));
    });
  }
}

/** On Linux the kernel ends the server when this process ends, even by a signal. */
function dyingWithUs(): string[] {
  const setpriv = ['setpriv', '--pdeathsig', 'INT', '--'];
  return spawnSync('setpriv', [...setpriv.slice(1), 'true']).status === 0 ? setpriv : [];
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
}
