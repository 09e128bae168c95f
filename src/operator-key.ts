import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ownAttempt } from './access-log/access-entry';
import { isWellFormedKey, newKey } from './api-key/key-format';
import { type KeyStore, stateOf } from './api-key/key-store';
import { rowOf } from './api-key/manage-keys';

export const OPERATOR_KEY_FILE = 'operator.key';

/**
 * Makes sure that the operator key of the data folder opens this service: the first start writes the file
 * (mode 0600), and a start on another database makes the key of the file known there.
 * @param warn told of a key in the file that opens nothing any more @returns the file's path
 */
export async function ensureOperatorKey(
  dataDir: string,
  keys: Pick<KeyStore, 'insert' | 'findByHash'>,
  warn: (text: string) => void,
): Promise<string> {
  const file = path.join(dataDir, OPERATOR_KEY_FILE);
  await mkdir(dataDir, { recursive: true });
  const key = await readOrCreate(file);
  const row = rowOf(key, 'operator', {
    name: OPERATOR_KEY_FILE,
    scopes: [],
    tenantIds: [],
    rateLimitPerMinute: null,
    allowedAddresses: [],
    expiresAt: null,
    replaces: null,
  });
  const now = new Date();
  await keys.insert(row, ownAttempt('operatorKeyFile', now));
  const stored = await keys.findByHash(row.keyHash);
  const state = stored ? stateOf(stored, now) : 'valid';
  if (state !== 'valid')
    warn(
      `the key in ${file} is ${state}; put a valid one there, or remove the file and start again for a new one`,
    );
  return file;
}

async function readOrCreate(file: string): Promise<string> {
  const draft = `${file}.${randomUUID()}`;
  try {
    await writeFile(draft, `${newKey('operator')}\n`, { mode: 0o600, flag: 'wx' });
    // Instances on one folder may start at once: the first to link wins, and no other reads half a file.
    await link(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(draft, { force: true });
  }
  const key = (await readFile(file, 'utf8')).trim();
  if (!isWellFormedKey(key))
    throw new Error(`${file} does not hold an operator key; remove it to get a new one`);
  return key;
}
