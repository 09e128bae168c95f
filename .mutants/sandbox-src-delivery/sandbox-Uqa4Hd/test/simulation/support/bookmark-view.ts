import { readFileSync } from 'node:fs';

interface Entry {
  readonly blockOffset: number;
  readonly index: number;
  readonly acknowledged?: { readonly blockOffset: number };
  readonly endSize?: number;
  readonly mayGrow?: boolean;
}

/** The agent's bookmarks as they are on disk at this moment. */
export class BookmarkView {
  private readonly files: Readonly<Record<string, Entry>>;

  constructor(path: string) {
    this.files = filesOf(path);
  }

  /** Whether the bookmark is past this position: neither the agent nor a restarted one reads the row again. */
  isPast(fileGuid: string, blockOffset: number, index: number): boolean {
    const entry = this.files[fileGuid];
    if (!entry) return false;
    return entry.blockOffset > blockOffset || (entry.blockOffset === blockOffset && entry.index > index);
  }

  knows(fileGuid: string): boolean {
    return this.files[fileGuid] !== undefined;
  }

  /** Whether the bookmark says that a file of this size is read to its end, so that its removal is no loss. */
  isDone(fileGuid: string, size: number): boolean {
    const entry = this.files[fileGuid];
    if (!entry || entry.acknowledged !== undefined || entry.mayGrow) return false;
    return (entry.endSize ?? -1) >= size;
  }
}

function filesOf(path: string): Record<string, Entry> {
  try {
    return JSON.parse(readFileSync(path, 'utf8')).files;
  } catch (error) {
    // The agent has not saved a bookmark yet.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
}
