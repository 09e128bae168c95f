import { exactInteger } from '../../event/lifted';

/**
 * A column of an hour. Its text begins with the numbers of its values, such as `12,7,40`. After a semicolon, in base64,
 * follows the place of each event's value in that list. A place takes 0, 1, 2, 4, 8 or 16 bits, as few as suffice.
 * Places stay packed, because most of the time goes into reading memory.
 */
export interface Column extends Codes {
  /** Numbers of the values, in the order of the places. */
  readonly ids: Int32Array;
}

export interface Codes {
  readonly width: Width;
  /** The code of each event, which is the place of its value. The first event has the lowest bits. */
  readonly bytes: Uint8Array;
}

/** An hour with more values has no column. */
export const COLUMN_VALUES_MAX = 65_536;
const WIDTHS = [0, 1, 2, 4, 8, 16] as const;
type Width = (typeof WIDTHS)[number];
const BYTE = 8;

const widthOf = (values: number): Width => WIDTHS.find((bits) => values <= 2 ** bits) ?? 16;

/** @param values the number of values, which is larger than every code */
export function packCodes(codes: readonly number[], values: number): Buffer {
  const bits = widthOf(values);
  const bytes = Buffer.alloc(Math.ceil((codes.length * bits) / BYTE));
  if (bits === BYTE * 2) {
    for (let i = 0; i < codes.length; i++) bytes.writeUInt16LE(codes[i] as number, i * 2);
  } else if (bits > 0) {
    const perByte = BYTE / bits;
    for (let i = 0; i < codes.length; i++) {
      const at = Math.floor(i / perByte);
      bytes[at] = (bytes[at] as number) | ((codes[i] as number) << ((i % perByte) * bits));
    }
  }
  return bytes;
}

export const columnText = (values: string, packed: Buffer): string =>
  `${values};${packed.toString('base64')}`;

/** @param n number of events of the hour @throws RangeError when the text is too short for so many events */
export function readColumn(text: string, n: number): Column {
  const end = text.indexOf(';');
  return new StoredColumn(readNumbers(text, end), text.slice(end + 1), n);
}

/** A column of a text. Often its values alone say whether a term holds, so its codes are read when they are asked for. */
class StoredColumn implements Column {
  readonly width: Width;
  #bytes: Uint8Array | undefined;

  constructor(
    readonly ids: Int32Array,
    private readonly codes: string,
    n: number,
  ) {
    this.width = widthOf(ids.length);
    needCodes(codes, n, this.width);
  }

  get bytes(): Uint8Array {
    this.#bytes ??= Buffer.from(this.codes, 'base64');
    return this.#bytes;
  }
}

/** @param end the place of the semicolon @param values their number */
function readCodes(text: string, end: number, values: number, n: number): Codes {
  const width = widthOf(values);
  const codes = text.slice(end + 1);
  needCodes(codes, n, width);
  return { width, bytes: Buffer.from(codes, 'base64') };
}

function needCodes(codes: string, n: number, width: Width): void {
  if (Buffer.byteLength(codes, 'base64') * BYTE < n * width)
    throw new RangeError('a column has fewer codes than its hour has events');
}

const [COMMA, ZERO] = [44, 48];
const NUMBERS = new Int32Array(COLUMN_VALUES_MAX);

/** Reads digit by digit: splitting would make a text of each number, for hundreds of numbers in thousands of hours. */
function readNumbers(text: string, end: number): Int32Array {
  let [count, number] = [0, 0];
  for (let i = 0; i < end; i++) {
    const code = text.charCodeAt(i);
    if (code === COMMA) {
      NUMBERS[count++] = number;
      number = 0;
    } else number = number * 10 + code - ZERO;
  }
  NUMBERS[count++] = number;
  return NUMBERS.slice(0, count);
}

/**
 * A column of numbers, which stand in it: their text begins with the numbers in ascending order, each as its difference
 * from the one before. The absent value is an empty text before them. The rest is as in other columns.
 */
export interface NumberColumn extends Codes {
  /** In the order of the places; null: absent. A number is a bigint where a double does not hold it. */
  readonly values: readonly (number | bigint | null)[];
}

/** @param texts decimal numbers of 64 bits, each once; empty: absent. @returns them in the order of a column, and its text */
export function packNumbers(texts: readonly string[]): {
  readonly sorted: readonly string[];
  readonly text: string;
} {
  const numbers = texts.filter((text) => text !== '').map(BigInt);
  numbers.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const steps = numbers.map((number, i) => String(i === 0 ? number : number - (numbers[i - 1] as bigint)));
  const absent = texts.includes('') ? [''] : [];
  return { sorted: [...absent, ...numbers.map(String)], text: [...absent, ...steps].join(',') };
}

/** @param n as of `readColumn` @throws RangeError */
export function readNumberColumn(text: string, n: number): NumberColumn {
  const end = text.indexOf(';');
  const values: (number | bigint | null)[] = [];
  let last: number | bigint | null = null;
  for (const step of text.slice(0, end).split(',')) {
    if (step !== '') last = plus(last, exactInteger(step));
    values.push(step === '' ? null : last);
  }
  return { values, ...readCodes(text, end, values.length, n) };
}

/** The exact sum. @param a null: nothing yet */
export function plus(a: number | bigint | null, b: number | bigint): number | bigint {
  if (a === null) return b;
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b;
    if (Number.isSafeInteger(sum)) return sum;
  }
  return BigInt(a) + BigInt(b);
}

/** The code of one event. */
export function codeAt({ width, bytes }: Codes, place: number): number {
  if (width === 0) return 0;
  if (width === BYTE * 2) return (bytes[place * 2] as number) | ((bytes[place * 2 + 1] as number) << BYTE);
  const bit = place * width;
  return ((bytes[bit >> 3] as number) >> (bit & 7)) & ((1 << width) - 1);
}

/** The codes of the first `n` events, one number each. */
export function unpackCodes({ width, bytes }: Codes, n: number): Uint8Array | Uint16Array {
  if (width === BYTE) return bytes.subarray(0, n);
  if (width === BYTE * 2) {
    const codes = new Uint16Array(n);
    for (let i = 0; i < n; i++) codes[i] = (bytes[i * 2] as number) | ((bytes[i * 2 + 1] as number) << BYTE);
    return codes;
  }
  const codes = new Uint8Array(n);
  if (width === 0) return codes;
  const mask = (1 << width) - 1;
  for (let i = 0, at = 0; i < n; at++) {
    let byte = bytes[at] as number;
    for (let k = 0; k < BYTE && i < n; k += width, byte >>= width) codes[i++] = byte & mask;
  }
  return codes;
}

/** Counts the events at some places by their codes, and adds to `counts`. */
export function countCodes({ width, bytes }: Codes, places: Uint32Array, counts: Int32Array): void {
  if (width === 0) (counts[0] as number) += places.length;
  else if (width === BYTE)
    for (let i = 0; i < places.length; i++) (counts[bytes[places[i] as number] as number] as number)++;
  else if (width === BYTE * 2)
    for (let i = 0; i < places.length; i++) {
      const at = (places[i] as number) * 2;
      (counts[(bytes[at] as number) | ((bytes[at + 1] as number) << BYTE)] as number)++;
    }
  else {
    const mask = (1 << width) - 1;
    for (let i = 0; i < places.length; i++) {
      const bit = (places[i] as number) * width;
      (counts[((bytes[bit >> 3] as number) >> (bit & 7)) & mask] as number)++;
    }
  }
}

/** Counts the first `n` events by their codes, and adds to `counts`. */
export function countAllCodes({ width, bytes }: Codes, n: number, counts: Int32Array): void {
  if (width === 0) (counts[0] as number) += n;
  else if (width === BYTE) for (let i = 0; i < n; i++) (counts[bytes[i] as number] as number)++;
  else if (width === BYTE * 2)
    for (let at = 0; at < n * 2; at += 2)
      (counts[(bytes[at] as number) | ((bytes[at + 1] as number) << BYTE)] as number)++;
  else {
    const mask = (1 << width) - 1;
    for (let i = 0, at = 0; i < n; at++) {
      let byte = bytes[at] as number;
      for (let k = 0; k < BYTE && i < n; k += width, i++, byte >>= width) (counts[byte & mask] as number)++;
    }
  }
}

const MORE = 0x80;

/**
 * Packs ascending whole numbers from 0, equal neighbours allowed, as base64 of their differences, seven bits a byte.
 */
export function packTimes(times: readonly number[]): string {
  const bytes: number[] = [];
  let before = 0;
  for (const time of times) {
    let step = time - before;
    before = time;
    for (; step >= MORE; step = Math.floor(step / MORE)) bytes.push((step % MORE) | MORE);
    bytes.push(step);
  }
  return Buffer.from(bytes).toString('base64');
}

export function readTimes(text: string, n: number): Int32Array {
  const bytes = Buffer.from(text, 'base64');
  const times = new Int32Array(n);
  let time = 0;
  for (let i = 0, at = 0; i < n; i++) {
    let byte = bytes[at++] as number;
    let shift = 0;
    for (; byte >= MORE; byte = bytes[at++] as number, shift += 7) time += (byte & (MORE - 1)) << shift;
    time += byte << shift;
    times[i] = time;
  }
  return times;
}
