import { randomBytes } from 'node:crypto';
import { rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';

export const PLACE_FILE = 'database.place';

/**
 * The file beside the embedded database by which a copy of the folder is recognized. The database states the file's
 * number and time of birth, which no copy keeps. Each start makes a new file, so that a backup that is copied over the
 * files of a later state is recognized too.
 */
export class FolderMark {
  readonly #file: string;

  constructor(dataDir: string) {
    this.#file = path.join(dataDir, PLACE_FILE);
  }

  /** Whether the stated file is here. A start that was killed may have left the next one as a draft. */
  async isHere(stated: string | null): Promise<boolean> {
    if (stated === null) return false;
    return (await markOf(this.#file)) === stated || (await markOf(this.#draft)) === stated;
  }

  /**
   * Makes the next file. The stated one stays until the next one is stated.
   * @param stated the mark in the database @param state stores a mark in the database
   */
  async renew(stated: string | null, state: (mark: string) => Promise<unknown>): Promise<void> {
    if (stated !== null && (await markOf(this.#draft)) === stated) await rename(this.#draft, this.#file);
    await rm(this.#draft, { force: true });
    await writeFile(this.#draft, `${randomBytes(8).toString('hex')}\n`, { mode: 0o600, flag: 'wx' });
    const mark = await markOf(this.#draft);
    if (mark !== null) await state(mark);
    await rename(this.#draft, this.#file);
  }

  get #draft(): string {
    return `${this.#file}.next`;
  }
}

async function markOf(file: string): Promise<string | null> {
  try {
    const { ino, birthtimeNs } = await stat(file, { bigint: true });
    return `${ino}/${birthtimeNs}`;
  } catch (error) {
    ignoreMissing(error as NodeJS.ErrnoException);
    return null;
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}
