import type { JsonScalar } from '../../src/event/audit-record';
import type { ByteView } from './byte-view';
import { filetimeTextAt } from './filetime';
import { guidText } from './guid';
import type { MapDescriptor, TypeDescriptor } from './package-record';
import { utf16Text } from './text-cache';

/**
 * Reads the bytes `[start, end)` as a JSON value. The caller has checked the bounds. 64-bit integers become text.
 * `null` is an empty value of a type that has no empty form.
 */
export type ValueReader = (block: ByteView, start: number, end: number) => JsonScalar;

/** Reads values of a type by its name and the size that the file states. Unknown types read as `0x…`. */
export function typeReader(type: TypeDescriptor): ValueReader {
  if (type.size === 0) return VARIABLE.get(type.name) ?? hexOrNull;
  if (SIGNED.has(type.name)) return integerReader(true, type.size);
  if (UNSIGNED.has(type.name)) return integerReader(false, type.size);
  return FIXED.get(`${type.name}:${type.size}`) ?? hexOrNull;
}

/** Text of a mapped value; the number if the map has no text for it. */
export function mapReader(map: MapDescriptor): ValueReader {
  const number = integerReader(false, map.size);
  const bits = [...map.texts].filter(([key]) => key !== 0 && (key & (key - 1)) === 0);
  return (block, start, end) => {
    const value = number(block, start, end);
    const key = Number(value);
    const text = map.texts.get(key);
    if (text !== undefined || !map.isBitSet || key > 0xffffffff) return text ?? value;
    return combinedText(key, bits) ?? value;
  };
}

function combinedText(value: number, bits: readonly (readonly [number, string])[]): string | null {
  const set = bits.filter(([bit]) => (value & bit) !== 0);
  const covered = set.reduce((sum, [bit]) => (sum | bit) >>> 0, 0);
  return value !== 0 && covered === value ? set.map(([, text]) => text).join('|') : null;
}

const hexOrNull: ValueReader = ({ bytes }, start, end) =>
  start === end ? null : `0x${bytes.toString('hex', start, end)}`;

const SIGNED = new Set(['int8', 'int16', 'int32', 'int64']);
const UNSIGNED = new Set(['uint8', 'uint16', 'uint32', 'uint64', 'cpu_cycle']);

function integerReader(signed: boolean, size: number): ValueReader {
  return INTEGERS[`${signed ? 'int' : 'uint'}${size}`] ?? hexOrNull;
}

/** Most 64-bit values are small, and many are zero. Small numbers become text without a bigint. */
function smallText(view: DataView, at: number): string | null {
  const low = view.getInt32(at, true);
  if (low < 0 || view.getInt32(at + 4, true) !== 0) return null;
  return low === 0 ? '0' : String(low);
}

const INTEGERS: Readonly<Record<string, ValueReader>> = {
  int1: ({ view }, at) => view.getInt8(at),
  int2: ({ view }, at) => view.getInt16(at, true),
  int4: ({ view }, at) => view.getInt32(at, true),
  int8: ({ view }, at) => smallText(view, at) ?? view.getBigInt64(at, true).toString(),
  uint1: ({ view }, at) => view.getUint8(at),
  uint2: ({ view }, at) => view.getUint16(at, true),
  uint4: ({ view }, at) => view.getUint32(at, true),
  uint8: ({ view }, at) => smallText(view, at) ?? view.getBigUint64(at, true).toString(),
};

// The file does not state the code page. latin1 reads ASCII correctly and loses no byte.
const ansi: ValueReader = ({ bytes }, start, end) => bytes.toString('latin1', start, end);
export const guid: ValueReader = (block, start, end) =>
  end - start === 16 ? guidText(block.bytes, start) : hexOrNull(block, start, end);
const activity: ValueReader = ({ bytes, view }, start) =>
  `${guidText(bytes, start)}-${view.getUint32(start + 16, true)}`;
const finite = (value: number) => (Number.isFinite(value) ? value : String(value));
/** A FILETIME beyond the year 9999 is read as a number. */
export const filetimeReader: ValueReader = ({ view }, at) =>
  filetimeTextAt(view, at) ?? view.getBigUint64(at, true).toString();

const VARIABLE = new Map<string, ValueReader>([
  ['unicode_string', utf16Text],
  ['xml', utf16Text],
  ['ansi_string', ansi],
  ['guid', guid],
]);

/** The readers by name and size: a known name with another size is an unknown type. */
const FIXED = new Map<string, ValueReader>([
  ['boolean:1', ({ view }, at) => view.getUint8(at) !== 0],
  ['boolean:4', ({ view }, at) => view.getUint32(at, true) !== 0],
  ['filetime:8', filetimeReader],
  ['guid:16', guid],
  ['activity_id:20', activity],
  ['activity_id_xfer:20', activity],
  ['float32:4', ({ view }, at) => finite(view.getFloat32(at, true))],
  ['float64:8', ({ view }, at) => finite(view.getFloat64(at, true))],
  ['char:1', ansi],
  ['wchar:2', utf16Text],
  ['ptr:8', ({ view }, at) => `0x${view.getBigUint64(at, true).toString(16).padStart(16, '0')}`],
]);
