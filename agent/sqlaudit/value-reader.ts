import { filetimeText } from './filetime';
import { guidText } from './guid';
import type { MapDescriptor, TypeDescriptor } from './package-record';

/** 64-bit integers are bigint; `null` is an empty value of a type that has no empty form. */
export type Value = string | number | bigint | boolean | null;
/** Value of the bytes `[start, end)`, whose bounds the caller has checked. */
export type ValueReader = (bytes: Buffer, start: number, end: number) => Value;

/** How values of a type are read: by the type's name, with the size the file states. Unknown names: `0x…`. */
export function typeReader(type: TypeDescriptor): ValueReader {
  if (type.size === 0) return VARIABLE.get(type.name) ?? hexOrNull;
  if (SIGNED.has(type.name)) return integerReader(true, type.size);
  if (UNSIGNED.has(type.name)) return integerReader(false, type.size);
  return FIXED.get(`${type.name}:${type.size}`) ?? hexOrNull;
}

/** Text of a mapped value; the number where the map has no text for it. */
export function mapReader(map: MapDescriptor): ValueReader {
  const number = integerReader(false, map.size);
  const bits = [...map.texts].filter(([key]) => key !== 0 && (key & (key - 1)) === 0);
  return (bytes, start, end) => {
    const value = number(bytes, start, end);
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

/** `0x…` in the order of the bytes. */
export const hexText = (bytes: Buffer, start: number, end: number): string =>
  `0x${bytes.toString('hex', start, end)}`;
const hexOrNull: ValueReader = (bytes, start, end) => (start === end ? null : hexText(bytes, start, end));

const SIGNED = new Set(['int8', 'int16', 'int32', 'int64']);
const UNSIGNED = new Set(['uint8', 'uint16', 'uint32', 'uint64', 'cpu_cycle']);

function integerReader(signed: boolean, size: number): ValueReader {
  return INTEGERS[`${signed ? 'int' : 'uint'}${size}`] ?? hexOrNull;
}

const INTEGERS: Readonly<Record<string, ValueReader>> = {
  int1: (bytes, at) => bytes.readInt8(at),
  int2: (bytes, at) => bytes.readInt16LE(at),
  int4: (bytes, at) => bytes.readInt32LE(at),
  int8: (bytes, at) => bytes.readBigInt64LE(at),
  uint1: (bytes, at) => bytes.readUInt8(at),
  uint2: (bytes, at) => bytes.readUInt16LE(at),
  uint4: (bytes, at) => bytes.readUInt32LE(at),
  uint8: (bytes, at) => bytes.readBigUInt64LE(at),
};

// toString('utf16le') keeps unpaired surrogates: text that was cut in a pair can be put together again.
const utf16: ValueReader = (bytes, start, end) => bytes.toString('utf16le', start, end);
// The code page is not in the file; latin1 shows ASCII as it is and loses no byte.
const ansi: ValueReader = (bytes, start, end) => bytes.toString('latin1', start, end);
const guid: ValueReader = (bytes, start, end) =>
  end - start === 16 ? guidText(bytes, start) : hexOrNull(bytes, start, end);
const activity: ValueReader = (bytes, start) => `${guidText(bytes, start)}-${bytes.readUInt32LE(start + 16)}`;
const finite = (value: number) => (Number.isFinite(value) ? value : String(value));

const VARIABLE = new Map<string, ValueReader>([
  ['unicode_string', utf16],
  ['xml', utf16],
  ['ansi_string', ansi],
  ['guid', guid],
]);

/** By name and size: another size under a known name is not what is known, hence opaque. */
const FIXED = new Map<string, ValueReader>([
  ['boolean:1', (bytes, at) => bytes[at] !== 0],
  ['boolean:4', (bytes, at) => bytes.readUInt32LE(at) !== 0],
  ['filetime:8', (bytes, at) => filetimeText(bytes.readBigUInt64LE(at)) ?? bytes.readBigUInt64LE(at)],
  ['guid:16', guid],
  ['activity_id:20', activity],
  ['activity_id_xfer:20', activity],
  ['float32:4', (bytes, at) => finite(bytes.readFloatLE(at))],
  ['float64:8', (bytes, at) => finite(bytes.readDoubleLE(at))],
  ['char:1', ansi],
  ['wchar:2', utf16],
  ['ptr:8', (bytes, at) => `0x${bytes.readBigUInt64LE(at).toString(16).padStart(16, '0')}`],
]);
