import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const REPOSITORY = path.resolve(__dirname, '../..');
const SETUP = pathToFileURL(path.join(REPOSITORY, 'scripts/setup.mjs')).href;

/** A process id that no process can have, since Linux ends at 2^22. */
const DEAD_PID = 2 ** 22 + 1;

let root: string;

/** Makes the smallest project that the set-up accepts: packages installed, no Prisma schema, one source. */
beforeEach(async () => {
  root = await mkdtemp(path.join(os.tmpdir(), 'audit-activity-setup-'));
  const lock = JSON.stringify({ lockfileVersion: 3, packages: { '': {} } });
  await write('package-lock.json', lock);
  await write('node_modules/.package-lock.json', lock);
  await cp(path.join(REPOSITORY, 'scripts'), path.join(root, 'scripts'), { recursive: true });
  await write('src/main.ts', 'export const one: number = 1;\n');
});

afterEach(() => rm(root, { recursive: true, force: true }));

async function write(file: string, text: string): Promise<void> {
  await mkdir(path.dirname(path.join(root, file)), { recursive: true });
  await writeFile(path.join(root, file), text);
}

interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function setup(options: { readonly quiet?: boolean } = {}): Promise<Outcome> {
  const program = `import { setup } from ${JSON.stringify(SETUP)}; await setup(${JSON.stringify({ root, ...options })});`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program]);
  const text = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].on('data', (chunk: Buffer) => {
      text[name] += chunk.toString();
    });
  }
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, ...text })));
}

const UP_TO_DATE: Outcome = { code: 0, stdout: '', stderr: '' };

describe('set-up', () => {
  it('links the commands, compiles once, and does nothing while everything is up to date', async () => {
    const first = await setup();
    expect(first).toEqual({ code: 0, stdout: '', stderr: 'set-up: linking commands\nset-up: compiling\n' });
    expect(existsSync(path.join(root, 'node_modules/.bin/audit-activity'))).toBe(true);
    expect(await setup()).toEqual(UP_TO_DATE);
  });

  it('compiles a changed source again, and removes the output of a removed one', async () => {
    await write('src/old.ts', 'export {};\n');
    await setup();
    await rm(path.join(root, 'src/old.ts'));
    await write('src/new.ts', 'export {};\n');

    expect(await setup({ quiet: true })).toEqual(UP_TO_DATE);
    expect((await readdir(path.join(root, 'dist/src'))).sort()).toEqual([
      'main.js',
      'main.js.map',
      'new.js',
      'new.js.map',
    ]);
  });

  it('notices a removed output', async () => {
    await setup();
    await rm(path.join(root, 'dist/src/main.js'));
    expect((await setup()).stderr).toBe('set-up: compiling\n');
    expect(existsSync(path.join(root, 'dist/src/main.js'))).toBe(true);
  });

  it('fails with what to do while a source does not compile, each time it runs', async () => {
    await write('src/main.ts', 'export const one: number = ;\n');
    for (const _ of [1, 2]) {
      const { code, stdout, stderr } = await setup({ quiet: true });
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(
        /src\/main\.ts.*Expression expected(.*\n)*set-up failed: the TypeScript sources do not compile: .*\n$/,
      );
    }
    await write('src/main.ts', 'export const one: number = 1;\n');
    expect(await setup({ quiet: true })).toEqual(UP_TO_DATE);
  });

  it('does not check types, which npm run check does', async () => {
    await write('src/main.ts', "export const one: number = 'one';\n");
    expect(await setup({ quiet: true })).toEqual(UP_TO_DATE);
  });

  it('runs once if two processes start it at the same time', async () => {
    const outcomes = await Promise.all([setup(), setup()]);
    expect(outcomes.map(({ code }) => code)).toEqual([0, 0]);
    expect(outcomes.filter(({ stderr }) => stderr.includes('compiling'))).toHaveLength(1);
  });

  it('takes over the lock of a process that died', async () => {
    await write('.setup/lock', JSON.stringify({ pid: DEAD_PID, host: os.hostname() }));
    expect(await setup({ quiet: true })).toEqual(UP_TO_DATE);
    expect(existsSync(path.join(root, '.setup/lock'))).toBe(false);
  });

  it('takes over a lock that is no longer renewed, even if its process id exists', async () => {
    await write('.setup/lock', JSON.stringify({ pid: process.pid, host: os.hostname() }));
    const longAgo = new Date(Date.now() - 60_000);
    await utimes(path.join(root, '.setup/lock'), longAgo, longAgo);
    expect(await setup({ quiet: true })).toEqual(UP_TO_DATE);
  });
});
