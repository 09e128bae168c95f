import type { ByteView } from './byte-view';

/** Longer texts are not cached: names repeat, statements do not. */
const TEXT_BYTES_MAX = 128;
const SLOTS = 2048;
const SLOT_WORDS = TEXT_BYTES_MAX / 4;

/** Each slot holds one text, with its bytes as 32-bit words. */
const words = new Int32Array(SLOTS * SLOT_WORDS);
const lengths = new Uint8Array(SLOTS);
const texts: string[] = Array.from({ length: SLOTS }, () => '');

/**
 * UTF-16LE bytes as text. To find a short text by its bytes costs less than to make it again, and leaves less garbage.
 * Unpaired surrogates stay, so that a text that was split within a pair can be joined again.
 */
export function utf16Text(block: ByteView, start: number, end: number): string {
  const length = end - start;
  if (length < 4 || length > TEXT_BYTES_MAX || length % 2 !== 0) {
    return block.bytes.toString('utf16le', start, end);
  }
  const { view } = block;
  const slot = slotOf(view, start, length);
  if (lengths[slot] === length && isSame(view, start, length, slot)) return texts[slot] ?? '';
  const text = block.bytes.toString('utf16le', start, end);
  const at = slot * SLOT_WORDS;
  for (let i = 0; i < length; i += 4) words[at + i / 4] = wordAt(view, start, i, length);
  lengths[slot] = length;
  texts[slot] = text;
  return text;
}

/** The slot of a text, from its length, its ends and its middle. Texts of the same slot replace each other. */
function slotOf(view: DataView, start: number, length: number): number {
  const first = view.getInt32(start, true);
  const middle = view.getInt32(start + (length >> 2) * 2 - 2, true);
  const last = view.getInt32(start + length - 4, true);
  const hash = Math.imul(Math.imul(Math.imul(first, 31) ^ middle, 0x01000193) ^ last, 0x9e3779b1) ^ length;
  return (hash >>> 16) % SLOTS;
}

function isSame(view: DataView, start: number, length: number, slot: number): boolean {
  const at = slot * SLOT_WORDS;
  for (let i = 0; i < length; i += 4) {
    if (words[at + (i >> 2)] !== wordAt(view, start, i, length)) return false;
  }
  return true;
}

/** The last word overlaps the one before if the length is not a multiple of four. */
const wordAt = (view: DataView, start: number, i: number, length: number): number =>
  view.getInt32(start + Math.min(i, length - 4), true);
