import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { loadSecretBox, SealedByOtherKey } from '../../src/delivery/secret-box';

const OWNER = 'destination 1/a';

describe('sealed secrets', () => {
  let folder: string;
  const file = () => path.join(folder, 'secrets.key');
  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'audit-activity-secrets-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('open with the key of the data folder, which is made once and is readable by its owner only', async () => {
    const sealed = (await loadSecretBox(folder, null)).seal('{"token":"t"}', OWNER);
    expect(sealed.toString('latin1')).not.toContain('token');
    expect((await loadSecretBox(folder, null)).open(sealed, OWNER)).toBe('{"token":"t"}');
    expect((await stat(file())).mode & 0o777).toBe(0o600);
  });

  it('do not open for another destination, after a change, or with another key', async () => {
    const box = await loadSecretBox(folder, null);
    const sealed = box.seal('secret', OWNER);
    expect(() => box.open(sealed, 'destination 2/a')).toThrow();
    for (const at of [sealed.length - 1, 20, 6]) {
      const changed = Buffer.from(sealed);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(() => box.open(changed, OWNER)).toThrow();
    }
    await writeFile(file(), `${randomBytes(32).toString('base64')}\n`);
    const other = await loadSecretBox(folder, null);
    expect(() => other.open(sealed, OWNER)).toThrow(SealedByOtherKey);
  });

  it('are sealed with the first key of the file, and opened with any key of it', async () => {
    const sealed = (await loadSecretBox(folder, null)).seal('secret', OWNER);
    await writeFile(
      file(),
      `# new\n${randomBytes(32).toString('base64')}\n# old\n${await readFile(file(), 'utf8')}`,
    );
    const box = await loadSecretBox(folder, null);
    expect(box.open(sealed, OWNER)).toBe('secret');
    expect([box.isOld(sealed), box.opens(sealed)]).toEqual([true, true]);
    await writeFile(file(), `${randomBytes(32).toString('base64')}\n`);
    expect((await loadSecretBox(folder, null)).opens(sealed)).toBe(false);
    expect(box.isOld(box.seal('secret', OWNER))).toBe(false);
  });

  it('need a valid key file: a missing shared file is an error', async () => {
    await expect(loadSecretBox(folder, path.join(folder, 'none'))).rejects.toThrow('ENOENT');
    await writeFile(file(), 'short\n');
    await expect(loadSecretBox(folder, null)).rejects.toThrow('does not hold keys for secrets');
    await expect(loadSecretBox(folder, '/no/such/file')).rejects.toThrow(
      '/no/such/file does not hold keys for secrets (32 bytes in base64, one a line): ENOENT',
    );
  });
});
