import { hash } from 'node:crypto';
import type { JsonScalar } from '../audit-event/audit-record';
import { canonicalJson } from '../audit-event/canonical-json';
import { formatTicks } from '../audit-event/event-time';
import { type AuditEvent, FIELD_NAMES, type FieldName } from '../audit-event/fields';
import { ticksOfRecordId } from '../audit-event/record-id';
import type { CheckedEvent } from '../ingest/checked-event';

/**
 * What the log holds of an event, as bytes:
 *
 *     entry = 0x01 || UTF-8 of the JSON array [field, field, …, additional]
 *     leaf hash = SHA-256(0x00 || entry)                                        (RFC 9162, 2.1.1)
 *
 * The fields are those of the field table, in its order; an absent one is null. `additional` is an object with its names
 * sorted by UTF-16 units. No white space; numbers and escapes as ECMAScript's JSON.stringify writes them, which is also
 * RFC 8785. Everything in it is in the detail that the API and an export give, so whoever has that can make the entry.
 *
 * 0x01 is the version: another order or another set of fields is another version.
 */
const LEAF_PREFIX = '\x00\x01';

export type Additional = Readonly<Record<string, JsonScalar>>;
export type LoggedEvent = AuditEvent & { readonly additional: Additional };

/** The leaf hash, in hexadecimal, of an event as the API and an export give it. */
export const leafHashOf = (event: LoggedEvent): string =>
  hashOfEntry(
    FIELD_NAMES.map((name) => event[name] ?? null),
    canonicalJson(event.additional),
  );

const STATED = FIELD_NAMES.filter((name) => !['recordId', 'tenantId', 'eventTime'].includes(name)) as Exclude<
  FieldName,
  'recordId' | 'tenantId' | 'eventTime'
>[];
/** Of a time with all its seven decimals. */
const TIME_CHARS = 28;

/** The same of an event that is about to be stored. @param additionalJson as `additionalJsonOf` gives it */
export function leafHashOfChecked(
  tenantId: number,
  { recordId, record }: CheckedEvent,
  additionalJson: string,
): string {
  const { eventTime } = record;
  const time = eventTime.length === TIME_CHARS ? eventTime : formatTicks(ticksOfRecordId(recordId));
  const values: (string | boolean | null)[] = [recordId, String(tenantId), time];
  for (const name of STATED) {
    const value = record[name];
    values.push(value === undefined || value === '' ? null : value);
  }
  return hashOfEntry(values, additionalJson);
}

const hashOfEntry = (values: readonly unknown[], additionalJson: string) =>
  hash('sha256', `${LEAF_PREFIX}${JSON.stringify(values).slice(0, -1)},${additionalJson}]`, 'hex');
