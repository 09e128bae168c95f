import { hash } from 'node:crypto';
import { ENTRY_SALT, type JsonScalar } from '../../../event/audit-record';
import { ENTRY_V1_FIELDS, ENTRY_VERSION, entryTexts } from '../../../event/entry-fields';
import type { AuditEvent } from '../../../event/fields';
import { copyBytes } from '../../../event/json-bytes';
import { writeIdText } from '../../../event/record-id';
import { SOURCE_NAMES } from '../../bytes/checked-event';
import { type EventBytes, type Member, NO_SALT, placeOf } from '../../bytes/event-bytes';
import { type Names, PER_VALUE } from '../../rows/additional-names';

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
 * 0x01 is the form, `ENTRY_VERSION`. An entry of version 2 has the same form, with the random value `entrySalt` in
 * `additional`, so verifiers of version 1 read it. An erasure has an entry of another form (`erasure-entry.ts`). The names come first because most events have the same names: at ingest they are sorted and written once.
 */
/** RFC 9162 puts this byte before every leaf. */
const LEAF = 0;
const PREFIX = Buffer.of(LEAF, ENTRY_VERSION);

type Additional = Readonly<Record<string, JsonScalar>>;
export type LoggedEvent = AuditEvent & { readonly additional: Additional };

/** The leaf hash, in hexadecimal, of an event as the API and an export give it. */
export function leafHashOf(event: LoggedEvent): string {
  const [names, values] = entryTexts(event);
  return hashOfEntry(headOf(names), values);
}

const STATED = ENTRY_V1_FIELDS.slice(3).map((name) => placeOf(name as Member));
const EVENT_TIME = placeOf('eventTime');
const SOURCE = SOURCE_NAMES.map(placeOf);
const [OPEN, CLOSE, QUOTE, COMMA] = [0x5b, 0x5d, 0x22, 0x2c];
const [NULL, ONE] = [Buffer.from('null'), Buffer.from('1')];
/** More than an entry has beside its names and values: two ids and the punctuation around them. */
const FRAME_BYTES = 128;

/**
 * Writes the leaf hash of an event that is about to be stored, 32 bytes.
 * @param tenant the tenant's id in decimal
 */
export function writeLeafHash(tenant: Buffer, event: EventBytes, target: Buffer, hashAt: number): void {
  const { bytes, additional, names, salt } = event;
  const { head, places } = orderFor(names, salt === NO_SALT ? 'unsalted' : 'salted');
  const values = STATED.length + places.length;
  const to = room(head.length + FRAME_BYTES + salt.length + event.length + values * (NULL.length + 1));
  let at = copyBytes(head, 0, head.length, to, 0);
  to[at++] = OPEN;
  to[at++] = QUOTE;
  at = writeIdText(event.id, to, at);
  to[at++] = QUOTE;
  to[at++] = COMMA;
  to[at++] = QUOTE;
  at = copyBytes(tenant, 0, tenant.length, to, at);
  to[at++] = QUOTE;
  to[at++] = COMMA;
  at = writeValue(event, EVENT_TIME, NULL, to, at);
  for (const place of STATED) at = writeValue(event, place, NULL, to, at);
  for (const place of places) {
    // The other ones are places in `additional`.
    if (place === SALT_PLACE) {
      at = copyBytes(salt, 0, salt.length, to, at);
      to[at++] = COMMA;
    } else if (place < 0) at = writeValue(event, ~place, ONE, to, at);
    else {
      at = copyBytes(bytes, additional[place + 2] as number, additional[place + 3] as number, to, at);
      to[at++] = COMMA;
    }
  }
  to[at - 1] = CLOSE;
  target.write(hash('sha256', to.subarray(0, at), 'binary'), hashAt, 'latin1');
}

/** Writes a value and a comma. @param absent stands for a value that is absent or empty */
function writeValue(event: EventBytes, place: number, absent: Buffer, to: Buffer, at: number): number {
  const end = event.isGiven(place)
    ? copyBytes(event.bytes, event.startAt(place), event.endAt(place), to, at)
    : copyBytes(absent, 0, absent.length, to, at);
  to[end] = COMMA;
  return end + 1;
}

interface Order {
  /** The beginning of the entry, up to its values. */
  readonly head: Buffer;
  /**
   * For each value in its order: where it stands in `EventBytes.additional`, or `~` its place as a member, or
   * `SALT_PLACE`.
   */
  readonly places: readonly number[];
}
const SALT_PLACE = Number.MIN_SAFE_INTEGER;
const orders = { salted: new WeakMap<Names, Order>(), unsalted: new WeakMap<Names, Order>() };

function orderFor(names: Names, kind: keyof typeof orders): Order {
  let order = orders[kind].get(names);
  if (!order) {
    const places = new Map(names.texts.map((name, i) => [name, PER_VALUE * i]));
    SOURCE_NAMES.forEach((name, i) => void places.set(name, ~(SOURCE[i] as number)));
    if (kind === 'salted') places.set(ENTRY_SALT, SALT_PLACE);
    const sorted = [...places.keys()].sort();
    order = {
      head: headOf(JSON.stringify(sorted)),
      places: sorted.map((name) => places.get(name) as number),
    };
    orders[kind].set(names, order);
  }
  return order;
}

const headOf = (names: string) => Buffer.concat([PREFIX, Buffer.from(names)]);

const UTF8_BYTES_PER_UNIT = 3;

function hashOfEntry(head: Buffer, values: string): string {
  const memory = room(head.length + values.length * UTF8_BYTES_PER_UNIT);
  const at = copyBytes(head, 0, head.length, memory, 0);
  return hash('sha256', memory.subarray(0, at + memory.write(values, at, 'utf8')), 'hex');
}

let memory = Buffer.allocUnsafeSlow(16_384);

/** Memory for the bytes of an entry. */
function room(bytes: number): Buffer {
  if (bytes > memory.length) memory = Buffer.allocUnsafeSlow(bytes);
  return memory;
}
