import type { JsonScalar } from '../../src/event/audit-record';
import type { DecodedEvent } from './event';
import type { Column } from './event-type';

export type ColumnReader = (event: DecodedEvent) => JsonScalar;

/** Columns that hold characters in the bytes of a number: `SL  `, `U `. Their type in the file does not show that. */
const CODE_COLUMNS = new Set(['action_id', 'class_type']);
export const isCode = (column: Column): boolean => CODE_COLUMNS.has(column.name);
/** A server has some hundred codes. Damage may look like more. */
const CODES_MAX = 4096;

/** Reads a column as JSON; null if it is missing or empty, since the format cannot tell '' from NULL. */
export function columnReader(column: Column | undefined): ColumnReader {
  if (!column) return () => null;
  if (isCode(column)) return codeReader(column);
  const { offset, size, read } = column;
  if (size !== 0) return ({ block, payload }) => read(block, payload + offset, payload + offset + size);
  return ({ block, payload }) => {
    const length = block.view.getUint32(payload + offset + 4, true);
    if (length === 0) return null;
    const start = payload + block.view.getUint32(payload + offset, true);
    const value = read(block, start, start + length);
    return value === '' ? null : value;
  };
}

/** Reads a column as text; '' if it is missing or empty. */
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
    const { view } = event.block;
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
  // A wide text has a zero after each letter. A number that is wider than its code has zeros at the end.
  return bytes.toString('latin1').replaceAll('\0', '').trim();
}

/** The column's value. Decoding the event has checked the bounds of the payload. */
export function columnValue(column: Column, { block, payload }: DecodedEvent): JsonScalar {
  const at = payload + column.offset;
  if (column.size !== 0) return column.read(block, at, at + column.size);
  const start = payload + block.view.getUint32(at, true);
  return column.read(block, start, start + block.view.getUint32(at + 4, true));
}

/** The bytes of the column's value. */
export function columnBytes(column: Column, { block, payload }: DecodedEvent): Buffer {
  const at = payload + column.offset;
  if (column.size !== 0) return block.bytes.subarray(at, at + column.size);
  const start = payload + block.view.getUint32(at, true);
  return block.bytes.subarray(start, start + block.view.getUint32(at + 4, true));
}
