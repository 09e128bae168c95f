/**
 * A column of an hour as a text: the numbers of its values, `12,7,40`, a semicolon, and in base64 which event has which of
 * them, by their place in that list. A place takes 0, 1, 2, 4, 8 or 16 bits, as few as will do.
 */
export interface Column {
  /** Numbers of the values, in the order of the places. */
  readonly ids: Int32Array;
  /** Of each event the place of its value. */
  readonly codes: Uint16Array;
}

/** An hour with more values has no column. */
export const COLUMN_VALUES_MAX = 65_536;
const WIDTHS = [0, 1, 2, 4, 8, 16] as const;
const BYTE = 8;

const widthOf = (values: number) => WIDTHS.find((bits) => values <= 2 ** bits) ?? BYTE * 2;

/** @param values how many there are: codes are smaller */
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

export const columnText = (ids: readonly number[], packed: Buffer): string =>
  `${ids.join(',')};${packed.toString('base64')}`;

/** @param n events of the hour */
export function readColumn(text: string, n: number): Column {
  const end = text.indexOf(';');
  const ids = readNumbers(text, end);
  return { ids, codes: unpack(Buffer.from(text.slice(end + 1), 'base64'), n, widthOf(ids.length)) };
}

const [COMMA, ZERO] = [44, 48];

/** Digit by digit: splitting would make a text of each number, of hundreds in thousands of hours. */
function readNumbers(text: string, end: number): Int32Array {
  let count = 1;
  for (let i = 0; i < end; i++) if (text.charCodeAt(i) === COMMA) count++;
  const numbers = new Int32Array(count);
  let at = 0;
  for (let i = 0; i < end; i++) {
    const code = text.charCodeAt(i);
    if (code === COMMA) at++;
    else numbers[at] = (numbers[at] as number) * 10 + code - ZERO;
  }
  return numbers;
}

/** Of one type whatever the width: code that sees several is compiled for all of them, and takes several times as long. */
function unpack(bytes: Buffer, n: number, bits: number): Uint16Array {
  if (bits === BYTE) return new Uint16Array(bytes);
  const codes = new Uint16Array(n);
  if (bits === BYTE * 2) {
    for (let i = 0, at = 0; i < n; i++, at += 2)
      codes[i] = (bytes[at] as number) | ((bytes[at + 1] as number) << BYTE);
  } else if (bits > 0) {
    const mask = (1 << bits) - 1;
    for (let i = 0, at = 0; i < n; at++) {
      let byte = bytes[at] as number;
      for (let k = 0; k < BYTE && i < n; k += bits, byte >>= bits) codes[i++] = byte & mask;
    }
  }
  return codes;
}

const MORE = 0x80;

/** Whole numbers from 0 that do not fall, as base64 of their steps, seven bits a byte. */
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
