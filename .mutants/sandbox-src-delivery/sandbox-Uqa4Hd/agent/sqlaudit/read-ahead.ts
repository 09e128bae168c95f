import type { Bytes } from './bytes';

/**
 * Blocks of an audit are small (512 bytes at worst): reading them one by one would spend the time on system calls. A
 * block that the end of a window cuts is read again, and is only a small part of the window.
 */
export const WINDOW_BYTES = 1024 * 1024;

/** Reads a file in windows. A range that exceeds the window is read again as a whole, so it never mixes two moments. */
export class ReadAhead {
  private window: Buffer = Buffer.alloc(0);
  private windowStart = 0;

  /** @param reusable memory for the first window, since garbage of this size makes V8 collect again and again */
  constructor(
    private readonly file: Bytes,
    private reusable?: Buffer,
  ) {}

  /**
   * The bytes from `offset` on: at least `length`, more if the window holds more, fewer only at the file's end. A later
   * call does not change the returned buffer.
   */
  async from(offset: number, length: number): Promise<Buffer> {
    const atHand = this.atHand(offset, length);
    if (atHand) return atHand;
    const { reusable } = this;
    delete this.reusable;
    this.window = await this.file.read(offset, Math.max(length, WINDOW_BYTES), reusable);
    this.windowStart = offset;
    return this.window;
  }

  /** The result of `at` if it needs no reading, else null: to await each of many small blocks takes time. */
  atHand(offset: number, length: number): Buffer | null {
    const skip = offset - this.windowStart;
    return skip < 0 || skip + length > this.window.length ? null : this.window.subarray(skip);
  }

  /** Up to `length` bytes at `offset`, without moving the window there. */
  async aside(offset: number, length: number): Promise<Buffer> {
    return this.file.read(offset, length);
  }
}
