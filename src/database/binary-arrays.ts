const HEADER_BYTES = 20;
const LENGTH_BYTES = 4;
const UUID_BYTES = 16;
const UTF8_BYTES_PER_UNIT = 3;
/** Up to here writing bytes one by one beats the call of the encoder. */
const SHORT_CHARS = 48;
/** Type ids of elements, the same in every PostgreSQL. */
const TYPE_IDS = { text: 25, uuid: 2950, bool: 16, jsonb: 3802 } as const;
/** Those of the arrays. */
export const ARRAY_TYPE_IDS = [1009, 2951, 1000, 3807] as const;
const JSONB_VERSION = 1;

/** Writes ASCII into the target from a place on. @returns where it ended, or -1: it was something else, to be written anew */
type WriteAscii = (target: Buffer, at: number) => number;

/**
 * Columns of rows as PostgreSQL's arrays in their binary form, to be sent as parameters: read by the server in a
 * third less time than the same rows as JSON, and made here without an object per row.
 */
export class BinaryArrays {
  #bytes: Buffer;
  #end = 0;

  /** @param capacity bytes all columns may take together, roughly: it grows */
  constructor(capacity: number) {
    this.#bytes = Buffer.allocUnsafeSlow(capacity);
  }

  /** @param writeElement writes one element by one of the methods below */
  column(type: keyof typeof TYPE_IDS, count: number, writeElement: (i: number) => void): Buffer {
    this.#ensure(HEADER_BYTES);
    const start = this.#end;
    // Dimensions, no nulls, element type, length and lower bound of the one dimension.
    for (const value of [1, 0, TYPE_IDS[type], count, 1]) {
      this.#end = this.#bytes.writeInt32BE(value, this.#end);
    }
    for (let i = 0; i < count; i++) {
      this.#ensure(LENGTH_BYTES);
      const at = this.#end;
      this.#end = at + LENGTH_BYTES;
      writeElement(i);
      this.#bytes.writeInt32BE(this.#end - at - LENGTH_BYTES, at);
    }
    return this.#bytes.subarray(start, this.#end);
  }

  text(text: string): void {
    this.#ensure(text.length * UTF8_BYTES_PER_UNIT);
    this.#end += this.#bytes.write(text, this.#end, 'utf8');
  }

  json(json: string): void {
    this.#byte(JSONB_VERSION);
    this.text(json);
  }

  bool(value: boolean): void {
    this.#byte(value ? 1 : 0);
  }

  uuid(uuid: string): void {
    this.#ensure(UUID_BYTES);
    this.#end += this.#bytes.write(uuid.replaceAll('-', ''), this.#end, UUID_BYTES, 'hex');
  }

  /** @param room bytes that are enough. @returns false, and nothing written, where it was no ASCII */
  ascii(room: number, write: WriteAscii): boolean {
    this.#ensure(room);
    const end = write(this.#bytes, this.#end);
    if (end < 0) return false;
    this.#end = end;
    return true;
  }

  /** The same for a text as it is. PostgreSQL cannot hold U+0000. */
  asciiText(text: string): boolean {
    if (text.length > SHORT_CHARS) return false;
    this.#ensure(SHORT_CHARS);
    let end = this.#end;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code === 0 || code > 0x7f) return false;
      this.#bytes[end++] = code;
    }
    this.#end = end;
    return true;
  }

  #byte(value: number): void {
    this.#ensure(1);
    this.#bytes[this.#end++] = value;
  }

  #ensure(room: number): void {
    if (this.#end + room <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(2 * this.#bytes.length, this.#end + room));
    // Columns handed out keep the old bytes, which nobody writes to any more.
    this.#bytes.copy(larger, 0, 0, this.#end);
    this.#bytes = larger;
  }
}
