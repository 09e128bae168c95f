import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder } from '../durable-file';
import type { SignedPackage } from './offer';

type File = Pick<SignedPackage, 'sha256' | 'size'>;

/** The files of packages in the data folder, each by its hash. Nobody else writes there, and no file is believed. */
export class PackageFolder {
  readonly path: string;

  constructor(dataDir: string) {
    this.path = join(dataDir, 'updates');
  }

  fileOf({ sha256 }: Pick<File, 'sha256'>): string {
    return join(this.path, `${sha256}.js`);
  }

  /** Whether the file is there, as it was signed. */
  async has(file: File): Promise<boolean> {
    const path = this.fileOf(file);
    try {
      if ((await stat(path)).size !== file.size) return false;
      const hash = createHash('sha256');
      for await (const bytes of createReadStream(path)) hash.update(bytes as Buffer);
      return hash.digest('hex') === file.sha256;
    } catch {
      // It is absent or cannot be read, and cannot be started either.
      return false;
    }
  }

  /**
   * Writes a file of the parts that come. It has its name once it is whole and on disk, so after a crash at any moment it
   * is there as a whole or not at all.
   * @returns false: the bytes are not those of the file
   */
  async write(file: File, parts: AsyncIterable<Uint8Array>): Promise<boolean> {
    await mkdir(this.path, { recursive: true });
    const part = `${this.fileOf(file)}.part`;
    try {
      const handle = await open(part, 'w', 0o600);
      const hash = createHash('sha256');
      let size = 0;
      try {
        for await (const bytes of parts) {
          size += bytes.length;
          if (size > file.size) return false;
          hash.update(bytes);
          await handle.writeFile(bytes);
        }
        await handle.sync();
      } finally {
        await handle.close();
      }
      if (size !== file.size || hash.digest('hex') !== file.sha256) return false;
      await rename(part, this.fileOf(file));
      await syncFolder(this.path);
      return true;
    } finally {
      await rm(part, { force: true });
    }
  }

  /** Removes every file of a package but these, and what a crash left of one. */
  async keepOnly(files: readonly Pick<File, 'sha256'>[]): Promise<void> {
    const kept = new Set(files.map((file) => `${file.sha256}.js`));
    const names = await readdir(this.path).catch(() => []);
    const gone = names.filter((name) => /^[0-9a-f]{64}\.js(\.part)?$/.test(name) && !kept.has(name));
    await Promise.all(gone.map((name) => rm(join(this.path, name), { force: true })));
  }
}
