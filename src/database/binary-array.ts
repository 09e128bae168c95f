const HEADER_BYTES = 20;
const LENGTH_BYTES = 4;
const UUID_BYTES = 16;
const UTF8_BYTES_PER_UNIT = 3;
const FIRST_BYTES = 2_048;
const NOTHING = Buffer.alloc(0);
/** Up to this length, writing single bytes is faster than the call that copies them. */
const SHORT_CHARS = 48;
/** PostgreSQL's type ids of the elements. They are the same on every server. */
const TYPE_IDS = { text: 25, uuid: 2950, bool: 16, jsonb: 3802 } as const;
/** Type ids of the arrays. */
export const ARRAY_TYPE_IDS = [1009, 2951, 1000, 3807] as const;
const JSONB_VERSION = 1;

/**
 * Writes ASCII from an index of the target on.
 * @returns the index at which the text ends; -1: it is not ASCII and must be written in another way
 */
type WriteAscii = (target: Buffer, at: number) => number;

/**
 * A column of rows as a PostgreSQL array in binary form, to be sent as a parameter. The server reads it in a third less
 * time than the same rows as JSON, and this process makes no object per row. Each method adds one element.
 */
export class BinaryArray {
  #bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
  /** Memory for the elements in another order. */
  #other = NOTHING;
  #end = HEADER_BYTES;
  #count = 0;

  constructor(private readonly type: keyof typeof TYPE_IDS) {}

  /** Bytes of memory that the array uses. */
  get capacity(): number {
    return this.#bytes.length + this.#other.length;
  }

  /** Empties the array and keeps its memory. Nobody may still use an earlier parameter. */
  clear(): void {
    this.#end = HEADER_BYTES;
    this.#count = 0;
  }

  text(text: string): void {
    const at = this.#begin(text.length * UTF8_BYTES_PER_UNIT);
    this.#finish(at + this.#bytes.write(text, at, 'utf8'));
  }

  json(json: string): void {
    const at = this.#begin(1 + json.length * UTF8_BYTES_PER_UNIT);
    this.#bytes[at] = JSONB_VERSION;
    this.#finish(at + 1 + this.#bytes.write(json, at + 1, 'utf8'));
  }

  bool(value: boolean): void {
    const at = this.#begin(1);
    this.#bytes[at] = value ? 1 : 0;
    this.#finish(at + 1);
  }

  uuid(uuid: string): void {
    const at = this.#begin(UUID_BYTES);
    this.#finish(at + this.#bytes.write(uuid.replaceAll('-', ''), at, UUID_BYTES, 'hex'));
  }

  /**
   * Adds an element of ASCII.
   * @param room a number of bytes that is enough
   * @returns false when the text is not ASCII; nothing is added then
   */
  ascii(room: number, write: WriteAscii): boolean {
    const at = this.#begin(room);
    const end = write(this.#bytes, at);
    if (end >= 0) this.#finish(end);
    return end >= 0;
  }

  /** Adds a short ASCII text. Refuses U+0000, which PostgreSQL cannot hold. */
  asciiText(text: string): boolean {
    const { length } = text;
    if (length > SHORT_CHARS) return false;
    const at = this.#begin(SHORT_CHARS);
    const bytes = this.#bytes;
    for (let i = 0; i < length; i++) {
      const code = text.charCodeAt(i);
      if (code === 0 || code > 0x7f) return false;
      bytes[at + i] = code;
    }
    this.#finish(at + length);
    return true;
  }

  /**
   * The array as a parameter. Clear the array before adding elements again.
   * @param order indexes of the elements, each once; null: the order in which they were added
   */
  parameter(order: Uint32Array | null = null): Buffer {
    const bytes = order ? this.#inOrder(order) : this.#bytes;
    // Number of dimensions, no nulls, element type, then length and lower bound of the one dimension.
    [1, 0, TYPE_IDS[this.type], this.#count, 1].forEach((value, i) => {
      bytes.writeInt32BE(value, i * LENGTH_BYTES);
    });
    return bytes.subarray(0, this.#end);
  }

  #inOrder(order: Uint32Array): Buffer {
    const from = this.#bytes;
    const starts = new Uint32Array(this.#count + 1);
    for (let i = 0, at = HEADER_BYTES; i <= this.#count; i++) {
      starts[i] = at;
      if (i < this.#count) at += LENGTH_BYTES + from.readInt32BE(at);
    }
    if (this.#other.length < this.#end) this.#other = Buffer.allocUnsafeSlow(from.length);
    const to = this.#other;
    let end = HEADER_BYTES;
    for (const place of order) {
      const start = starts[place] as number;
      const length = (starts[place + 1] as number) - start;
      if (length > SHORT_CHARS) from.copy(to, end, start, start + length);
      else for (let i = 0; i < length; i++) to[end + i] = from[start + i] as number;
      end += length;
    }
    return to;
  }

  /** @returns the index at which to write an element of at most `room` bytes */
  #begin(room: number): number {
    const needed = this.#end + LENGTH_BYTES + room;
    if (needed > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(2 * this.#bytes.length, needed));
      this.#bytes.copy(larger, 0, 0, this.#end);
      this.#bytes = larger;
    }
    return this.#end + LENGTH_BYTES;
  }

  #finish(end: number): void {
    this.#bytes.writeInt32BE(end - this.#end - LENGTH_BYTES, this.#end);
    this.#end = end;
    this.#count++;
  }
}
