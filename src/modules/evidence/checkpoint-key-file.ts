import { randomUUID } from 'node:crypto';
import { access, link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { CheckpointKey, newCheckpointKeyPem } from '../../store/log/evidence/note-key';

export const CHECKPOINT_KEY_FILE = 'checkpoint.key';

/**
 * Loads the keys of a file that several instances share, which must exist, or of the data folder, where the first start
 * makes one (mode 0600). The first key of the file signs; the next ones are earlier keys, which check what they sealed.
 * With a shared file, the keys that this data folder had before it are earlier keys too.
 * @throws Error that names the file
 */
export async function loadCheckpointKeys(
  dataDir: string,
  sharedFile: string | null,
): Promise<readonly [CheckpointKey, ...CheckpointKey[]]> {
  const ownFile = path.join(dataDir, CHECKPOINT_KEY_FILE);
  if (sharedFile === null) await createUnlessThere(ownFile);
  const [first, ...others] = await keysIn(sharedFile ?? ownFile);
  const isThere = await access(ownFile).then(
    () => true,
    () => false,
  );
  const before = isThere ? await keysIn(ownFile) : [];
  const earlier = new Map([...others, ...before].map((key) => [key.keyId, key]));
  earlier.delete(first.keyId);
  return [first, ...earlier.values()];
}

async function keysIn(file: string): Promise<readonly [CheckpointKey, ...CheckpointKey[]]> {
  try {
    return CheckpointKey.allOf(await readFile(file, 'utf8'));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`${file} does not hold a checkpoint key (Ed25519, PKCS #8, PEM): ${reason}`);
  }
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
