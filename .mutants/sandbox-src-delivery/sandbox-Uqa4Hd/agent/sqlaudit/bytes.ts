import { type FileHandle, open } from 'node:fs/promises';

/** What the reader needs of a file. An audit file may grow between two calls, and never shrinks while it exists. */
export interface Bytes {
  size(): Promise<number>;
  /**
   * The bytes at `offset`; fewer than `length` if the file ends before that.
   * @param into memory that may be used for the bytes
   */
  read(offset: number, length: number, into?: Buffer): Promise<Buffer>;
}

/** Bytes that must be closed after use. */
export interface OpenBytes extends Bytes {
  close(): Promise<void>;
}

/** Opens bytes, uses them and closes them. @throws the errors of opening and of using */
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
    // Audit files only grow, so the size is read again only if more bytes are wanted than there were.
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
