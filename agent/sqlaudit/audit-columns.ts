import type { JsonScalar } from '../../src/event/audit-record';
import { FILETIME_UNIX_EPOCH, LAST_TICKS, parseTicks } from '../../src/event/event-time';
import {
  AUDIT_EVENT_FIELDS,
  RECORD_FIELDS,
  type RecordFieldName,
  toCamelCase,
  toSnakeCase,
} from '../../src/event/fields';
import { type ColumnReader, columnBytes, columnReader, textReader } from './column-reader';
import { type DecodedEvent, eventTimeText } from './event';
import type { Column, EventType } from './event-type';
import { filetimeText, filetimeTextAt } from './filetime';
import { ObjectSeries, type Values } from './object-series';
import { filetimeReader } from './value-reader';

export const AUDIT_EVENT = 'audit_event';
const ADDITIONAL_INFORMATION = 'additional_information';

/** Parts that differ in one of these columns belong to different records. */
const KEY_COLUMNS = [
  'session_id',
  'event_time',
  'action_id',
  'sequence_group_id',
  'class_type',
  'object_id',
] as const;

/** How to read an `audit_event`, determined once per event type. A column that the file lacks reads as empty. */
interface AuditColumns {
  /** A record with all fields except the statement. */
  readonly record: ObjectSeries;
  /** How each field of a record is read. */
  readonly readers: Readonly<Record<RecordFieldName, ColumnReader>>;
  /** All other columns with a value, under their names in `additional`. */
  readonly additional: ObjectSeries;
  readonly others: readonly { readonly name: string; readonly column: Column }[];
  readonly session: (event: DecodedEvent) => string;
  readonly sequenceNumber: ColumnReader;
  readonly statement: (event: DecodedEvent) => string;
  readonly additionalInformation: (event: DecodedEvent) => string;
  /** Text that serves only for comparison, equal for the parts of one record. */
  readonly key: (event: DecodedEvent) => string;
  /** Whether the file is older than the column `client_ip`: then a login's additional information holds its address. */
  readonly lacksClientIp: boolean;
}

/** The properties of a record in their order. Joining the parts sets those that no column holds. */
const UNFILLED_RECORD: Values = {
  file: '',
  fileGuid: '',
  blockOffset: 0,
  index: 0,
  ...Object.fromEntries(RECORD_FIELDS.map((field) => [field, null])),
  statement: null,
  parts: 1,
  additional: null,
};

const known = new WeakMap<EventType, AuditColumns>();

export function auditColumns(type: EventType): AuditColumns {
  const before = known.get(type);
  if (before) return before;
  const find = (name: string) => type.columnsByName.get(name);
  const key = KEY_COLUMNS.map(find);
  const others = othersOf(type);
  const fields = fieldsOf(type);
  const columns = {
    record: new ObjectSeries(
      fields.filter(({ name }) => name !== 'statement'),
      'kept',
      UNFILLED_RECORD,
    ),
    readers: Object.fromEntries(fields.map(({ name, read }) => [name, read])) as AuditColumns['readers'],
    additional: new ObjectSeries(
      others.map(({ name, column }) => ({ name, read: columnReader(column) })),
      'left out',
    ),
    others,
    session: textReader(find('session_id')),
    sequenceNumber: columnReader(find('sequence_number')),
    statement: textReader(find('statement')),
    additionalInformation: textReader(find(ADDITIONAL_INFORMATION)),
    key: (event: DecodedEvent) => key.map((column) => bytesText(column, event)).join('|'),
    lacksClientIp: find('client_ip') === undefined,
  };
  known.set(type, columns);
  return columns;
}

const bytesText = (column: Column | undefined, event: DecodedEvent): string =>
  column ? columnBytes(column, event).toString('latin1') : '';

const fieldsOf = (type: EventType) =>
  RECORD_FIELDS.map((field) => ({
    name: field,
    read: fieldReader(field, type.columnsByName.get(toSnakeCase(field))),
  }));

/** A later column of the same name replaces an earlier one. */
function othersOf(type: EventType) {
  const named = new Set<string>([ADDITIONAL_INFORMATION, ...RECORD_FIELDS.map(toSnakeCase)]);
  const others = type.columns.filter(({ name }) => !named.has(name));
  const columns = new Map(others.map((column) => [toCamelCase(column.name), column]));
  return [...columns].map(([name, column]) => ({ name, column }));
}

function fieldReader(field: RecordFieldName, column: Column | undefined): ColumnReader {
  const { kind, nullable } = AUDIT_EVENT_FIELDS[field];
  const read = columnReader(column);
  if (kind === 'time') return timeReader(column);
  if (kind === 'boolean') {
    return (event) => {
      const value = read(event);
      return value === true || (typeof value === 'number' && value !== 0);
    };
  }
  const empty = nullable ? null : '';
  return (event) => {
    const value = read(event);
    return value === null ? empty : typeof value === 'string' ? value : String(value);
  };
}

/** The column of the record's own time, if it is a FILETIME. */
export function timeColumn(type: EventType): Column | null {
  const column = type.columnsByName.get('event_time');
  return column?.read === filetimeReader ? column : null;
}

/** If a file lacks this column, or holds anything but a count in it, its events are read as whole records. */
export function countOf(value: JsonScalar): number {
  const number = Number(value ?? 1);
  return Number.isSafeInteger(number) && number > 0 ? number : 1;
}

/** The record's own time; the time of the event's tick if the column is empty (1601 is its zero). */
function timeReader(column: Column | undefined): (event: DecodedEvent) => string {
  if (column?.read === filetimeReader) {
    return (event) => {
      const { view } = event.block;
      const at = event.payload + column.offset;
      const isZero = view.getInt32(at, true) === 0 && view.getInt32(at + 4, true) === 0;
      return (isZero ? null : filetimeTextAt(view, at)) ?? eventTimeText(event);
    };
  }
  const read = columnReader(column);
  return (event) => columnTime(read(event)) ?? eventTimeText(event);
}

function columnTime(value: JsonScalar): string | null {
  if (typeof value !== 'string') return null;
  const text = /^\d{1,20}$/.test(value) ? filetimeText(BigInt(value)) : value;
  const ticks = text === null ? null : parseTicks(text);
  // The service takes no report with another text in place of a time.
  return ticks !== null && ticks > -FILETIME_UNIX_EPOCH && ticks <= LAST_TICKS ? text : null;
}
