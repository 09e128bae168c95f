import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { type OpenServer, openServer, type ServerKind } from '../../scripts/lib/server-client.cjs';

const CLIENT = path.resolve(__dirname, '../../scripts/lib/server-client.cjs');

/** Does nothing if this machine has no such server. The test runner reports this at its end. */
async function withServer(kind: ServerKind, work: (server: OpenServer) => Promise<void>): Promise<void> {
  const server = await openServer(kind);
  if ('skipped' in server) return;
  try {
    await work(server);
  } finally {
    await server.close();
  }
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('a private server', () => {
  it('keeps its port and its committed data when it is killed and started again (PostgreSQL)', async () => {
    await withServer('postgres', async (server) => {
      await query(server.url, 'CREATE TABLE kept AS SELECT 1 AS one');
      await server.kill('SIGKILL');
      expect(server.pid).toBeNull();
      await expect(query(server.url, 'SELECT 1')).rejects.toThrow('ECONNREFUSED');
      await server.start();
      expect(await query(server.url, 'TABLE kept')).toEqual([{ one: 1 }]);
      expect(await query(server.url, 'SHOW timezone')).toEqual([{ TimeZone: 'UTC' }]);
    });
  });

  it('can be stopped and started again (Redis)', async () => {
    await withServer('redis', async (server) => {
      const before = server.pid;
      await server.stop();
      expect(server.pid).toBeNull();
      await server.start();
      expect(server.pid).not.toBe(before);
      await expect(server.start()).rejects.toThrow('running already');
    });
  });

  it('has ended when it was closed', async () => {
    await withServer('redis', async (server) => {
      const { pid } = server;
      await server.close();
      expect(isAlive(pid ?? 0)).toBe(false);
    });
  });

  // A test run that is killed must not leave servers behind, which would fill the machine.
  it.each<ServerKind>(['postgres', 'redis'])('ends when its caller is killed (%s)', async (kind) => {
    const program = `require(${JSON.stringify(CLIENT)}).openServer('${kind}').then((s) => console.log(s.pid ?? 0));`;
    const caller = spawn(process.execPath, ['--eval', program], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = await once(createInterface({ input: caller.stdout }), 'line');
    const pid = Number(line);
    caller.kill('SIGKILL');
    while (pid !== 0 && isAlive(pid)) await sleep(50);
  });
});
