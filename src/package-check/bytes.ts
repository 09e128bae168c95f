/** Bytes and texts where there is no Node.js. */
export const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

/** @returns null: they are no UTF-8 */
export function textOf(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** @returns null: the text is no Base64 */
export function fromBase64(text: string): Uint8Array | null {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text) || text.length % 4 !== 0) return null;
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

export const hexOf = (bytes: Uint8Array): string => {
  let text = '';
  for (const byte of bytes) text += byte.toString(16).padStart(2, '0');
  return text;
};

export const isSame = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && one.every((byte, i) => byte === other[i]);

export function joined(...parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** A text's bytes one after the other in pieces of `length`; null: they do not come out even. */
export function piecesOf(bytes: Uint8Array | null, length: number): Uint8Array[] | null {
  if (!bytes || bytes.length % length !== 0) return null;
  return Array.from({ length: bytes.length / length }, (_, i) =>
    bytes.subarray(i * length, (i + 1) * length),
  );
}

const LINE_FEED = 0x0a;

/** Lines, without their line feeds. @param bytesMax a longer line is an error @throws Error */
export async function* linesOf(
  chunks: AsyncIterable<Uint8Array>,
  bytesMax: number,
): AsyncGenerator<Uint8Array> {
  let parts: Uint8Array[] = [];
  let held = 0;
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, from)) {
      const end = chunk.subarray(from, at);
      yield parts.length === 0 ? end : joined(...parts, end);
      parts = [];
      held = 0;
      from = at + 1;
    }
    if (from === chunk.length) continue;
    parts.push(chunk.slice(from));
    held += chunk.length - from;
    if (held > bytesMax) throw new Error(`a line has more than ${bytesMax} bytes`);
  }
  if (held > 0) yield joined(...parts);
}
