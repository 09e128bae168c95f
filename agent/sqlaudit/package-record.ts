import { decodeEventDescriptor, type EventDescriptor } from './event-descriptor';
import { FORMAT_VERSION } from './limits';
import { KIND, kindOf, packageOf } from './object-ref';
import { Region } from './region';

/** Time of tick 0 (FILETIME) and the tick frequency of the server's counter. */
export interface Clock {
  readonly base: bigint;
  readonly ticksPerSecond: bigint;
}
export interface TypeDescriptor {
  readonly ref: number;
  readonly name: string;
  /** Bytes; 0 is variable length. */
  readonly size: number;
}
export interface MapDescriptor {
  readonly ref: number;
  readonly name: string;
  readonly size: number;
  /** Values are combined from the keys, bit by bit. */
  readonly isBitSet: boolean;
  readonly texts: ReadonlyMap<number, string>;
}
export interface ActionDescriptor {
  readonly ref: number;
  readonly name: string;
  readonly typeRef: number;
}
export interface PackageRecord {
  readonly id: number;
  readonly clock: Clock;
  readonly events: readonly EventDescriptor[];
  readonly actions: readonly ActionDescriptor[];
  readonly maps: readonly MapDescriptor[];
  readonly types: readonly TypeDescriptor[];
}
/** Name of a type that is described already; decides how long a read-only value of an event is. */
export type TypeNames = (ref: number) => string | undefined;

/** Descriptor head (8 bytes) and two empty texts (2 + 2) at least. */
const DESCRIPTOR_BYTES_MIN = 12;
const BIT_SET = 0x100;

/** The packages a metadata block describes, in order; a package may occur again in a later block, with more objects. */
export function decodePackageRecords(data: Region, knownTypes: TypeNames): PackageRecord[] {
  const packages: PackageRecord[] = [];
  const ownTypes = new Map<number, string>();
  const typeNames: TypeNames = (ref) => ownTypes.get(ref) ?? knownTypes(ref);
  while (data.left > 0) {
    const start = data.pos;
    const version = data.u16();
    if (version !== FORMAT_VERSION) data.fail(`package record version ${version}`);
    const length = data.u32();
    if (length < 6 || length > data.end - start) data.fail(`package record of ${length} bytes`);
    const decoded = decodePackageRecord(
      new Region(data.bytes, data.pos, start + length, data.fileOffset),
      typeNames,
    );
    for (const type of decoded.types) ownTypes.set(type.ref, type.name);
    packages.push(decoded);
    data.pos = start + length;
  }
  return packages;
}

function decodePackageRecord(record: Region, typeNames: TypeNames): PackageRecord {
  record.take(16 + 10); // source GUID and bytes of unknown meaning
  const clock = { base: record.u64(), ticksPerSecond: record.u64() };
  if (clock.ticksPerSecond === 0n) record.fail('tick frequency 0');
  record.take(4);
  const ref = record.u32();
  expectKind(record, ref, KIND.package);
  record.skipText();
  record.skipText();
  record.take(16 + 16 + 2); // package GUID, module GUID, unknown
  record.take(record.count(12) * 12); // totals of the package in the server, of no use here
  const events = list(record, KIND.event, (at, name) => decodeEventDescriptor(record, at, name, typeNames));
  const actions = list(record, KIND.action, (at, name) => {
    const action: ActionDescriptor = { ref: at, name, typeRef: record.u32() };
    record.take(8);
    return action;
  });
  const maps = list(record, KIND.map, (at, name, flags) => decodeMap(record, at, name, flags));
  const types = list(record, KIND.type, (at, name) => ({ ref: at, name, size: record.u8() }));
  return { id: packageOf(ref), clock, events, actions, maps, types };
}

function list<T>(record: Region, kind: number, decode: (ref: number, name: string, flags: number) => T): T[] {
  const objects: T[] = [];
  for (let left = record.count(DESCRIPTOR_BYTES_MIN); left > 0; left--) {
    record.take(2);
    const flags = record.u16();
    const ref = record.u32();
    expectKind(record, ref, kind);
    const name = record.text();
    record.skipText();
    objects.push(decode(ref, name, flags));
  }
  return objects;
}

function expectKind(record: Region, ref: number, kind: number): void {
  if (kindOf(ref) !== kind) record.fail(`object of kind ${kindOf(ref)} where kind ${kind} belongs`);
}

function decodeMap(record: Region, ref: number, name: string, flags: number): MapDescriptor {
  const size = record.u8();
  if (size !== 1 && size !== 2 && size !== 4 && size !== 8) record.fail(`map with values of ${size} bytes`);
  const texts = new Map<number, string>();
  for (let left = record.u16(); left > 0; left--) {
    const key = record.u32();
    texts.set(key, record.text());
  }
  return { ref, name, size, isBitSet: (flags & BIT_SET) !== 0, texts };
}
