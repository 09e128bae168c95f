import { execFileSync } from 'node:child_process';
import { chmod, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { checkBackup, type Manifest, sha256 } from '../../src/cli/backup/manifest';
import { packed } from '../../src/cli/backup/tar';
import { signedNote } from '../../src/modules/evidence/checkpoint';
import { KEY } from '../evidence/parts/log-copies';
import { runCli } from '../support/cli';
import { temporaryFolder } from '../support/engines';

const noteOf = (tenantId: number, size: number) =>
  signedNote({ tenantId, size, root: Buffer.alloc(32), number: 1, time: '2026-01-06T00:00:00.000Z' }, KEY);
const KEYS = ['checkpoint.key', 'secrets.key', 'operator.key'] as const;
const FILES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(KEYS.map((name) => [name, `of ${name}`])),
  'checkpoints/tenant-7': noteOf(7, 20),
  'checkpoints/tenant-7.epoch': 'e1',
  'audit.dump': 'rows',
};

describe('the check of a backup', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await temporaryFolder();
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));
  const put = async (name: string, text: string) => {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), text, { mode: 0o600 });
  };
  /** A backup that is whole, with these changes to its files and its list. @param files null: without that file */
  async function backup(files: Readonly<Record<string, string | null>> = {}, change: Partial<Manifest> = {}) {
    const all = Object.entries({ ...FILES, ...files }).flatMap(([name, text]) =>
      text === null ? [] : [{ name, text }],
    );
    for (const { name, text } of all) await put(name, text);
    const manifest: Manifest = {
      version: '1.2.3',
      madeAt: '2026-01-06T01:00:00.000Z',
      database: 'postgresql',
      migration: 'm',
      epoch: 'e1',
      logs: [{ tenantId: 7, entries: 20 }],
      dump: 'audit.dump',
      files: all.map(({ name, text }) => ({ name, bytes: text.length, sha256: sha256(Buffer.from(text)) })),
      ...change,
    };
    await put('manifest.json', JSON.stringify(manifest));
    return manifest;
  }
  const check = async () => {
    const { problems, notes } = await checkBackup(folder);
    return { problems, notes };
  };
  const WHOLE = { problems: [], notes: [] };

  it('finds one whole that has all of its files as they were, and says of what it is', async () => {
    const manifest = await backup();
    expect(await checkBackup(folder)).toEqual({ manifest, ...WHOLE });
    const { lines, error } = await runCli(['restore', '--check', folder]);
    expect([error, lines.join('\n').split('\n')]).toEqual([
      null,
      [
        'a backup of 2026-01-06T01:00:00.000Z by version 1.2.3: postgresql, epoch e1',
        'tenant 7: 20 entries in its log',
      ],
    ]);
  });

  it('names each file that is missing or changed, also in a folder within', async () => {
    await backup();
    await rm(path.join(folder, 'checkpoints/tenant-7.epoch'));
    await put('audit.dump', 'rowz');
    expect((await check()).problems).toEqual([
      'checkpoints/tenant-7.epoch is missing',
      'audit.dump is not as it was backed up',
    ]);
    const { lines, error } = await runCli(['restore', '--check', folder]);
    expect(lines).toHaveLength(1);
    expect(error?.split('\n')).toEqual(expect.arrayContaining([expect.stringContaining('is not whole')]));
  });

  it.each([
    ['checkpoint.key', 'the evidence logs cannot go on', 'problems'],
    ['secrets.key', 'destinations need new secrets', 'problems'],
    ['operator.key', 'bring an operator key', 'notes'],
  ] as const)('says what follows where %s is not in it', async (name, text, kind) => {
    await backup({ [name]: null });
    expect(await check()).toEqual({ ...WHOLE, [kind]: [expect.stringContaining(text)] });
  });

  it.each([
    ...KEYS.flatMap((name) => [0o640, 0o604, 0o620].map((mode) => [name, mode] as const)),
    ['audit.dump', 0o644] as const,
  ])('names %s where others have rights on it (mode %i)', async (name, mode) => {
    await backup();
    await chmod(path.join(folder, name), mode);
    await chmod(path.join(folder, 'checkpoints/tenant-7'), 0o644);
    expect(await check()).toEqual({ ...WHOLE, problems: [`others may read ${name}: chmod 600`] });
  });

  it.each([
    ['as long as the log', noteOf(7, 20), []],
    ['shorter', noteOf(7, 3), []],
    ['longer', noteOf(7, 21), ['checkpoints/tenant-7 is newer than the dump: it has 21 entries']],
    ['of another tenant', noteOf(8, 1), ['checkpoints/tenant-7 is newer than the dump: it has 1 entries']],
    ['no checkpoint', 'x', ['checkpoints/tenant-7 is no checkpoint']],
  ])('compares checkpoints with the logs of the dump: one that is %s', async (_, note, problems) => {
    await backup({ 'checkpoints/tenant-7': note });
    expect(await check()).toEqual({ ...WHOLE, problems });
  });

  it('says that the dump is missing, or that nothing tells whether it is whole', async () => {
    await backup({ 'audit.dump': null, 'checkpoints/tenant-7': noteOf(7, 99) }, { dump: null });
    // A dump that comes later is newer than every checkpoint of the backup.
    expect(await check()).toEqual({ ...WHOLE, problems: [expect.stringContaining('the dump is missing')] });
    await put('audit.dump', 'of later');
    expect(await check()).toEqual({ ...WHOLE, notes: [expect.stringContaining('was put there later')] });
  });

  it('names the first five of the files that are not of the backup', async () => {
    await backup();
    for (const n of [6, 5, 4, 3, 2, 1]) await put(`other/${n}`, 'x');
    const { problems, notes } = await check();
    expect([problems, notes]).toEqual([
      [],
      ['6 files are not of the backup: other/1, other/2, other/3, other/4, other/5'],
    ]);
  });

  it.each([
    ['no JSON', '{'],
    ['null', 'null'],
    ['without files', '{"logs":[]}'],
    ['without logs', '{"files":[]}'],
  ])('refuses a list that is %s', async (_, text) => {
    await backup();
    await put('manifest.json', text);
    expect(await checkBackup(folder)).toEqual({
      manifest: null,
      problems: ['manifest.json cannot be read'],
      notes: [],
    });
  });

  it('is of a folder with a list', async () => {
    await backup();
    await rm(path.join(folder, 'manifest.json'));
    const { manifest, problems } = await checkBackup(folder);
    expect([manifest, problems]).toEqual([null, [expect.stringContaining(`is missing in ${folder}`)]]);
  });
});

it('an archive unpacks to the files that were packed, which their owner alone may read', async () => {
  const folder = await temporaryFolder();
  const files = [0, 1, 511, 512, 513, 70_000].map((bytes) => ({
    name: `in/of-${bytes}`,
    content: Buffer.alloc(bytes, 'abc'),
  }));
  try {
    await writeFile(path.join(folder, 'a.tar'), packed(files));
    execFileSync('tar', ['-xf', 'a.tar'], { cwd: folder });
    for (const { name, content } of files) {
      expect((await readFile(path.join(folder, name))).equals(content)).toBe(true);
      expect((await stat(path.join(folder, name))).mode & 0o777).toBe(0o600);
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});
