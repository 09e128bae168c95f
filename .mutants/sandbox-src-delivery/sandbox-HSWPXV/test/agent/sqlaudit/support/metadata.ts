import { guidBytes, metadataBlock } from './blocks';

/** A file's metadata, for tests of schemas that no fixture has. Everything goes into one package. */
export interface Description {
  readonly packageId?: number;
  readonly clock?: { readonly base: bigint; readonly ticksPerSecond: bigint };
  /** Sizes by type name; 0 is variable. */
  readonly types?: Readonly<Record<string, number>>;
  readonly maps?: Readonly<Record<string, MapDescription>>;
  /** Type or map names by action name. */
  readonly actions?: Readonly<Record<string, string>>;
  /** Columns of each event: type or map names by column name. */
  readonly events?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}
export interface MapDescription {
  readonly size: 1 | 2 | 4 | 8;
  readonly bits?: boolean;
  readonly texts: Readonly<Record<number, string>>;
}

export const ANY_GUID = '2f8d3c0a-0c1e-4c5e-9e55-2a6f1f0f7a01';
/** 2025-04-10T00:00:00Z */
export const CLOCK = { base: 133_887_168_000_000_000n, ticksPerSecond: 10_000_000n };

export const describeIn = (description: Description): Buffer => metadataBlock(packageRecord(description));

export function packageRecord(description: Description): Buffer {
  const { packageId = 0, clock = CLOCK, types = {}, maps = {}, actions = {}, events = {} } = description;
  const ref = (kind: number, index: number) => u32(((kind << 28) | (index << 10) | packageId) >>> 0);
  const typeNames = Object.keys(types);
  const mapNames = Object.keys(maps);
  const typeRef = (name: string) =>
    mapNames.includes(name) ? ref(3, mapNames.indexOf(name)) : ref(6, typeNames.indexOf(name));
  const sizeOf = (name: string) => maps[name]?.size ?? types[name] ?? 0;
  const head = (kind: number, index: number, name: string, flags = 0) => [
    u16(0),
    u16(flags),
    ref(kind, index),
    zstr(name),
    zstr('described'),
  ];
  const eventParts = Object.entries(events).map(([name, columns], i) => [
    ...head(0, i, name),
    u16(0),
    u16(0),
    u16(Object.keys(columns).length),
    u16(0),
    ...columnParts(columns, typeRef, sizeOf),
  ]);
  const actionParts = Object.entries(actions).map(([name, type], i) => [
    ...head(1, i, name),
    typeRef(type),
    u32(0),
    u32(0),
  ]);
  const mapParts = Object.entries(maps).map(([name, map], i) => [
    ...head(3, i, name, map.bits ? 0x100 : 0),
    Buffer.from([map.size]),
    u16(Object.keys(map.texts).length),
    ...Object.entries(map.texts).flatMap(([key, text]) => [u32(Number(key)), zstr(text)]),
  ]);
  const typeParts = Object.entries(types).map(([name, size], i) => [
    ...head(6, i, name),
    Buffer.from([size]),
  ]);
  const body = Buffer.concat([
    guidBytes(ANY_GUID),
    Buffer.alloc(10),
    u64(clock.base),
    u64(clock.ticksPerSecond),
    u32(0x0a),
    ref(8, 0),
    zstr('package'),
    zstr('described'),
    Buffer.alloc(34),
    u32(0),
    ...[eventParts, actionParts, mapParts, typeParts].flatMap((list) => [u32(list.length), ...list.flat()]),
  ]);
  return Buffer.concat([u16(10), u32(6 + body.length), body]);
}

function columnParts(
  columns: Readonly<Record<string, string>>,
  typeRef: (name: string) => Buffer,
  sizeOf: (name: string) => number,
): Buffer[] {
  let offset = 0;
  return Object.entries(columns).flatMap(([name, type]) => {
    const at = offset;
    offset += sizeOf(type) || 8;
    return [typeRef(type), zstr(name), u16(at), u16(0), zstr('')];
  });
}

export function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}
export function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
export function u64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
}
export const zstr = (text: string): Buffer => Buffer.from(`${text}\0`, 'utf16le');
