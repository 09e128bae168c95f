import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { copyFile, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { type FileName, type FilePlace, NoSuchFile, pathOf } from '../../../store/archive/file-place';

const READ_BYTES = 256 * 1024;

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
    const stream = createReadStream(path.join(this.root, pathOf(name)), { highWaterMark: READ_BYTES });
    try {
      for await (const bytes of stream) yield bytes as Buffer;
    } catch (error) {
      if (isNotThere(error)) throw new NoSuchFile(pathOf(name));
      throw error;
    }
  }

  remove(name: FileName): Promise<void> {
    return rm(path.join(this.root, pathOf(name)), { force: true });
  }

  close(): void {}
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
