/** A value in DER (X.690): its tag, its content, and the bytes of the whole. */
export interface Der {
  readonly tag: number;
  readonly content: Uint8Array;
  readonly bytes: Uint8Array;
}

export const TAG = {
  integer: 0x02,
  octets: 0x04,
  objectId: 0x06,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;
/** The tag of a constructed value that the context numbers. */
export const numbered = (number: number): number => 0xa0 + number;

const TAG_NUMBER = 0x1f;
const LONG_LENGTH = 0x80;
const LENGTH_BYTES_MAX = 4;

/** @throws Error unless the bytes are one value */
export function readDer(bytes: Uint8Array): Der {
  const value = valueAt(bytes, 0);
  if (value.bytes.length !== bytes.length) throw new Error('something follows its end');
  return value;
}

/** The values that stand in another one, one after the other. @throws Error */
export function itemsOf({ content }: Der): Der[] {
  const items: Der[] = [];
  for (let at = 0; at < content.length; ) {
    const item = valueAt(content, at);
    items.push(item);
    at += item.bytes.length;
  }
  return items;
}

/** @throws Error if the value is missing or of another kind */
export function expected(value: Der | undefined, tag: number, what: string): Der {
  if (value?.tag !== tag) throw new Error(`it has no ${what} where there must be one`);
  return value;
}

/** @throws Error if it is no object identifier @returns with dots */
export function objectId(value: Der | undefined): string {
  const { content } = expected(value, TAG.objectId, 'object identifier');
  const arcs: number[] = [];
  let arc = 0;
  for (const byte of content) {
    arc = arc * 128 + (byte & 0x7f);
    if (!Number.isSafeInteger(arc)) throw new Error('it has an endless object identifier');
    if (byte >= 128) continue;
    arcs.push(arc);
    arc = 0;
  }
  const [both = 0, ...others] = arcs;
  const first = Math.min(Math.floor(both / 40), 2);
  return [first, both - 40 * first, ...others].join('.');
}

function valueAt(bytes: Uint8Array, at: number): Der {
  const [tag, first] = [bytes[at], bytes[at + 1]];
  if (tag === undefined || first === undefined) throw new Error('it is cut off');
  if ((tag & TAG_NUMBER) === TAG_NUMBER) throw new Error('it has a tag that nothing here has');
  let [start, length] = [at + 2, first];
  if (first >= LONG_LENGTH) {
    const count = first - LONG_LENGTH;
    if (count === 0 || count > LENGTH_BYTES_MAX) throw new Error('it has a length that DER does not allow');
    length = 0;
    for (const byte of bytes.subarray(start, start + count)) length = length * 256 + byte;
    start += count;
  }
  if (start + length > bytes.length) throw new Error('it is cut off');
  return { tag, content: bytes.subarray(start, start + length), bytes: bytes.subarray(at, start + length) };
}
