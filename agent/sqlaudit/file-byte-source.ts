import { type FileHandle, open } from 'node:fs/promises';
import type { ByteSource } from './byte-source';

/**
 * A file opened for reading only. Node opens with every sharing mode on Windows, so SQL Server can go on writing
 * and delete the file at rollover; a reader that follows the file should still close it between its polls.
 */
export class FileByteSource implements ByteSource {
  private knownSize = 0;

  private constructor(private readonly handle: FileHandle) {}

  static async open(path: string): Promise<FileByteSource> {
    return new FileByteSource(await open(path, 'r'));
  }

  /** Of the open handle: on Windows a directory listing lags behind while the file is being written. */
  async size(): Promise<number> {
    this.knownSize = (await this.handle.stat()).size;
    return this.knownSize;
  }

  async read(offset: number, length: number): Promise<Buffer> {
    // Audit files only grow: the size is asked for again where more is wanted than it was known to be.
    const size = offset + length <= this.knownSize ? this.knownSize : await this.size();
    const wanted = Math.min(length, size - offset);
    if (wanted <= 0) return Buffer.alloc(0);
    const bytes = Buffer.allocUnsafe(wanted);
    let filled = 0;
    while (filled < wanted) {
      const { bytesRead } = await this.handle.read(bytes, filled, wanted - filled, offset + filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return bytes.subarray(0, filled);
  }

  async close(): Promise<void> {
    await this.handle.close();
  }
}
