/** Up to this length, copying single bytes is faster than the call that copies them. */
const SHORT_BYTES = 48;

/** A whole number of at most this many digits is always read and written unchanged. */
export const SAFE_DIGITS = 15;

const BACKSLASH = 0x5c;
/** The byte that an escape of this one letter stands for, of those that `JSON.stringify` writes; 0: there is none. */
export const UNESCAPED = new Uint8Array(256);
for (const character of '"\\\b\f\n\r\t')
  UNESCAPED[JSON.stringify(character).charCodeAt(2)] = character.charCodeAt(0);

/** Copies bytes. There must be room for them. @returns the index after the last byte in the target */
export function copyBytes(source: Buffer, start: number, end: number, target: Buffer, at: number): number {
  const length = end - start;
  if (length > SHORT_BYTES) source.copy(target, at, start, end);
  else for (let i = 0; i < length; i++) target[at + i] = source[start + i] as number;
  return at + length;
}

/** Copies the inside of a JSON text, of which each escape has one letter. */
export function copyUnescaped(
  source: Buffer,
  start: number,
  end: number,
  target: Buffer,
  to: number,
): number {
  let at = to;
  for (let i = start; i < end; i++) {
    const byte = source[i] as number;
    target[at++] = byte === BACKSLASH ? (UNESCAPED[source[++i] as number] as number) : byte;
  }
  return at;
}
