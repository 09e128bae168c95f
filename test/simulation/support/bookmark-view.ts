import { readFileSync } from 'node:fs';

interface Entry {
  readonly blockOffset: number;
  readonly index: number;
  readonly acknowledged?: { readonly blockOffset: number };
  readonly endSize?: number;
  readonly mayGrow?: boolean;
}

/** The agent's bookmarks as they are on disk now. */
export class BookmarkView {
  private readonly files: Readonly<Record<string, Entry>>;

  constructor(path: string) {
    this.files = filesOf(path);
  }

  /** Whether it is done with everything before this place: neither it nor a restarted agent reads that again. */
  isPast(fileGuid: string, blockOffset: number, index: number): boolean {
    const entry = this.files[fileGuid];
    if (!entry) return false;
    return entry.blockOffset > blockOffset || (entry.blockOffset === blockOffset && entry.index > index);
  }

  knows(fileGuid: string): boolean {
    return this.files[fileGuid] !== undefined;
  }

  /** Whether nothing can follow in a file of so many bytes: no agent is surprised when it goes. */
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
    // No agent has saved one yet.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
}
