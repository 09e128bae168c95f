import { randomUUID } from 'node:crypto';
import { access, link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { CheckpointKey, newCheckpointKeyPem } from '../../trail/evidence/note-key';

export const CHECKPOINT_KEY_FILE = 'checkpoint.key';

/**
 * Loads the key of the data folder, which the first start makes (mode 0600); or the key of a file that several
 * instances share, which must exist.
 * @throws Error that names the file
 */
export async function loadCheckpointKey(dataDir: string, sharedFile: string | null): Promise<CheckpointKey> {
  const file = sharedFile ?? path.join(dataDir, CHECKPOINT_KEY_FILE);
  if (sharedFile === null) await createUnlessThere(file);
  try {
    return CheckpointKey.ofPem(await readFile(file, 'utf8'));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`${file} does not hold a checkpoint key (Ed25519, PKCS #8, PEM): ${reason}`);
  }
}

/**
 * With a shared key: loads the key that this data folder made before it was given the shared one. Events that were
 * accepted under the old key are checked with it.
 * @throws Error that names the file
 */
export async function loadFormerOwnKey(dataDir: string, sharedKey: CheckpointKey): Promise<CheckpointKey[]> {
  const file = path.join(dataDir, CHECKPOINT_KEY_FILE);
  const isThere = await access(file).then(
    () => true,
    () => false,
  );
  const key = isThere ? await loadCheckpointKey(dataDir, file) : sharedKey;
  return key.keyId === sharedKey.keyId ? [] : [key];
}

async function createUnlessThere(file: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  const draft = `${file}.${randomUUID()}`;
  try {
    await writeFile(draft, newCheckpointKeyPem(), { mode: 0o600, flag: 'wx' });
    // Several instances may start on one folder. The first to link wins, and no other reads a half-written file.
    await link(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(draft, { force: true });
  }
}
