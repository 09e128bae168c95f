import { AUDIT_EVENT_FIELDS, RECORD_FIELDS, type RecordFieldName, toSnakeCase } from '../../src/event/fields';
import type { JsonText } from '../json-text';
import { AUDIT_EVENT, auditColumns, countOf, timeColumn } from './audit-columns';
import { PART_CHARS } from './audit-record';
import { columnWriter, isWideText, wideBytes, writeWide } from './column-writer';
import type { DecodedEvent } from './event';
import type { Column, EventType } from './event-type';
import { writeFiletime } from './filetime';
import { withoutPasswordHash } from './password-hash';

type Step = (out: JsonText, event: DecodedEvent) => void;

/** What `isWhole` and `write` need of an event type whose records can be written directly. */
interface RecordWriter {
  /** Whether the event is a record by itself that `write` can write. */
  isWhole(event: DecodedEvent): boolean;
  /** Where the event's FILETIME stands in its block. */
  timeAt(event: DecodedEvent): number;
  /** Writes the fields, `parts` and `additional` of a whole record, each with a comma before it. */
  write(out: JsonText, event: DecodedEvent): void;
}

const known = new WeakMap<EventType, RecordWriter | null>();

/**
 * Writes whole records directly from their columns, as exactly the JSON of what `toAuditRecord` makes of them. Null: only
 * `toAuditRecord` can read events of this type.
 */
export function recordWriterOf(type: EventType): RecordWriter | null {
  const before = known.get(type);
  if (before !== undefined) return before;
  const writer = type.name === AUDIT_EVENT ? compile(type) : null;
  known.set(type, writer);
  return writer;
}

function compile(type: EventType): RecordWriter | null {
  const { others, sequenceNumber, lacksClientIp, readers } = auditColumns(type);
  const find = (name: string) => type.columnsByName.get(name);
  const [time, statement, information] = [timeColumn(type), find('statement'), find(INFORMATION)];
  if (time === null || ![statement, information].every((column) => !column || isWideText(column)))
    return null;
  // An object would order its properties differently if a name is a number, and would hold a repeated name once.
  if (others.some(({ name }) => /^\d+$/.test(name) || name === 'additionalInformation')) return null;
  const fields = RECORD_FIELDS.map((field) => fieldStep(field, find(toSnakeCase(field)), readers[field]));
  const columns = others.map(({ name, column }) => ({ name: property(name), write: columnWriter(column) }));
  const timeAt = ({ payload }: DecodedEvent) => payload + time.offset;
  const isShort = (bytes: number) => bytes < 2 * PART_CHARS;
  return {
    timeAt,
    isWhole: (event) => {
      const { view } = event.block;
      const at = timeAt(event);
      const high = view.getUint32(at + 4, true);
      const informationBytes = wideBytes(information, event);
      return (
        event.actions.length === 0 &&
        // Times near 1601 and the year 9999 take the other way.
        high > 0 &&
        high < HIGH_MAX &&
        isShort(wideBytes(statement, event)) &&
        isShort(informationBytes) &&
        (informationBytes === 0 || !lacksClientIp) &&
        countOf(sequenceNumber(event)) === 1
      );
    },
    write: (out, event) => {
      for (const step of fields) step(out, event);
      out.raw(PARTS_AND_ADDITIONAL);
      const begin = out.at;
      for (const { name, write } of columns) write(out, event, name);
      if (information && wideBytes(information, event) > 0) writeInformation(out, information, event);
      // The first property has no comma before it.
      if (out.at > begin) out.bytes[begin] = OPEN;
      else out.byte(OPEN);
      out.byte(CLOSE);
    },
  };
}

const INFORMATION = 'additional_information';
const PARTS_AND_ADDITIONAL = Buffer.from(',"parts":1,"additional":');
const [OPEN, CLOSE] = [0x7b, 0x7d];
/** High half of a FILETIME in the year 9000 or so. */
const HIGH_MAX = 0x20000000;
const property = (name: string) => Buffer.from(`,${JSON.stringify(name)}:`);
const ADDITIONAL_INFORMATION = property('additionalInformation');

function fieldStep(
  field: RecordFieldName,
  column: Column | undefined,
  read: (event: DecodedEvent) => string | number | boolean | null,
): Step {
  const name = property(field);
  if (field === 'eventTime' && column) {
    return (out, event) => {
      out.raw(name);
      writeFiletime(out, event.block.view, event.payload + column.offset);
    };
  }
  if (column && isWideText(column) && AUDIT_EVENT_FIELDS[field].kind === 'text') {
    return (out, event) => {
      out.raw(name);
      if (wideBytes(column, event) > 0) writeWide(out, column, event);
      else out.value(read(event));
    };
  }
  return (out, event) => {
    out.raw(name);
    out.value(read(event));
  };
}

function writeInformation(out: JsonText, column: Column, event: DecodedEvent): void {
  const { block, payload } = event;
  const at = payload + column.offset;
  const start = payload + block.view.getUint32(at, true);
  const given = column.read(block, start, start + block.view.getUint32(at + 4, true));
  const text = withoutPasswordHash(String(given), { isFragment: false });
  if (text === '') return;
  out.raw(ADDITIONAL_INFORMATION);
  out.text(text);
}
