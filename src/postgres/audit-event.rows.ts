import { formatTicks } from '../audit-event/event-time';
import {
  AUDIT_EVENT_FIELDS,
  type AuditEventListItem,
  DETAIL_FIELDS,
  type FieldName,
  LIST_FIELDS,
  STATEMENT_PREVIEW,
  toSnakeCase,
} from '../audit-event/fields';
import { ticksOfRecordId } from '../audit-event/record-id';
import type { StoredAuditEvent } from '../search/audit-event-reader';
import { Prisma } from './database';
import { fromStored, fromStoredJson, storedCharsFor } from './stored-text';

/** A row as a statement returns it, by column name. */
export type Row = Readonly<Record<string, unknown>>;

const columnsOf = (names: readonly FieldName[]) =>
  // The event time has no column: the record id holds it.
  names.filter((name) => name !== 'eventTime').map((name) => `e.${toSnakeCase(name)}`);

const PREVIEW_COLUMN = toSnakeCase(STATEMENT_PREVIEW.name);
const { charsMax } = STATEMENT_PREVIEW;
/** Stored characters, some of which may stand two for one: cut to measure when they are read. */
const PREVIEW = `left(e.statement, ${storedCharsFor(charsMax)}) AS ${PREVIEW_COLUMN}`;

export const LIST_COLUMNS = Prisma.raw([...columnsOf(LIST_FIELDS), PREVIEW].join(', '));
export const DETAIL_COLUMNS = Prisma.raw(
  [...new Set([...columnsOf(DETAIL_FIELDS), ...columnsOf(['sourceType']), 'e.additional'])].join(', '),
);

const READERS = (Object.keys(AUDIT_EVENT_FIELDS) as FieldName[]).map((name) => ({
  name,
  column: toSnakeCase(name),
  read: readerOf(name),
}));
const LIST_READERS = READERS.filter(({ name }) => (LIST_FIELDS as readonly string[]).includes(name));

function readerOf(name: FieldName): (row: Row, column: string) => unknown {
  if (name === 'eventTime') return (row) => formatTicks(ticksOfRecordId(String(row.record_id)));
  const { kind } = AUDIT_EVENT_FIELDS[name];
  if (kind === 'boolean' || kind === 'id') return (row, column) => row[column];
  return (row, column) => textOrNull(String(row[column]));
}

const textOrNull = (stored: string) => (stored === '' ? null : fromStored(stored));

export function toListItem(row: Row): AuditEventListItem {
  const item: Record<string, unknown> = {};
  for (const { name, column, read } of LIST_READERS) item[name] = read(row, column);
  item[STATEMENT_PREVIEW.name] = preview(String(row[PREVIEW_COLUMN]));
  return item as AuditEventListItem;
}

export function toStoredEvent(row: Row): StoredAuditEvent {
  const event: Record<string, unknown> = {
    additional: fromStoredJson(row.additional as StoredAuditEvent['additional']),
  };
  for (const { name, column, read } of READERS) event[name] = read(row, column);
  return event as StoredAuditEvent;
}

function preview(stored: string): string | null {
  if (stored === '') return null;
  const text = fromStored(stored);
  let end = 0;
  for (let count = 0; count < charsMax && end < text.length; count++) {
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  }
  return text.slice(0, end);
}
