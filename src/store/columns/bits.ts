import { type Codes, codeAt } from './codec';

/**
 * One bit for each event of an hour. The first event has the lowest bit of the first word. Bits behind the last event
 * mean nothing.
 */
export type Bits = Uint32Array;

const WORD = 32;
const BYTE = 8;

export const noBits = (n: number): Bits => new Uint32Array(Math.ceil(n / WORD));

/** Clears the bits behind the last event. */
export function trim(bits: Bits, n: number): void {
  const rest = n % WORD;
  const last = bits.length - 1;
  if (rest !== 0) bits[last] = (bits[last] as number) & ((1 << rest) - 1);
}

export const isNone = (bits: Bits): boolean => {
  for (let i = 0; i < bits.length; i++) if (bits[i] !== 0) return false;
  return true;
};

/** The number of bits that are set. */
export function countBits(bits: Bits): number {
  let count = 0;
  for (let i = 0; i < bits.length; i++) count += ones(bits[i] as number);
  return count;
}

/** The number of bits set in a word: summed by pairs, by fours, by bytes, and then over all bytes at once. */
function ones(word: number): number {
  let sums = word - ((word >>> 1) & 0x55555555);
  sums = (sums & 0x33333333) + ((sums >>> 2) & 0x33333333);
  return Math.imul((sums + (sums >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** The places of the bits that are set. @param count how many are set */
export function placesOf(bits: Bits, count: number): Uint32Array {
  const places = new Uint32Array(count);
  let found = 0;
  for (let i = 0; i < bits.length; i++) {
    for (let word = bits[i] as number; word !== 0; word &= word - 1)
      places[found++] = i * WORD + 31 - Math.clz32(word & -word);
  }
  return places;
}

/**
 * Which events have a code whose flag is 1.
 * @param flags by code, 0 or 1
 * @param n events
 * @param within the events that are asked about: words without such events are skipped. Null: all events
 */
export function bitsOfCodes(column: Codes, flags: Uint8Array, n: number, within: Bits | null = null): Bits {
  const { width, bytes } = column;
  const bits = noBits(n);
  if (width === 0) return bits.fill(flags[0] === 1 ? -1 : 0);
  const end = Math.floor((bytes.length * BYTE) / (WORD * width));
  const whole = Math.min(bits.length, end);
  if (width === 1) wordsOfBits(bytes, flags, bits, whole);
  else if (width === 2) wordsOfQuarters(bytes, flags, bits, within, whole);
  else if (width === 4) wordsOfHalves(bytes, flags, bits, within, whole);
  else if (width === BYTE) wordsOfBytes(bytes, flags, bits, within, whole);
  else wordsOfPairs(bytes, flags, bits, within, whole);
  for (let place = whole * WORD; place < n; place++) {
    const flag = flags[codeAt(column, place)] as number;
    bits[place >> 5] = (bits[place >> 5] as number) | (flag << (place & 31));
  }
  return bits;
}

/** Codes of one bit: each word is the codes themselves, their inverse, or the same bit throughout. */
function wordsOfBits(bytes: Uint8Array, flags: Uint8Array, bits: Bits, whole: number): void {
  const [ofZero = 0, ofOne = 0] = flags;
  const [keep, flip] = [ofZero === ofOne ? 0 : -1, ofZero === 1 ? -1 : 0];
  for (let w = 0, at = 0; w < whole; w++, at += 4) {
    const word =
      (bytes[at] as number) |
      ((bytes[at + 1] as number) << 8) |
      ((bytes[at + 2] as number) << 16) |
      ((bytes[at + 3] as number) << 24);
    bits[w] = (word & keep) ^ flip;
  }
}

function wordsOfBytes(
  bytes: Uint8Array,
  flags: Uint8Array,
  bits: Bits,
  within: Bits | null,
  whole: number,
): void {
  for (let w = 0; w < whole; w++) {
    if (within && within[w] === 0) continue;
    let word = 0;
    for (let at = w * WORD + WORD - 1; at >= w * WORD; at -= 4)
      word =
        (word << 4) |
        ((flags[bytes[at] as number] as number) << 3) |
        ((flags[bytes[at - 1] as number] as number) << 2) |
        ((flags[bytes[at - 2] as number] as number) << 1) |
        (flags[bytes[at - 3] as number] as number);
    bits[w] = word;
  }
}

/** Each byte holds four codes. */
function wordsOfQuarters(
  bytes: Uint8Array,
  flags: Uint8Array,
  bits: Bits,
  within: Bits | null,
  whole: number,
): void {
  for (let w = 0; w < whole; w++) {
    if (within && within[w] === 0) continue;
    let word = 0;
    for (let at = w * 8 + 7; at >= w * 8; at--) {
      const byte = bytes[at] as number;
      word =
        (word << 4) |
        ((flags[byte >> 6] as number) << 3) |
        ((flags[(byte >> 4) & 3] as number) << 2) |
        ((flags[(byte >> 2) & 3] as number) << 1) |
        (flags[byte & 3] as number);
    }
    bits[w] = word;
  }
}

/** Each byte holds two codes. */
function wordsOfHalves(
  bytes: Uint8Array,
  flags: Uint8Array,
  bits: Bits,
  within: Bits | null,
  whole: number,
): void {
  for (let w = 0; w < whole; w++) {
    if (within && within[w] === 0) continue;
    let word = 0;
    for (let at = w * 16 + 15; at >= w * 16; at -= 2) {
      const [high, low] = [bytes[at] as number, bytes[at - 1] as number];
      word =
        (word << 4) |
        ((flags[high >> 4] as number) << 3) |
        ((flags[high & 15] as number) << 2) |
        ((flags[low >> 4] as number) << 1) |
        (flags[low & 15] as number);
    }
    bits[w] = word;
  }
}

function wordsOfPairs(
  bytes: Uint8Array,
  flags: Uint8Array,
  bits: Bits,
  within: Bits | null,
  whole: number,
): void {
  for (let w = 0; w < whole; w++) {
    if (within && within[w] === 0) continue;
    let word = 0;
    for (let at = (w + 1) * WORD * 2 - 2; at >= w * WORD * 2; at -= 2)
      word = (word << 1) | (flags[(bytes[at] as number) | ((bytes[at + 1] as number) << BYTE)] as number);
    bits[w] = word;
  }
}
