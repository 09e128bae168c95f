import { randomUUID } from 'node:crypto';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';

/** A file of `DATA_DIR` whose time of change is that of the last backup. `audit-activity backup` or `touch` makes it. */
export const BACKUP_MARK = 'last-backup';
/** A folder of `DATA_DIR` with the erasures that instances have seen. */
export const ERASURES_FOLDER = 'erasures';

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

/** Writes a file anew. After a crash it has the text before, or this one as a whole. */
export async function replaceDurably(file: string, text: string): Promise<void> {
  const draft = `${file}.${randomUUID()}`;
  try {
    const handle = await open(draft, 'wx');
    try {
      await handle.writeFile(text);
      // Without this, a loss of power could leave an empty file under the new name.
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {});
    throw error;
  }
}
