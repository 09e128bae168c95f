import { randomUUID } from 'node:crypto';
import { access, link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ownAttempt } from '../../caller/access-log';
import { keyStateOf } from '../../caller/authenticate';
import { isWellFormedKey, newKey } from '../../caller/key-format';
import { type KeyStore } from '../../caller/key-store';
import { operatorRow } from './manage-keys';

export const OPERATOR_KEY_FILE = 'operator.key';

/** Gets messages about the operator key for the person who runs the instance. */
interface Told {
  info(text: string): void;
  warn(text: string): void;
}

/**
 * Replaces a lost operator key. It needs the login that owns the tables, so starting an instance somewhere is not
 * enough.
 */
const RECOVER_COMMAND = 'audit-activity operator-key recover';

/**
 * Makes sure of the operator key of the data folder. If the database has no operator key, the file (mode 0600) is made
 * if necessary, and its key is registered. If the database has one, nobody becomes an operator by starting an instance
 * with another folder.
 * @returns the file's path; null if there is no file and none is needed
 */
export async function ensureOperatorKey(
  dataDir: string,
  keys: Pick<KeyStore, 'insertFirstOperator' | 'findByHash' | 'list'>,
  told: Told,
): Promise<string | null> {
  const file = path.join(dataDir, OPERATOR_KEY_FILE);
  const isThere = await access(file).then(
    () => true,
    () => false,
  );
  if (!isThere && (await keys.list()).some(({ kind }) => kind === 'operator')) {
    told.info(noneMade(file));
    return null;
  }
  await mkdir(dataDir, { recursive: true });
  const key = await readOrCreate(file);
  const row = operatorRow(key, OPERATOR_KEY_FILE);
  const now = new Date();
  await keys.insertFirstOperator(row, ownAttempt('operatorKeyFile', now));
  const stored = await keys.findByHash(row.keyHash);
  if (!stored && !isThere) {
    // Another instance registered its key first.
    await rm(file, { force: true });
    told.info(noneMade(file));
    return null;
  }
  if (!stored)
    told.warn(
      `the key in ${file} is not known to this database, which has an operator key: put that one there, or make another with \`${RECOVER_COMMAND}\``,
    );
  else if (keyStateOf(stored, now) !== 'valid')
    told.warn(
      `the key in ${file} is ${keyStateOf(stored, now)}; put a valid one there, or make another with \`${RECOVER_COMMAND}\``,
    );
  return file;
}

const noneMade = (file: string) =>
  `the database has an operator key, so ${file} was not made; commands take that key from --operator-key, ` +
  `AUDIT_ACTIVITY_OPERATOR_KEY or such a file, and \`${RECOVER_COMMAND}\` makes another if it is lost`;

async function readOrCreate(file: string): Promise<string> {
  const draft = `${file}.${randomUUID()}`;
  try {
    await writeFile(draft, `${newKey('operator')}\n`, { mode: 0o600, flag: 'wx' });
    // Several instances may start on one folder. The first to link wins, and no other reads a half-written file.
    await link(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(draft, { force: true });
  }
  const key = (await readFile(file, 'utf8')).trim();
  if (!isWellFormedKey(key))
    throw new Error(`${file} does not hold an operator key; put the key there, or remove the file`);
  return key;
}
