import { FORMAT_VERSION, LIMITS } from './limits';
import { indexOf, KIND, kindOf, packageOf } from './object-ref';
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
  /** Whether a value is a combination of keys, bit by bit. */
  readonly isBitSet: boolean;
  readonly texts: ReadonlyMap<number, string>;
}
export interface ActionDescriptor {
  readonly ref: number;
  readonly name: string;
  readonly typeRef: number;
}
interface ColumnDescriptor {
  readonly name: string;
  /** Reference to a type or to a map. */
  readonly typeRef: number;
  /** Offset of the column's slot in the payload. */
  readonly offset: number;
}
export interface EventDescriptor {
  readonly ref: number;
  readonly name: string;
  readonly columns: readonly ColumnDescriptor[];
}
export interface PackageRecord {
  readonly id: number;
  readonly clock: Clock;
  readonly events: readonly EventDescriptor[];
  readonly actions: readonly ActionDescriptor[];
  readonly maps: readonly MapDescriptor[];
  readonly types: readonly TypeDescriptor[];
}
/** Name of a type that is already described. It decides the length of a read-only value of an event. */
type TypeNames = (ref: number) => string | undefined;

/** At least the descriptor head (8 bytes) and two empty texts (2 + 2). */
const DESCRIPTOR_BYTES_MIN = 12;
const BIT_SET = 0x100;

/** The packages that a metadata block describes, in order. A package may occur again in a later block, with more objects. */
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

/** `guid_ptr` is said to have 8 bytes, but the metadata holds the 16 bytes of the GUID itself. */
const GUID_POINTER = { name: 'guid_ptr', index: 16 } as const;

/** The rest of an event's description after its head. It keeps only the data columns. */
function decodeEventDescriptor(
  record: Region,
  ref: number,
  name: string,
  typeNames: TypeNames,
): EventDescriptor {
  const readOnly = record.u16();
  const custom = record.u16();
  const data = record.u16();
  if (data > LIMITS.columnsPerEventMax) record.fail(`event with ${data} columns`);
  record.take(2); // number of leading columns of fixed size: the types tell the same
  for (let i = 0; i < readOnly; i++) skipReadOnly(record, typeNames);
  for (let i = 0; i < custom; i++) skipCustom(record);
  const columns: ColumnDescriptor[] = [];
  for (let i = 0; i < data; i++) columns.push(decodeColumn(record));
  return { ref, name, columns };
}

function skipReadOnly(record: Region, typeNames: TypeNames): void {
  const typeRef = record.u32();
  record.skipText();
  const typeName = typeNames(typeRef);
  const isGuid =
    typeName === undefined ? indexOf(typeRef) === GUID_POINTER.index : typeName === GUID_POINTER.name;
  record.take(isGuid ? 16 : 8);
  record.skipText();
}

function skipCustom(record: Region): void {
  record.take(4);
  record.skipText();
  record.take(24);
  record.skipText();
}

function decodeColumn(record: Region): ColumnDescriptor {
  const typeRef = record.u32();
  const name = record.text();
  const offset = record.u16();
  record.take(2);
  record.skipText();
  return { name, typeRef, offset };
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
