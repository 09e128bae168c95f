import { execFile } from 'node:child_process';
import { chmod, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { makeBackup, packBackup } from '../../src/cli/backup/make-backup';
import type { Config } from '../../src/config';
import { runCli } from '../support/cli';
import { createTestDatabase, ENGINES, type TestDatabase, temporaryFolder } from '../support/engines';
import { anEvent } from '../support/events';
import { until } from '../support/until';
import { World } from '../support/world';
import { epochOf } from './support/backup';

const run = promisify(execFile);
jest.setTimeout(240_000);

describe.each(ENGINES)('a backup of a service on %s', (engine) => {
  let database: TestDatabase;
  let epoch: string;
  let out: string;
  const where = (PATH = process.env.PATH) => ({
    config: {
      checkpointKeyFile: null,
      secretsKeyFile: null,
      migrationDatabaseUrl: null,
      ...database,
    } as Config & TestDatabase,
    version: '1.2.3',
    ownerUrl: database.databaseUrl,
    env: { ...process.env, PATH },
  });
  const backup = (PATH?: string) =>
    runCli(['backup', '--out', out, '--json'], {}, undefined, undefined, undefined, undefined, {
      backup: (folder) => (folder === null ? packBackup(where(PATH)) : makeBackup(where(PATH), folder)),
    });
  const check = async (folder = out) => {
    const { lines, error } = await runCli(['restore', '--check', folder, '--json']);
    return { ...JSON.parse(lines[0] ?? '{}'), error };
  };

  beforeAll(async () => {
    database = await createTestDatabase(engine);
    const world = await World.on(database);
    const acme = await world.tenant();
    await acme.ingest([anEvent(), anEvent()]);
    await until(
      async () => (await world.operate('{ auditLogs { checkpoint } }')).auditLogs,
      ([log]) => log?.checkpoint != null,
    );
    ({ epoch } = await epochOf(world));
    await world.service.close();
  });
  afterAll(() => database.drop());
  beforeEach(async () => {
    out = path.join(await temporaryFolder(), 'backup');
  });
  afterEach(() => rm(path.dirname(out), { recursive: true, force: true }));

  it('holds keys, checkpoints and the database, readable by their owner alone, and is found whole', async () => {
    const { lines, error } = await backup();
    expect(error).toBeNull();
    const manifest = JSON.parse(lines[0] ?? '');
    const dump = engine === 'embedded' ? 'database' : 'audit.dump';
    expect(manifest).toMatchObject({ version: '1.2.3', epoch, dump, logs: [{ entries: 2 }], notes: [] });
    const names = manifest.files.map(({ name }: { name: string }) => name);
    expect(names).toEqual(
      expect.arrayContaining([
        ...[
          'checkpoint.key',
          'secrets.key',
          'operator.key',
          'checkpoints/tenant-1',
          'checkpoints/tenant-1.epoch',
        ],
        engine === 'embedded' ? 'database/PG_VERSION' : 'audit.dump',
      ]),
    );
    for (const [name, mode] of [
      ['', 0o700],
      ['checkpoint.key', 0o600],
      ['secrets.key', 0o600],
      ['manifest.json', 0o600],
    ] as const)
      expect([name, (await stat(path.join(out, name))).mode & 0o777]).toEqual([name, mode]);
    expect(await readFile(path.join(out, 'checkpoint.key'), 'utf8')).toBe(
      await readFile(path.join(database.dataDir, 'checkpoint.key'), 'utf8'),
    );
    expect(await check()).toMatchObject({ whole: true, problems: [], notes: [], error: null });
    const { mtimeMs } = await stat(path.join(database.dataDir, 'last-backup'));
    expect(Math.abs(mtimeMs - Date.now())).toBeLessThan(120_000);
    expect((await backup()).error).toContain('is not empty');
  });

  it('is found wanting: each missing, changed or readable file is named', async () => {
    await backup();
    await rm(path.join(out, 'secrets.key'));
    await writeFile(path.join(out, 'operator.key'), 'another');
    await chmod(path.join(out, 'checkpoint.key'), 0o644);
    const { whole, problems, error } = await check();
    expect(whole).toBe(false);
    expect(problems).toEqual([
      'operator.key is not as it was backed up',
      'secrets.key is missing',
      'others may read checkpoint.key: chmod 600',
    ]);
    expect(error).toContain('not_whole');
    await rm(path.join(out, 'manifest.json'));
    expect((await check()).problems).toEqual([expect.stringContaining('manifest.json is missing')]);
    expect((await check('/nowhere')).problems).toHaveLength(1);
  });

  it('can leave a container as an archive, and tells that the dump is missing until it is there', async () => {
    const { archive, notes } = await packBackup(where());
    expect(notes.join()).toContain('pg_dump --format=custom');
    await mkdir(out);
    await writeFile(`${out}.tar`, archive);
    await run('tar', ['-xf', `${out}.tar`, '-C', out]);
    expect((await check()).problems).toEqual([expect.stringContaining('the dump is missing')]);
    await writeFile(path.join(out, 'audit.dump'), 'dumped elsewhere', { mode: 0o600 });
    expect(await check()).toMatchObject({ whole: true, notes: [expect.stringContaining('put there later')] });
    expect((await stat(path.join(out, 'operator.key'))).mode & 0o777).toBe(0o600);
  });

  it('has the keys of the files that the settings name, and the lists of erasures', async () => {
    const own = await temporaryFolder();
    const given = where();
    const [checkpointKeyFile, secretsKeyFile] = ['c.pem', 's.key'].map((name) => path.join(own, name));
    const erasures = path.join(database.dataDir, 'erasures');
    const isNew = (await mkdir(erasures, { recursive: true })) !== undefined;
    try {
      await writeFile(checkpointKeyFile ?? '', 'the checkpoint key');
      await writeFile(path.join(erasures, 'tenant-9'), 'erased');
      const config = { ...given.config, checkpointKeyFile, secretsKeyFile } as typeof given.config;
      const { archive, notes, manifest } = await packBackup({ ...given, config });
      expect(notes).toContain(`${secretsKeyFile} is missing, and so it is not in the backup.`);
      await mkdir(out);
      await writeFile(`${out}.tar`, archive);
      await run('tar', ['-xf', `${out}.tar`, '-C', out]);
      expect(await readFile(path.join(out, 'checkpoint.key'), 'utf8')).toBe('the checkpoint key');
      expect(await readFile(path.join(out, 'erasures/tenant-9'), 'utf8')).toBe('erased');
      expect(manifest.files.map(({ name }) => name)).not.toContain('secrets.key');
      // What is there and cannot be read is not passed over.
      await mkdir(secretsKeyFile ?? '');
      await expect(packBackup({ ...given, config })).rejects.toThrow('EISDIR');
    } finally {
      await rm(isNew ? erasures : path.join(erasures, 'tenant-9'), { recursive: true });
      await rm(own, { recursive: true });
    }
  });

  if (engine !== 'embedded') {
    it('says which dump to make where there is no pg_dump, and is not finished if it fails', async () => {
      const mark = path.join(database.dataDir, 'last-backup');
      await rm(mark, { force: true });
      const { lines, error } = await backup('/nowhere');
      await expect(stat(mark)).rejects.toThrow('ENOENT');
      expect([error, JSON.parse(lines[0] ?? '').notes]).toEqual([
        null,
        [expect.stringContaining(`--file=${out}/audit.dump`)],
      ]);
      await rm(out, { recursive: true });
      const programs = path.join(path.dirname(out), 'programs');
      await mkdir(programs);
      await writeFile(path.join(programs, 'pg_dump'), '#!/bin/sh\necho "$@ $PGPASSWORD" >&2; exit 3\n', {
        mode: 0o755,
      });
      const failed = await backup(`${programs}:${process.env.PATH}`);
      expect(failed.error).toContain('pg_dump ended with 3');
      const { password } = new URL(database.databaseUrl ?? '');
      if (password !== '') expect(failed.error?.split(password)).toHaveLength(2);
      expect((await check()).problems).toEqual([expect.stringContaining('manifest.json is missing')]);
    });
  }

  it('is refused where no service has its keys', async () => {
    const empty = await temporaryFolder();
    const nowhere = { ...where(), config: { ...where().config, dataDir: empty } };
    await expect(packBackup(nowhere)).rejects.toThrow('There is no checkpoint key');
    await rm(empty, { recursive: true });
  });
});
