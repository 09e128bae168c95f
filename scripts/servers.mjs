import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ensureBinary, unprivilegedIds } from './lib/binaries.mjs';
import { isProgram } from './lib/files.mjs';
import { memoryFolder } from './lib/memory-folder.mjs';
import { PrivateServer } from './lib/private-server.mjs';

// The server's messages say when it is up, so they are in English; the user's own PG* settings must not reach it.
const ENV = { PATH: process.env.PATH, LC_ALL: 'C', LANG: 'C', TZ: 'UTC' };

/** A started PrivateServer of a kind ('postgres' or 'redis'), or `{ skipped: how to get one }`. */
export async function startPrivateServer(kind, { durable = false } = {}) {
  const { found, skipped } = ensureBinary(kind);
  if (skipped) return { skipped };
  const server = new PrivateServer(
    kind === 'postgres' ? postgresPlan(found, durable) : redisPlan(found, durable),
  );
  process.once('exit', () => server.dispose());
  await server.start();
  return server;
}

/** @param ids of the user that the server runs as, who could not enter a temporary folder of root */
function folderFor(durable, ids) {
  const onDisk = ids && existsSync('/tmp') ? '/tmp' : tmpdir();
  return durable ? onDisk : (memoryFolder() ?? onDisk);
}

function postgresPlan(bin, durable) {
  const ids = unprivilegedIds();
  const settings = {
    listen_addresses: '127.0.0.1',
    max_connections: 200,
    timezone: 'UTC',
    log_timezone: 'UTC',
    ...(durable ? {} : { fsync: 'off', full_page_writes: 'off' }),
  };
  return {
    ids,
    folder: folderFor(durable, ids),
    env: ENV,
    stopSignal: 'SIGINT',
    // SIGKILL would leave its shared memory behind.
    deathSignal: 'SIGQUIT',
    ready: /ready to accept connections/,
    // The port may still be in use, or workers of a killed server may still hold its memory.
    retry: /pre-existing shared memory|lock file|Address already in use/,
    url: (port) => `postgres://postgres@127.0.0.1:${port}/postgres`,
    command: (home, port) => [
      join(bin, 'postgres'),
      ...['-D', join(home, 'data'), '-p', String(port), '-k', home],
      ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ],
    prepare(home) {
      const base = ['-D', join(home, 'data'), '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync'];
      // C.UTF-8 does not exist everywhere (macOS).
      const tries = ['C.UTF-8', 'C'].map((locale) => [...base, `--locale=${locale}`, '--no-instructions']);
      let last;
      for (const args of tries) {
        last = spawnSync(join(bin, 'initdb'), args, { ...ids, cwd: home, env: ENV, encoding: 'utf8' });
        if (last.status === 0) return;
      }
      throw new Error(`initdb failed: ${last.error?.message ?? last.stderr.trim()}`);
    },
  };
}

function redisPlan(program, durable) {
  return {
    ids: undefined,
    folder: folderFor(durable),
    env: ENV,
    stopSignal: 'SIGTERM',
    deathSignal: 'SIGKILL',
    ready: /Ready to accept connections/,
    retry: /Address already in use/,
    url: (port) => `redis://127.0.0.1:${port}`,
    command: (home, port) => [
      program,
      ...['--port', String(port), '--bind', '127.0.0.1', '--dir', home],
      ...['--save', '', '--appendonly', durable ? 'yes' : 'no'],
    ],
    prepare() {},
  };
}

/**
 * `node scripts/servers.mjs postgres|redis [--durable]` runs one server for the caller until stdin closes.
 * Commands are lines on stdin: `start`, `stop`, `kill [SIGNAL]`. Each is answered on stdout by one line of JSON,
 * as is the start: `{"url","port","pid"}` (pid null: not running), `{"error"}`, or `{"skipped"}` and exit code 0.
 */
async function main([kind, ...flags]) {
  if (kind !== 'postgres' && kind !== 'redis') {
    process.stderr.write('usage: node scripts/servers.mjs postgres|redis [--durable]\n');
    process.exit(2);
  }
  const answer = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);
  const server = await startPrivateServer(kind, { durable: flags.includes('--durable') });
  if (server.skipped) return void answer({ skipped: server.skipped });
  const end = () => server.close().finally(() => process.exit());
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, end);
  // A caller that is gone closes both ends: an answer that nobody reads is not an error here.
  process.stdout.on('error', end);

  const state = () => ({ url: server.url, port: server.port, pid: server.pid ?? null });
  answer(state());
  for await (const line of createInterface({ input: process.stdin })) {
    const [command, signal] = line.trim().split(/\s+/);
    try {
      if (command === 'start') await server.start();
      else if (command === 'stop') await server.stop();
      else if (command === 'kill') await server.kill(signal);
      else throw new Error(`unknown command ${command}`);
      answer(state());
    } catch (error) {
      answer({ error: error.message });
    }
  }
  await end();
}

if (isProgram(import.meta.url)) await main(process.argv.slice(2));
