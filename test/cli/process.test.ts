import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { newKey } from '../../src/caller/key-format';
import { lockDataDir } from '../../src/database/data-dir-lock';
import { compiledService } from '../support/child-service';
import { runCli } from '../support/cli';
import { createEmptyDatabase, createTestDatabase, ENGINES, temporaryFolder } from '../support/engines';

// Each start of a process or of a new database takes seconds on a busy machine.
jest.setTimeout(180_000);

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command line in a process of its own, because exit code and streams are part of its contract. */
async function cli(args: string[], env: Record<string, string> = {}): Promise<Ended> {
  const main = path.join(await compiledService(), 'src/cli/main.js');
  return new Promise((resolve) => {
    const options = { env: { PATH: process.env.PATH ?? '', ...env } };
    execFile(process.execPath, [main, ...args], options, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr });
    });
  });
}

describe('the process of the command line', () => {
  it('ends with 1 and one line on stderr when no service answers', async () => {
    const { code, stdout, stderr } = await cli([
      ...['tenant', 'list', '--service', 'http://127.0.0.1:1', '--operator-key', newKey('operator')],
    ]);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^No service answers at .*\n$/);
  });

  it('ends with a code other than 0 and an error when it does not understand its arguments', async () => {
    for (const args of [
      ['tenant', 'create'],
      ['tenants'],
      ['key', 'create', '--name', 'x', '--rate-limit', '-1'],
    ]) {
      const { code, stdout, stderr } = await cli(args);
      expect(code).not.toBe(0);
      expect(stdout).toBe('');
      expect(stderr).toMatch(/error: /);
    }
  });

  it('lists its commands under --help', async () => {
    const { code, stdout } = await cli(['--help']);
    expect(code).toBe(0);
    for (const command of ['migrate', 'tenant', 'key', 'agent-key'])
      expect(stdout).toMatch(new RegExp(`^ +${command}\\b`, 'm'));
  });
});

describe('the output of the command line', () => {
  const tenants = Array.from({ length: 20_000 }, (_, i) => ({ tenantId: String(i), name: `tenant ${i}` }));
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.end(JSON.stringify({ data: { tenants } })));
  });
  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });

  it.each([
    ['| head -n 1', 0, ''],
    ['>/dev/full', 1, 'The output cannot be written: ENOSPC: no space left on device, write\n'],
  ])('%s ends it with %i, and with no more than one line on stderr', async (rest, code, stderr) => {
    const main = path.join(await compiledService(), 'src/cli/main.js');
    if (!server.listening) await once(server.listen(0, '127.0.0.1'), 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const command = `"${process.execPath}" "${main}" tenant list --service ${url} --operator-key k ${rest}`;
    const ended = await new Promise<Ended>((resolve) =>
      execFile('bash', ['-o', 'pipefail', '-c', command], (error, stdout, said) =>
        resolve({ code: error ? Number(error.code) : 0, stdout, stderr: said }),
      ),
    );
    expect([ended.code, ended.stderr]).toEqual([code, stderr]);
  });
});

describe.each(ENGINES)('migrate on %s', (engine) => {
  it('applies the missing migrations once, in the database that the environment names', async () => {
    const place = await createEmptyDatabase(engine);
    const env = { DATA_DIR: place.dataDir, DATABASE_URL: place.databaseUrl ?? '' };
    const first = await cli(['migrate', '--json'], env);
    expect([first.code, first.stderr]).toEqual([0, '']);
    expect(JSON.parse(first.stdout).applied[0]).toBe('0001_audit_activity');
    expect(JSON.parse((await cli(['migrate', '--json'], env)).stdout)).toEqual({ applied: [] });
    expect((await cli(['migrate'], env)).stdout).toBe('nothing to apply\n');
    await place.drop();
  });
});

describe('migrate', () => {
  it('says which migrations it applied', async () => {
    expect(await runCli(['migrate'], {}, async () => ['0001_a', '0002_b'])).toEqual({
      lines: ['applied: 0001_a, 0002_b'],
      error: null,
    });
  });

  it('reports all mistakes in the environment at once, and ends with 1', async () => {
    const { code, stderr } = await cli(['migrate'], { DATABASE_URL: 'mysql://db', PORT: 'x' });
    expect(code).toBe(1);
    for (const name of ['DATABASE_URL: must be', 'PORT: must be']) expect(stderr).toContain(name);
    expect(stderr).not.toMatch(/\bat .*\.js:/);
  });

  it('says in a few words that the database cannot be reached, or is in use', async () => {
    const folder = await temporaryFolder();
    const lost = await cli(['migrate'], {
      DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
      DATA_DIR: folder,
    });
    expect(lost.code).toBe(1);
    expect(lost.stderr).toMatch(/127\.0\.0\.1:1|reach|ECONNREFUSED/);
    expect(lost.stderr).not.toMatch(/\n {4}at /);
    await rm(folder, { recursive: true });

    const place = await createTestDatabase('embedded');
    const release = await lockDataDir(place.dataDir);
    const used = await cli(['migrate'], { DATA_DIR: place.dataDir });
    expect([used.code, used.stderr]).toEqual([
      1,
      expect.stringContaining(`in use by process ${process.pid}`),
    ]);
    await release();
    await place.drop();
  });
});
