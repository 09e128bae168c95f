import { copyBytes } from '../event/json-bytes';
import { ID_BYTES } from '../event/record-id';

const HEADER_BYTES = 20;
const LENGTH_BYTES = 4;
const UTF8_BYTES_PER_UNIT = 3;
const FIRST_BYTES = 2_048;
/** Arrays keep their memory, so they seldom grow, and each would keep what it does not need. */
const GROWTH = 1.5;
const NOTHING = Buffer.alloc(0);
/** The elements of one array in another order, until they are copied back. */
let scratch = NOTHING;
const SCRATCH_BYTES_MAX = 4 * 1024 * 1024;
/** PostgreSQL's type ids of the elements. They are the same on every server. */
const TYPE_IDS = { text: 25, uuid: 2950, bool: 16, jsonb: 3802 } as const;
/** Type ids of the arrays. */
export const ARRAY_TYPE_IDS = [1009, 2951, 1000, 3807] as const;
const JSONB_VERSION = 1;

/**
 * A column of rows as a PostgreSQL array in binary form, to be sent as a parameter. The server reads it in a third less
 * time than the same rows as JSON, and this process makes no object per row. Each method adds one element.
 */
export class BinaryArray {
  #bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
  #end = HEADER_BYTES;
  #count = 0;

  constructor(private readonly type: keyof typeof TYPE_IDS) {}

  /** Bytes of memory that the array uses. */
  get capacity(): number {
    return this.#bytes.length;
  }

  /** Empties the array and keeps its memory. Nobody may still use an earlier parameter. */
  clear(): void {
    this.#end = HEADER_BYTES;
    this.#count = 0;
  }

  text(text: string): void {
    const at = this.begin(text.length * UTF8_BYTES_PER_UNIT);
    this.finish(at + this.#bytes.write(text, at, 'utf8'));
  }

  /** Adds the text whose UTF-8 stands in a part of other bytes. */
  utf8(source: Buffer, start: number, end: number): void {
    const at = this.begin(end - start);
    this.finish(copyBytes(source, start, end, this.#bytes, at));
  }

  json(json: string): void {
    const at = this.begin(1 + json.length * UTF8_BYTES_PER_UNIT);
    this.#bytes[at] = JSONB_VERSION;
    this.finish(at + 1 + this.#bytes.write(json, at + 1, 'utf8'));
  }

  bool(value: boolean): void {
    const at = this.begin(1);
    this.#bytes[at] = value ? 1 : 0;
    this.finish(at + 1);
  }

  uuid(bytes: Buffer): void {
    this.utf8(bytes, 0, ID_BYTES);
  }

  /** Where elements are written: see `begin`. */
  get bytes(): Buffer {
    return this.#bytes;
  }

  /**
   * The array as a parameter. Clear the array before adding elements again, or asking for another order.
   * @param order indexes of the elements, each once; null: the order in which they were added
   */
  parameter(order: Uint32Array | null = null): Buffer {
    if (order) this.#sort(order);
    const bytes = this.#bytes;
    // Number of dimensions, no nulls, element type, then length and lower bound of the one dimension.
    [1, 0, TYPE_IDS[this.type], this.#count, 1].forEach((value, i) => {
      bytes.writeInt32BE(value, i * LENGTH_BYTES);
    });
    return bytes.subarray(0, this.#end);
  }

  #sort(order: Uint32Array): void {
    const from = this.#bytes;
    const starts = new Uint32Array(this.#count + 1);
    for (let i = 0, at = HEADER_BYTES; i <= this.#count; i++) {
      starts[i] = at;
      if (i < this.#count) at += LENGTH_BYTES + from.readInt32BE(at);
    }
    if (scratch.length < this.#end) scratch = Buffer.allocUnsafeSlow(from.length);
    let end = HEADER_BYTES;
    for (const place of order) {
      const start = starts[place] as number;
      end = copyBytes(from, start, starts[place + 1] as number, scratch, end);
    }
    scratch.copy(from, HEADER_BYTES, HEADER_BYTES, end);
    if (scratch.length > SCRATCH_BYTES_MAX) scratch = NOTHING;
  }

  /**
   * Begins an element of at most `room` bytes. Nothing is added before `finish`.
   * @returns the index of `bytes` from which on to write it
   */
  begin(room: number): number {
    const needed = this.#end + LENGTH_BYTES + room;
    if (needed > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(Math.ceil(GROWTH * this.#bytes.length), needed));
      this.#bytes.copy(larger, 0, 0, this.#end);
      this.#bytes = larger;
    }
    return this.#end + LENGTH_BYTES;
  }

  /** @param end the index after the element's last byte */
  finish(end: number): void {
    this.#bytes.writeInt32BE(end - this.#end - LENGTH_BYTES, this.#end);
    this.#end = end;
    this.#count++;
  }
}
