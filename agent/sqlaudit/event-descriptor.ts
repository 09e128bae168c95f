import { LIMITS } from './limits';
import { indexOf } from './object-ref';
import type { TypeNames } from './package-record';
import type { Region } from './region';

export interface ColumnDescriptor {
  readonly name: string;
  /** Reference to a type or to a map. */
  readonly typeRef: number;
  /** Of the column's slot in the payload. */
  readonly offset: number;
}
export interface EventDescriptor {
  readonly ref: number;
  readonly name: string;
  readonly columns: readonly ColumnDescriptor[];
}

/** `guid_ptr` is said to have 8 bytes, but stands in the metadata with the 16 of the GUID itself. */
const GUID_POINTER = { name: 'guid_ptr', index: 16 } as const;

/** The rest of an event's description, after its head. Only the data columns are kept. */
export function decodeEventDescriptor(
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
