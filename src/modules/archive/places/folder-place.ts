import { randomUUID } from 'node:crypto';
import { copyFile, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { type FileName, type FilePlace, NoSuchFile, pathOf } from '../../../store/archive/file-place';

const PART_BYTES = 1024 * 1024;

/** Files in a folder that all instances share. */
export class FolderPlace implements FilePlace {
  constructor(private readonly root: string) {}

  async put(name: FileName, local: string): Promise<void> {
    const target = path.join(this.root, pathOf(name));
    const folder = path.dirname(target);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    // Of its own: in containers, all instances may have one process id, and another copy would empty this one.
    const draft = `${target}.${randomUUID()}.part`;
    try {
      await copyFile(local, draft);
      await toDisk(draft);
      await rename(draft, target);
      await toDisk(folder);
    } finally {
      await rm(draft, { force: true });
    }
  }

  has(name: FileName): Promise<boolean> {
    return stat(path.join(this.root, pathOf(name))).then(
      () => true,
      (error) => {
        if (isNotThere(error)) return false;
        throw error;
      },
    );
  }

  async *read(name: FileName): AsyncIterable<Uint8Array> {
    yield* partsOf(name, (at) => this.part(name, at));
  }

  /** Its bytes from a place on, not all of them; none: it ends there. @returns null: the file is not there */
  async part(name: FileName, at: number): Promise<Uint8Array | null> {
    const handle = await open(path.join(this.root, pathOf(name)), 'r').catch((error: unknown) => {
      if (isNotThere(error)) return null;
      throw error;
    });
    try {
      const read = await handle?.read(Buffer.allocUnsafe(PART_BYTES), 0, PART_BYTES, at);
      return read ? read.buffer.subarray(0, read.bytesRead) : null;
    } finally {
      await handle?.close();
    }
  }

  remove(name: FileName): Promise<void> {
    return rm(path.join(this.root, pathOf(name)), { force: true });
  }

  close(): void {}
}

/** All of a file, one part after the other. @throws NoSuchFile */
export async function* partsOf(
  name: FileName,
  partAt: (at: number) => Promise<Uint8Array | null>,
): AsyncIterable<Uint8Array> {
  for (let at = 0; ; ) {
    const part = await partAt(at);
    if (part === null) throw new NoSuchFile(pathOf(name));
    if (part.length === 0) return;
    at += part.length;
    yield part;
  }
}

const isNotThere = (error: unknown) => (error as NodeJS.ErrnoException).code === 'ENOENT';

async function toDisk(target: string): Promise<void> {
  const handle = await open(target, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
