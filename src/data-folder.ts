import { mkdir } from 'node:fs/promises';
import path from 'node:path';

/** A file of `DATA_DIR` whose time of change is that of the last backup. `audit-activity backup` or `touch` makes it. */
export const BACKUP_MARK = 'last-backup';

/**
 * Makes a folder and its missing parents. Node's own recursive `mkdir` never ends on a file system such as /proc, which
 * takes no new folders.
 */
export async function makeFolder(folder: string): Promise<void> {
  const parent = path.dirname(folder);
  try {
    await mkdir(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return;
    if (code !== 'ENOENT' || parent === folder) throw error;
    await makeFolder(parent);
    await mkdir(folder).catch((again: NodeJS.ErrnoException) => {
      if (again.code !== 'EEXIST') throw again;
    });
  }
}
