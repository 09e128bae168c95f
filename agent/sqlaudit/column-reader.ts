import type { JsonScalar } from '../../src/event/audit-record';
import type { DecodedEvent } from './event';
import { type Column, columnBytes } from './event-type';

export type ColumnReader = (event: DecodedEvent) => JsonScalar;

/** Columns that hold characters in the bytes of a number: `SL  `, `U `. Their type in the file says nothing. */
const CODE_COLUMNS = new Set(['action_id', 'class_type']);
/** A server has some hundred codes; damage may look like more. */
const CODES_MAX = 4096;

/** Reads a column as JSON; null where it is missing or empty, since the format cannot tell '' from NULL. */
export function columnReader(column: Column | undefined): ColumnReader {
  if (!column) return () => null;
  if (CODE_COLUMNS.has(column.name)) return codeReader(column);
  const { offset, size, read } = column;
  if (size !== 0) return ({ source, payload }) => read(source, payload + offset, payload + offset + size);
  return ({ source, payload }) => {
    const length = source.view.getUint32(payload + offset + 4, true);
    if (length === 0) return null;
    const start = payload + source.view.getUint32(payload + offset, true);
    const value = read(source, start, start + length);
    return value === '' ? null : value;
  };
}

/** The same as text, '' where it is missing or empty. */
export function textReader(column: Column | undefined): (event: DecodedEvent) => string {
  const read = columnReader(column);
  return (event) => {
    const value = read(event);
    return value === null ? '' : String(value);
  };
}

function codeReader(column: Column): ColumnReader {
  const { offset, size } = column;
  const textOf = (event: DecodedEvent) => codeText(columnBytes(column, event)) || null;
  if (size !== 2 && size !== 4) return textOf;
  const texts = new Map<number, string | null>();
  return (event) => {
    const { view } = event.source;
    const at = event.payload + offset;
    const code = size === 2 ? view.getUint16(at, true) : view.getUint32(at, true);
    const known = texts.get(code);
    if (known !== undefined) return known;
    if (texts.size === CODES_MAX) texts.clear();
    const text = textOf(event);
    texts.set(code, text);
    return text;
  };
}

function codeText(bytes: Buffer): string {
  // A wide text has a zero after each letter; a number wider than its code has them at the end.
  return bytes.toString('latin1').replaceAll('\0', '').trim();
}
