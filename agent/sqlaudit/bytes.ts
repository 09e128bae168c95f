import { type FileHandle, open } from 'node:fs/promises';

/** What the reader needs of a file. An audit file may grow between two calls, and never shrinks while it lives. */
export interface Bytes {
  size(): Promise<number>;
  /**
   * The bytes at `offset`; fewer than `length` where the file ends before.
   * @param into memory that may be taken for them
   */
  read(offset: number, length: number, into?: Buffer): Promise<Buffer>;
}

/** Bytes that must be closed after use. */
export interface OpenBytes extends Bytes {
  close(): Promise<void>;
}

/** Opens, uses and closes. @throws what opening and using throw */
export async function withBytes<T>(
  open: () => Promise<OpenBytes>,
  use: (bytes: OpenBytes) => Promise<T>,
): Promise<T> {
  const bytes = await open();
  try {
    return await use(bytes);
  } finally {
    await bytes.close();
  }
}

/**
 * A local file, opened for reading only. Node opens with every sharing mode on Windows, so SQL Server can write on and
 * delete the file at rollover. An agent that follows the file still closes it between two polls.
 */
export class FileBytes implements OpenBytes {
  private knownSize = 0;

  private constructor(private readonly handle: FileHandle) {}

  static async open(path: string): Promise<FileBytes> {
    return new FileBytes(await open(path, 'r'));
  }

  /** Asks the open handle: on Windows a directory listing lags behind while the file is being written. */
  async size(): Promise<number> {
    this.knownSize = (await this.handle.stat()).size;
    return this.knownSize;
  }

  async read(offset: number, length: number, into?: Buffer): Promise<Buffer> {
    // Audit files only grow: the size is asked for again only where more is wanted than was there.
    const size = offset + length <= this.knownSize ? this.knownSize : await this.size();
    const wanted = Math.min(length, size - offset);
    if (wanted <= 0) return Buffer.alloc(0);
    const bytes = into && into.length >= wanted ? into : Buffer.allocUnsafe(wanted);
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
