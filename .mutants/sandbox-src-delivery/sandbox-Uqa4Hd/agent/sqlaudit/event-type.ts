import { quoted } from './decode-error';
import { soundTicks } from './filetime';
import { KIND, kindOf } from './object-ref';
import type {
  ActionDescriptor,
  Clock,
  EventDescriptor,
  MapDescriptor,
  TypeDescriptor,
} from './package-record';
import { mapReader, typeReader, type ValueReader } from './value-reader';

/** The slot of a value of variable size holds its offset and length. */
const VARIABLE_SLOT_BYTES = 8;

/** Values are set on plain objects under their names, and this name would set the object's prototype. */
const UNSAFE_NAME = '__proto__';

export interface Column {
  readonly name: string;
  /** Offset of the slot in the payload. */
  readonly offset: number;
  /** Bytes of the value; 0: variable, and the slot holds its offset and length. */
  readonly size: number;
  readonly read: ValueReader;
}
/** An event as the file describes it, prepared for reading many of them. */
export interface EventType {
  readonly name: string;
  readonly clock: Clock;
  /** Tick counts below this certainly mean a time before the year 10000. */
  readonly soundTicks: number;
  readonly columns: readonly Column[];
  readonly variableColumns: readonly Column[];
  readonly columnsByName: ReadonlyMap<string, Column>;
  /** Size of all slots together, so the least size of a payload. */
  readonly slotBytes: number;
}
export interface ActionType {
  readonly name: string;
  readonly size: number;
  readonly read: ValueReader;
}
interface TypeLookup {
  type(ref: number): TypeDescriptor | undefined;
  map(ref: number): MapDescriptor | undefined;
}

/** @returns a text that says why, if the description is inconsistent */
export function compileEvent(event: EventDescriptor, clock: Clock, types: TypeLookup): EventType | string {
  const columns: Column[] = [];
  let slotBytes = 0;
  for (const { name, typeRef, offset } of event.columns) {
    const layout = layoutOf(typeRef, types);
    if (name === UNSAFE_NAME) return `column ${quoted(name)} of event ${quoted(event.name)}`;
    if (!layout) return `type of column ${quoted(name)} of event ${quoted(event.name)} is not described`;
    // Slots that overlap would let a small payload cost as much as a large one.
    if (offset < slotBytes)
      return `column ${quoted(name)} of event ${quoted(event.name)} overlaps the one before`;
    slotBytes = offset + (layout.size || VARIABLE_SLOT_BYTES);
    columns.push({ name, offset, ...layout });
  }
  return {
    name: event.name,
    clock,
    soundTicks: soundTicks(clock),
    columns,
    variableColumns: columns.filter((column) => column.size === 0),
    columnsByName: new Map(columns.map((column) => [column.name, column])),
    slotBytes,
  };
}

/** @returns a text that says why, if the action's type is not described */
export function compileAction(action: ActionDescriptor, types: TypeLookup): ActionType | string {
  const layout = layoutOf(action.typeRef, types);
  if (action.name === UNSAFE_NAME) return `action ${quoted(action.name)}`;
  return layout ? { name: action.name, ...layout } : `type of action ${quoted(action.name)} is not described`;
}

function layoutOf(ref: number, types: TypeLookup): { size: number; read: ValueReader } | null {
  if (kindOf(ref) === KIND.map) {
    const map = types.map(ref);
    return map ? { size: map.size, read: mapReader(map) } : null;
  }
  const type = kindOf(ref) === KIND.type ? types.type(ref) : undefined;
  return type ? { size: type.size, read: typeReader(type) } : null;
}
