import type { ByteSource } from './byte-source';

/**
 * Blocks of a busy audit are small (512 bytes at worst): reading them one by one would be all system calls. Who reads
 * on gets larger windows, of which the block cut by the end, which is read again, is a smaller part.
 */
const WINDOW_BYTES = { first: 256 * 1024, max: 1024 * 1024 } as const;

/** Reads a source in windows. What is asked for beyond the window is read anew, so nothing is put together of two times. */
export class ReadAhead {
  private window: Buffer = Buffer.alloc(0);
  private windowStart = 0;
  private windowBytes: number = WINDOW_BYTES.first;

  constructor(private readonly source: ByteSource) {}

  /**
   * The bytes from `offset` on: at least `length`, more where they are at hand, fewer only at the source's end.
   * The buffer stays as it is when the next one is read.
   */
  async from(offset: number, length: number): Promise<Buffer> {
    const atHand = this.atHand(offset, length);
    if (atHand) return atHand;
    this.window = await this.source.read(offset, Math.max(length, this.windowBytes));
    this.windowStart = offset;
    this.windowBytes = Math.min(2 * this.windowBytes, WINDOW_BYTES.max);
    return this.window;
  }

  /** The same where it needs no reading, else null: waiting for each of many small blocks would take its time. */
  atHand(offset: number, length: number): Buffer | null {
    const skip = offset - this.windowStart;
    return skip < 0 || skip + length > this.window.length ? null : this.window.subarray(skip);
  }

  /** Up to `length` bytes at `offset`, without moving the window there. */
  async aside(offset: number, length: number): Promise<Buffer> {
    return this.source.read(offset, length);
  }
}
