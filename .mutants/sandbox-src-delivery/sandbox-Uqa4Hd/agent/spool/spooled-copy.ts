import { mkdir, open, readdir, rename, rm, stat, truncate } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type Bytes, FileBytes, withBytes } from '../sqlaudit/bytes';
import { SECTOR_BYTES } from '../sqlaudit/limits';
import { soundEnd } from '../sqlaudit/sound-end';

const CHUNK_BYTES = 256 * 1024;
const PART = '.part';

/**
 * The copy of one audit file, `<GUID>/<name of the file>`. It keeps the name, which states the file's audit and age. Until
 * the copy holds the whole file, its folder ends in `.part`.
 */
export class SpooledCopy {
  private constructor(
    readonly fileGuid: string,
    /** Path of the copy. */
    private at: string,
    /** Bytes on disk. */
    private bytes: number,
  ) {}

  static begin(folder: string, fileGuid: string, name: string): SpooledCopy {
    return new SpooledCopy(fileGuid, join(folder, `${fileGuid}${PART}`, name), 0);
  }

  /** The copies that an earlier run has left in a folder. Removes folders without a file in them. */
  static async list(folder: string): Promise<SpooledCopy[]> {
    const copies: SpooledCopy[] = [];
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(absent)) {
      if (!entry.isDirectory()) continue;
      const inside = join(folder, entry.name);
      const [name] = await readdir(inside);
      if (name === undefined) await rm(inside, { recursive: true, force: true });
      else {
        const path = join(inside, name);
        const { size } = await stat(path);
        const copy = new SpooledCopy(entry.name.replace(PART, ''), path, size);
        if (!copy.isComplete) await copy.cutToSound();
        copies.push(copy);
      }
    }
    return copies;
  }

  get path(): string {
    return this.at;
  }

  get length(): number {
    return this.bytes;
  }

  /** Whether the copy holds the whole file, which is no longer written. */
  get isComplete(): boolean {
    return !dirname(this.at).endsWith(PART);
  }

  /** Adds the bytes up to `end`. They are on disk when this resolves. */
  async extend(source: Bytes, end: number): Promise<void> {
    await mkdir(dirname(this.at), { recursive: true });
    const handle = await open(this.at, this.bytes === 0 ? 'w' : 'r+', 0o600);
    try {
      for (let at = this.bytes; at < end; ) {
        const bytes = await source.read(at, Math.min(CHUNK_BYTES, end - at));
        if (bytes.length === 0) return;
        await handle.write(bytes, 0, bytes.length, at);
        at += bytes.length;
      }
      await handle.truncate(end);
      await handle.sync();
      this.bytes = end;
    } catch (error) {
      // The disk may be full. The next start cuts off what cannot be cut off now.
      await handle.truncate(this.bytes).catch(() => undefined);
      throw error;
    } finally {
      await handle.close();
    }
  }

  /** Notes that the copy holds the whole file. */
  async complete(): Promise<void> {
    const folder = dirname(this.at);
    const whole = folder.slice(0, -PART.length);
    await rename(folder, whole);
    this.at = join(whole, basename(this.at));
  }

  async remove(): Promise<void> {
    await rm(dirname(this.at), { recursive: true, force: true });
  }

  /** Cuts off what a crash has left half-written. */
  private async cutToSound(): Promise<void> {
    const all = { enoughBytes: Number.POSITIVE_INFINITY, maxBytes: Number.POSITIVE_INFINITY };
    const isBegun = this.bytes >= SECTOR_BYTES;
    const end = (copy: Bytes) => soundEnd(copy, SECTOR_BYTES, all);
    this.bytes = isBegun ? (await withBytes(() => FileBytes.open(this.at), end)).end : 0;
    await truncate(this.at, this.bytes);
  }
}

function absent(error: NodeJS.ErrnoException): [] {
  if (error.code === 'ENOENT') return [];
  throw error;
}
