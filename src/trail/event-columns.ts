import { BinaryArray } from '../database/binary-array';
import { AUDIT_EVENT_FIELDS, COLUMN_OF, INGEST_FIELDS, SEARCHED_FIELDS } from '../event/fields';
import { searchableRoom, searchableText, writeSearchable } from '../event/search-terms';
import { additionalJsonOf, type CheckedEvent, type CheckedRecord } from './checked-event';
import { toStored, toStoredJson } from './stored-text';

interface Column {
  readonly column: string;
  readonly type: 'uuid' | 'text' | 'bool' | 'jsonb';
  write(to: BinaryArray, event: CheckedEvent): void;
  /** The value of the column as text. */
  textOf(event: CheckedEvent): string;
}

/** Columns that an event fills, in the order of the field table. The record id holds the event time. */
export const COLUMNS: readonly Column[] = [
  {
    column: 'record_id',
    type: 'uuid',
    write: (to, { recordId }) => to.uuid(recordId),
    textOf: ({ recordId }) => recordId,
  },
  ...INGEST_FIELDS.filter((name) => name !== 'eventTime').map(fieldColumn),
  {
    column: 'additional',
    type: 'jsonb',
    write: (to, event) => to.json(additionalOf(event)),
    textOf: additionalOf,
  },
  {
    column: 'search_text',
    type: 'text',
    write: writeSearchText,
    textOf: ({ record }) => toStored(searchableText(searchedTexts(record))),
  },
];
/** Their names, for a statement. */
export const NAMES = COLUMNS.map(({ column }) => column).join(', ');

/** The columns of events that are stored together, each to be sent as one parameter. */
export class ColumnArrays {
  readonly #arrays = COLUMNS.map(({ type }) => new BinaryArray(type));

  add(event: CheckedEvent): void {
    for (let i = 0; i < COLUMNS.length; i++) COLUMNS[i]?.write(this.#arrays[i] as BinaryArray, event);
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
  if (AUDIT_EVENT_FIELDS[name].kind === 'boolean') {
    const isTrue = ({ record }: CheckedEvent) => record[key] === true;
    return {
      ...{ column, type: 'bool' },
      write: (to, event) => to.bool(isTrue(event)),
      textOf: (event) => String(isTrue(event)),
    };
  }
  const textOf = ({ record }: CheckedEvent) => (record[key] ?? '') as string;
  return {
    ...{ column, type: 'text' },
    write: (to, event) => writeText(to, textOf(event)),
    textOf: (event) => toStored(textOf(event)),
  };
}

function writeText(to: BinaryArray, text: string): void {
  if (!to.asciiText(text)) to.text(toStored(text));
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

function writeSearchText(to: BinaryArray, { record }: CheckedEvent): void {
  const texts = searchedTexts(record);
  const isWritten = to.ascii(searchableRoom(texts), (target, at) => writeSearchable(texts, target, at));
  if (!isWritten) to.text(toStored(searchableText(texts)));
}

function additionalOf({ record, stated }: CheckedEvent): string {
  return toStoredJson(additionalJsonOf(record, stated));
}
