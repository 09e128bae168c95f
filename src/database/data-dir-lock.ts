import { lockFolder } from '../folder-lock';

/**
 * Makes sure that one process at a time opens an embedded database. Two processes would destroy it.
 * @returns the release
 * @throws Error that names the holder of the folder
 */
export async function lockDataDir(dataDir: string): Promise<() => Promise<void>> {
  const lock = await lockFolder(dataDir, 'service');
  if (lock.kind === 'locked') return lock.release;
  throw new Error(
    `${dataDir} is in use by process ${lock.pid}. Stop it, or set DATA_DIR to another folder; ` +
      'several instances need PostgreSQL (DATABASE_URL).',
  );
}
