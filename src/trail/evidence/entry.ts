import { hash } from 'node:crypto';
import type { JsonScalar } from '../../event/audit-record';
import { ENTRY_V1_FIELDS, ENTRY_VERSION } from '../../event/entry-fields';
import { formatTicks } from '../../event/event-time';
import type { AuditEvent } from '../../event/fields';
import { ticksOfRecordId } from '../../event/record-id';
import type { CheckedEvent, CheckedRecord } from '../checked-event';

/**
 * The bytes that the log holds of an event:
 *
 *     entry = 0x01 || JSON of [name, …] || JSON of [field, …, value, …]           (UTF-8, no white space)
 *     leaf hash = SHA-256(0x00 || entry)                                          (RFC 9162, 2.1.1)
 *
 * The names are those in `additional`, sorted by UTF-16 units. The fields are those of `ENTRY_V1_FIELDS`, in its order;
 * an absent field is null. The values are those in `additional`, in the order of their names. Numbers and escapes stand
 * as ECMAScript's JSON.stringify writes them, as in RFC 8785. The detail of the API and of an export has all these
 * values, so its holder can make the entry.
 *
 * 0x01 is the version, `ENTRY_VERSION`. Each entry states its version, so entries of several versions can stand in one
 * log. The names come first because most events have the same names: at ingest they are sorted and written once.
 */
/** RFC 9162 puts this byte before every leaf. */
const LEAF = 0;
const PREFIX = Buffer.of(LEAF, ENTRY_VERSION);

type Additional = Readonly<Record<string, JsonScalar>>;
export type LoggedEvent = AuditEvent & { readonly additional: Additional };
type Value = JsonScalar;

/** The leaf hash, in hexadecimal, of an event as the API and an export give it. */
export function leafHashOf(event: LoggedEvent): string {
  const { sorted, head } = orderOf(Object.keys(event.additional));
  const values: Value[] = ENTRY_V1_FIELDS.map((name) => event[name] ?? null);
  for (const name of sorted) values.push(event.additional[name] ?? null);
  return hashOfEntry(head, JSON.stringify(values));
}

type StatedName = Exclude<(typeof ENTRY_V1_FIELDS)[number], 'recordId' | 'tenantId' | 'eventTime'>;
const STATED = ENTRY_V1_FIELDS.slice(3) as StatedName[];
/** The length of a time with all seven decimals. */
const TIME_CHARS = 28;

/** The leaf hash of an event that is about to be stored. */
export function leafHashOfChecked(tenantId: number, { recordId, record }: CheckedEvent): string {
  const { eventTime } = record;
  const time = eventTime.length === TIME_CHARS ? eventTime : formatTicks(ticksOfRecordId(recordId));
  const values: Value[] = [recordId, String(tenantId), time];
  for (const name of STATED) {
    const value = record[name];
    values.push(value === undefined || value === '' ? null : value);
  }
  const stated: Additional = record.additional ?? {};
  const { sorted, head } = orderOf(Object.keys(stated), SOURCE_NAMES);
  for (const name of sorted) values.push(sourceValue(name, record) ?? stated[name] ?? null);
  return hashOfEntry(head, JSON.stringify(values));
}
const SOURCE_NAMES = ['file', 'fileGuid', 'blockOffset', 'index', 'parts'];

/** A value of `sourceOf`, without an object for each event; undefined: the name is not one of the source. */
function sourceValue(name: string, record: CheckedRecord): Value | undefined {
  switch (name) {
    case 'file':
      return record.file;
    case 'fileGuid':
      return record.fileGuid.toLowerCase();
    case 'blockOffset':
      return record.blockOffset;
    case 'index':
      return record.index;
    case 'parts':
      return record.parts ?? 1;
  }
  return undefined;
}

interface Order {
  readonly names: readonly string[];
  readonly others: readonly string[];
  readonly sorted: readonly string[];
  /** The beginning of the entry, up to its values. */
  readonly head: Buffer;
}
/** The last order for each number of names: events that follow each other usually have the same names. */
const lastOrders: Order[] = [];
const ORDERS_MAX = 100;

function orderOf(names: readonly string[], others: readonly string[] = []): Order {
  const known = lastOrders[names.length];
  if (known && known.others === others && known.names.every((name, i) => name === names[i])) return known;
  const sorted = [...names, ...others].sort();
  const head = Buffer.concat([PREFIX, Buffer.from(JSON.stringify(sorted))]);
  const order = { names, others, sorted, head };
  if (names.length < ORDERS_MAX) lastOrders[names.length] = order;
  return order;
}

const UTF8_BYTES_PER_UNIT = 3;
let room = Buffer.allocUnsafeSlow(16_384);

function hashOfEntry(head: Buffer, values: string): string {
  const needed = head.length + values.length * UTF8_BYTES_PER_UNIT;
  if (needed > room.length) room = Buffer.allocUnsafeSlow(needed);
  head.copy(room);
  const end = head.length + room.write(values, head.length, 'utf8');
  return hash('sha256', room.subarray(0, end), 'hex');
}
