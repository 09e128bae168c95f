import type { JsonScalar } from '../../src/audit-event/audit-record';
import { RECORD_FIELDS, type RecordFieldName, toCamelCase, toSnakeCase } from '../../src/audit-event/fields';
import { type Column, columnBytes, columnValue, type EventType } from './event-type';
import { toJson } from './raw-event';

export const AUDIT_EVENT = 'audit_event';
export const ADDITIONAL_INFORMATION = 'additional_information';

/** The records of one file differ in these columns only if they are different records. */
const KEY_COLUMNS = [
  'session_id',
  'event_time',
  'action_id',
  'sequence_group_id',
  'class_type',
  'object_id',
] as const;

/** Columns that hold characters in the bytes of a number: `SL  `, `U `. Their type in the file says nothing. */
const CODE_COLUMNS = new Set(['action_id', 'class_type']);

/** Where an `audit_event` keeps what, looked up once per event type; `undefined` is a column the file lacks. */
export interface AuditColumns {
  /** The fields of a record, but for the statement. */
  readonly fields: readonly { readonly field: RecordFieldName; readonly column: Column | undefined }[];
  readonly key: readonly (Column | undefined)[];
  readonly session: Column | undefined;
  readonly sequenceNumber: Column | undefined;
  readonly statement: Column | undefined;
  readonly additionalInformation: Column | undefined;
  /** All other columns, with their names in `additional`. */
  readonly others: readonly { readonly name: string; readonly column: Column }[];
  /** The file is older than the column `client_ip`: a login's address stands in its additional information. */
  readonly lacksClientIp: boolean;
}

const known = new WeakMap<EventType, AuditColumns>();

export function auditColumns(type: EventType): AuditColumns {
  const before = known.get(type);
  if (before) return before;
  const find = (name: string) => type.columnsByName.get(name);
  const named = new Set<string>([ADDITIONAL_INFORMATION, ...RECORD_FIELDS.map(toSnakeCase)]);
  const columns = {
    fields: RECORD_FIELDS.filter((field) => field !== 'statement').map((field) => ({
      field,
      column: find(toSnakeCase(field)),
    })),
    key: KEY_COLUMNS.map(find),
    session: find('session_id'),
    sequenceNumber: find('sequence_number'),
    statement: find('statement'),
    additionalInformation: find(ADDITIONAL_INFORMATION),
    others: type.columns
      .filter(({ name }) => !named.has(name))
      .map((column) => ({ name: toCamelCase(column.name), column })),
    lacksClientIp: find('client_ip') === undefined,
  };
  known.set(type, columns);
  return columns;
}

/** A column as JSON; null where it is missing or empty, since the format cannot tell '' from NULL. */
export function columnJson(column: Column | undefined, payload: Buffer): JsonScalar {
  if (!column) return null;
  const value = CODE_COLUMNS.has(column.name)
    ? codeText(columnBytes(column, payload))
    : columnValue(column, payload);
  return value === '' ? null : toJson(value);
}

/** The same as text, '' where it is missing or empty. */
export function columnText(column: Column | undefined, payload: Buffer): string {
  const value = columnJson(column, payload);
  return value === null ? '' : String(value);
}

/** The bytes of a column as text that is good for nothing but comparing. */
export function columnKey(column: Column | undefined, payload: Buffer): string {
  return column ? columnBytes(column, payload).toString('latin1') : '';
}

function codeText(bytes: Buffer): string {
  // A wide text has a zero after each letter; a number wider than its code has them at the end.
  return bytes.toString('latin1').replaceAll('\0', '').trim();
}
