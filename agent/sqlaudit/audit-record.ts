import type { AuditRecord, JsonScalar, RecordSource } from '../../src/audit-event/audit-record';
import { AUDIT_EVENT_FIELDS, type RecordFieldName, toCamelCase } from '../../src/audit-event/fields';
import {
  AUDIT_EVENT,
  type AuditColumns,
  auditColumns,
  columnJson,
  columnKey,
  columnText,
} from './audit-columns';
import type { DecodedEvent } from './event';
import type { Column } from './event-type';
import { filetimeText } from './filetime';
import { loginAddress } from './login-address';
import { withoutPasswordHash } from './password-hash';
import { toJson } from './raw-event';

/**
 * One `audit_event` of a file: a whole audit record or a part of a split one. The two columns that are split are
 * kept apart and as they are in the file; only `toAuditRecord` makes something of them that may leave the agent.
 */
export interface AuditPart {
  /** The record without what is only known once its parts are joined. */
  readonly record: UnjoinedRecord;
  /** From 1; the parts of a record count on. */
  readonly sequenceNumber: number;
  /** Session the record is of: a session writes one record after the other. */
  readonly session: string;
  /** Equal for the parts of one record. */
  readonly key: string;
  readonly texts: SplitTexts;
  readonly additional: { readonly [key: string]: JsonScalar };
  /** The file is older than the column `client_ip`: the address stands in the additional information. */
  readonly lacksClientIp: boolean;
}
/** The columns SQL Server cuts at 4000 UTF-16 units; '' where absent. */
export interface SplitTexts {
  readonly statement: string;
  readonly additionalInformation: string;
}

type UnjoinedRecord = Omit<AuditRecord, 'parts' | 'additional'> & { readonly statement: null };

/** @returns null for an event that is no audit record. */
export function toAuditPart(event: DecodedEvent, source: RecordSource): AuditPart | null {
  if (event.type.name !== AUDIT_EVENT) return null;
  const columns = auditColumns(event.type);
  const { payload } = event;
  return {
    record: unjoinedRecord(columns, event, source),
    sequenceNumber: sequenceNumber(columnJson(columns.sequenceNumber, payload)),
    session: columnText(columns.session, payload),
    key: columns.key.map((column) => columnKey(column, payload)).join('|'),
    texts: {
      statement: columnText(columns.statement, payload),
      additionalInformation: columnText(columns.additionalInformation, payload),
    },
    additional: additionalValues(columns, event),
    lacksClientIp: columns.lacksClientIp,
  };
}

/**
 * The record of a part and the texts of all its parts.
 * @param parts how many were joined; `texts` are those of all of them
 */
export function toAuditRecord(first: AuditPart, texts: SplitTexts, parts: number): AuditRecord {
  const isFragment = first.sequenceNumber > 1;
  const information = withoutPasswordHash(texts.additionalInformation, { isFragment });
  const { record, additional } = first;
  const address = first.lacksClientIp ? loginAddress(record.actionId, information) : null;
  return {
    ...record,
    clientIp: record.clientIp ?? address,
    statement: texts.statement || null,
    parts,
    additional: information === '' ? additional : { ...additional, additionalInformation: information },
  };
}

/** A file without the column, or with anything but a count in it, is taken to hold whole records. */
function sequenceNumber(value: JsonScalar): number {
  const number = Number(value ?? 1);
  return Number.isSafeInteger(number) && number > 0 ? number : 1;
}

function unjoinedRecord(columns: AuditColumns, event: DecodedEvent, source: RecordSource): UnjoinedRecord {
  const { file, fileGuid, blockOffset, index } = source;
  const record: { [key: string]: JsonScalar } = { file, fileGuid, blockOffset, index };
  for (const { field, column } of columns.fields) record[field] = fieldValue(field, column, event);
  record.statement = null;
  return record as UnjoinedRecord;
}

function fieldValue(field: RecordFieldName, column: Column | undefined, event: DecodedEvent): JsonScalar {
  const { kind, nullable } = AUDIT_EVENT_FIELDS[field];
  const value = columnJson(column, event.payload);
  if (kind === 'boolean') return value === true || (typeof value === 'number' && value !== 0);
  if (kind === 'time') return columnTime(value) ?? filetimeText(event.filetime);
  return value === null ? (nullable ? null : '') : String(value);
}

/** The record's own time; null where the column holds none (1601 is its zero), so that the event's tick decides. */
function columnTime(value: JsonScalar): string | null {
  if (typeof value !== 'string') return null;
  const text = /^\d{1,20}$/.test(value) ? filetimeText(BigInt(value)) : value;
  return text && /^\d{4}-\d\d-\d\dT/.test(text) && !text.startsWith('1601-01-01T00:00:00.0000000')
    ? text
    : null;
}

/** Everything the event states beside the fields and the split texts. */
function additionalValues(columns: AuditColumns, event: DecodedEvent): { [key: string]: JsonScalar } {
  const values: { [key: string]: JsonScalar } = {};
  for (const { name, column } of columns.others) {
    const value = columnJson(column, event.payload);
    if (value !== null) values[name] = value;
  }
  for (const { type, bytes } of event.actions) {
    const value = type.read(bytes, 0, bytes.length);
    if (value !== null && value !== '') values[toCamelCase(type.name)] = toJson(value);
  }
  return values;
}
