import type { ByteSource } from './byte-source';

/** Blocks of a busy audit are small (512 bytes at worst): reading them one by one would be all system calls. */
const WINDOW_BYTES = 256 * 1024;

/** Reads a source in windows. What is asked for beyond the window is read anew, so nothing is put together of two times. */
export class ReadAhead {
  private window: Buffer = Buffer.alloc(0);
  private windowStart = 0;

  constructor(private readonly source: ByteSource) {}

  /**
   * The bytes from `offset` on: at least `length`, more where they are at hand, fewer only at the source's end.
   * The buffer stays as it is when the next one is read.
   */
  async from(offset: number, length: number): Promise<Buffer> {
    const skip = offset - this.windowStart;
    if (skip < 0 || skip + length > this.window.length) {
      this.window = await this.source.read(offset, Math.max(length, WINDOW_BYTES));
      this.windowStart = offset;
      return this.window;
    }
    return this.window.subarray(skip);
  }

  /** Up to `length` bytes at `offset`, without moving the window there. */
  async aside(offset: number, length: number): Promise<Buffer> {
    return this.source.read(offset, length);
  }
}
