import { createHash } from 'node:crypto';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { StoredObject } from './object-store';
import { unzip } from './unzip';

/** Bytes of the files of one source that are kept; the file in use is kept in any case. */
const KEPT_BYTES_MAX = 256 * 1024 * 1024;

interface Unzipped {
  readonly version: string;
  readonly path: string;
  readonly size: number;
}

/** The files of archives while they are read. They are no state: a new run begins with none. */
export class UnzippedFiles {
  /** The file that was used last is the last one. */
  private readonly files = new Map<string, Unzipped>();
  private readonly sizes = new Map<string, { readonly version: string; readonly size: number }>();
  private isEmpty = false;

  constructor(
    private readonly folder: string,
    private readonly keptBytesMax = KEPT_BYTES_MAX,
  ) {}

  /** Bytes of the file, if it was unpacked before. */
  sizeOf({ key, version }: StoredObject): number | null {
    const known = this.sizes.get(key);
    return known?.version === version ? known.size : null;
  }

  /** @param download writes the archive to a file @returns the path of the file in it */
  async pathOf(object: StoredObject, download: (path: string) => Promise<void>): Promise<string> {
    const { key, version } = object;
    const known = this.files.get(key);
    if (known?.version === version) {
      this.files.delete(key);
      this.files.set(key, known);
      return known.path;
    }
    if (!this.isEmpty) await rm(this.folder, { recursive: true, force: true });
    this.isEmpty = true;
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    const path = join(
      this.folder,
      createHash('sha256').update(`${key}\n${version}`).digest('hex').slice(0, 32),
    );
    try {
      await download(`${path}.zip`);
      await unzip(`${path}.zip`, `${path}.part`);
      await rename(`${path}.part`, path);
    } finally {
      for (const rest of ['.zip', '.part']) await rm(path + rest, { force: true });
    }
    const { size } = await stat(path);
    this.files.set(key, { version, path, size });
    this.sizes.set(key, { version, size });
    await this.makeRoom();
    return path;
  }

  async forget(key: string): Promise<void> {
    this.sizes.delete(key);
    await this.remove(key);
  }

  private async makeRoom(): Promise<void> {
    let bytes = [...this.files.values()].reduce((sum, { size }) => sum + size, 0);
    for (const [key, { size }] of this.files) {
      if (bytes <= this.keptBytesMax || this.files.size === 1) return;
      bytes -= size;
      await this.remove(key);
    }
  }

  private async remove(key: string): Promise<void> {
    const known = this.files.get(key);
    this.files.delete(key);
    if (known) await rm(known.path, { force: true });
  }
}
