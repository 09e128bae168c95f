import { DecodeError } from './decode-error';
import { LIMITS } from './limits';

/** A cursor over a part of a buffer that refuses to read beyond the part's end. */
export class Region {
  constructor(
    readonly bytes: Buffer,
    public pos: number,
    readonly end: number,
    /** Offset of `bytes[0]` in the file, for error messages. */
    readonly fileOffset: number,
  ) {}

  get left(): number {
    return this.end - this.pos;
  }

  fail(reason: string): never {
    throw new DecodeError(this.fileOffset + this.pos, reason);
  }

  /** Moves on by `length` bytes. @returns where they begin */
  take(length: number): number {
    if (length > this.end - this.pos) this.fail(`${length} bytes wanted where ${this.left} are left`);
    const at = this.pos;
    this.pos = at + length;
    return at;
  }

  u8(): number {
    return this.bytes.readUInt8(this.take(1));
  }

  u16(): number {
    return this.bytes.readUInt16LE(this.take(2));
  }

  u32(): number {
    return this.bytes.readUInt32LE(this.take(4));
  }

  u64(): bigint {
    return this.bytes.readBigUInt64LE(this.take(8));
  }

  /** The number of objects that follow. Each takes at least `bytesMin` bytes. */
  count(bytesMin: number): number {
    const count = this.u32();
    if (count * bytesMin > this.left) this.fail(`${count} objects cannot fit into ${this.left} bytes`);
    return count;
  }

  /** A name, in UTF-16LE up to its 16-bit zero, which is consumed. */
  text(): string {
    const start = this.pos;
    this.skipText();
    const chars = (this.pos - 2 - start) / 2;
    if (chars > LIMITS.nameCharsMax) this.fail(`name of ${chars} characters`);
    return this.bytes.toString('utf16le', start, this.pos - 2);
  }

  skipText(): void {
    const { bytes, end } = this;
    let at = this.pos;
    while (at + 1 < end && (bytes[at] !== 0 || bytes[at + 1] !== 0)) at += 2;
    if (at + 1 >= end) this.fail('text without an end');
    this.pos = at + 2;
  }
}
