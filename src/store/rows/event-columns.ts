import { BinaryArray } from '../../database/binary-array';
import { ENTRY_SALT } from '../../event/audit-record';
import { AUDIT_EVENT_FIELDS, COLUMN_OF, INGEST_FIELDS, SEARCHED_FIELDS } from '../../event/fields';
import { copyBytes, copyUnescaped } from '../../event/json-bytes';
import { isAscii, searchableText } from '../../event/search-terms';
import {
  additionalJsonOf,
  type CheckedEvent,
  type CheckedRecord,
  SOURCE_NAMES,
} from '../bytes/checked-event';
import { type EventBytes, KIND, NO_SALT, placeOf } from '../bytes/event-bytes';
import { toStored, toStoredJson } from './stored-text';

interface Column {
  readonly column: string;
  readonly type: 'uuid' | 'text' | 'bool' | 'jsonb';
  write(to: BinaryArray, event: EventBytes, isTwice: boolean): void;
  /** The value of the column as text. */
  textOf(event: CheckedEvent, isTwice: boolean): string;
}

/**
 * Columns that an event fills, in the order of the field table. The record id holds the event time. `isTwice`: the
 * searchable text is stored of ASCII, too (`stored-twice.ts`).
 */
export const COLUMNS: readonly Column[] = [
  {
    column: 'record_id',
    type: 'uuid',
    write: (to, { id }) => to.uuid(id),
    textOf: ({ recordId }) => recordId,
  },
  ...INGEST_FIELDS.filter((name) => name !== 'eventTime').map(fieldColumn),
  {
    column: 'additional',
    type: 'jsonb',
    write: writeAdditional,
    textOf: additionalOf,
  },
  {
    column: 'search_text',
    type: 'text',
    write: writeSearchText,
    textOf: ({ record }, isTwice) => storedSearchText(searchedTexts(record), isTwice),
  },
];
/** Their names, for a statement. */
export const NAMES = COLUMNS.map(({ column }) => column).join(', ');

/** The columns of events that are stored together, each to be sent as one parameter. */
export class ColumnArrays {
  readonly #arrays = COLUMNS.map(({ type }) => new BinaryArray(type));

  add(event: EventBytes, isTwice: boolean): void {
    for (let i = 0; i < COLUMNS.length; i++)
      COLUMNS[i]?.write(this.#arrays[i] as BinaryArray, event, isTwice);
  }

  /** Bytes of memory. */
  get capacity(): number {
    return this.#arrays.reduce((sum, { capacity }) => sum + capacity, 0);
  }

  /** Empties the arrays and keeps their memory. Parameters taken before must not be in use any more. */
  clear(): void {
    for (const array of this.#arrays) array.clear();
  }

  /** @param order places of the events; null: in the order they were added */
  parameters(order: Uint32Array | null): Buffer[] {
    return this.#arrays.map((array) => array.parameter(order));
  }
}

function fieldColumn(name: (typeof INGEST_FIELDS)[number]): Column {
  const column = COLUMN_OF[name];
  const key = name as keyof CheckedRecord;
  const place = placeOf(name);
  if (AUDIT_EVENT_FIELDS[name].kind === 'boolean') {
    return {
      column,
      type: 'bool',
      write: (to, { kinds }) => to.bool(kinds[place] === KIND.true),
      textOf: ({ record }) => String(record[key] === true),
    };
  }
  return {
    column,
    type: 'text',
    write: (to, event) => writeText(to, event, place),
    textOf: ({ record }) => toStored((record[key] ?? '') as string),
  };
}

function writeText(to: BinaryArray, event: EventBytes, place: number): void {
  const { bytes } = event;
  const start = event.startAt(place) + 1;
  const end = event.endAt(place) - 1;
  switch (event.kinds[place]) {
    case KIND.plain:
    case KIND.wide:
      to.utf8(bytes, start, end);
      return;
    case KIND.escaped: {
      const at = to.begin(end - start);
      to.finish(copyUnescaped(bytes, start, end, to.bytes, at));
      return;
    }
    case KIND.odd:
      to.text(toStored(event.text(place)));
      return;
    default:
      to.utf8(bytes, 0, 0);
  }
}

const SEARCHED = SEARCHED_FIELDS as readonly (keyof CheckedRecord)[];

function searchedTexts(record: CheckedRecord): string[] {
  const texts: string[] = [];
  for (const name of SEARCHED) {
    const value = record[name];
    if (typeof value === 'string' && value !== '') texts.push(value);
  }
  return texts;
}

const SEARCHED_PLACES = SEARCHED_FIELDS.map(placeOf);

function writeSearchText(to: BinaryArray, event: EventBytes, isTwice: boolean): void {
  if (!isTwice && SEARCHED_PLACES.every((place) => isAsciiAt(event, place))) to.utf8(event.bytes, 0, 0);
  else to.text(storedSearchText(textsOf(event), isTwice));
}

const textsOf = (event: EventBytes) =>
  SEARCHED_PLACES.filter((place) => event.hasText(place)).map((place) => event.text(place));

function isAsciiAt(event: EventBytes, place: number): boolean {
  switch (event.kinds[place]) {
    case KIND.nothing:
    case KIND.plain:
      return true;
    case KIND.escaped:
    case KIND.odd:
      return isAscii(event.text(place));
    default:
      return false;
  }
}

/**
 * The stored searchable text of an event. It is empty where statements make it from the event's own texts, which is
 * nearly always (`search-sql.ts`).
 * @param texts those that are not empty
 */
export const storedSearchText = (texts: readonly string[], isTwice: boolean): string =>
  !isTwice && texts.every(isAscii) ? '' : toStored(searchableText(texts));

function additionalOf({ record, stated, salt }: CheckedEvent): string {
  return toStoredJson(additionalJsonOf(record, stated, salt));
}

const ADDITIONAL = placeOf('additional');
const FILE = placeOf('file');
/** What `additionalOf` adds of the source, each with the comma and the name before it. */
const SOURCE = SOURCE_NAMES.map((name) => ({ place: placeOf(name), name: Buffer.from(`,"${name}":`) }));
const SALT = Buffer.from(`,"${ENTRY_SALT}":`);
/** The number of parts that is not stated. */
const ONE = Buffer.from('1');
const [JSONB_VERSION, OPEN, CLOSE] = [1, 0x7b, 0x7d];
const ADDITIONAL_ROOM = SOURCE.reduce((sum, { name }) => sum + name.length, ONE.length + 3);

/** Writes the bytes of what `additionalOf` makes. */
function writeAdditional(to: BinaryArray, event: EventBytes): void {
  const { bytes, kinds } = event;
  if (event.isAdditionalOdd || kinds[FILE] === KIND.odd) {
    to.json(additionalOf(event.checked()));
    return;
  }
  const { salt } = event;
  let room = ADDITIONAL_ROOM + event.lengthAt(ADDITIONAL) + SALT.length + salt.length;
  for (const { place } of SOURCE) room += event.lengthAt(place);
  const begin = to.begin(room);
  const target = to.bytes;
  target[begin] = JSONB_VERSION;
  let at = begin + 1;
  // Without the brace at the end.
  if (event.additionalCount > 0)
    at = copyBytes(bytes, event.startAt(ADDITIONAL), event.endAt(ADDITIONAL) - 1, target, at);
  for (const { place, name } of SOURCE) {
    at = copyBytes(name, 0, name.length, target, at);
    if (kinds[place] === KIND.nothing) at = copyBytes(ONE, 0, ONE.length, target, at);
    else at = copyBytes(bytes, event.startAt(place), event.endAt(place), target, at);
  }
  if (salt !== NO_SALT) {
    at = copyBytes(SALT, 0, SALT.length, target, at);
    at = copyBytes(salt, 0, salt.length, target, at);
  }
  // The first name has no comma before it.
  if (event.additionalCount === 0) target[begin + 1] = OPEN;
  target[at] = CLOSE;
  to.finish(at + 1);
}
