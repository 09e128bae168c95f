import type { JsonText } from '../json-text';
import { columnReader, isCode } from './column-reader';
import type { DecodedEvent } from './event';
import type { Column } from './event-type';
import { utf16Text } from './text-cache';
import { guid } from './value-reader';

/** Writes the value of a column. @returns false if the column is empty and nothing was written */
type ColumnWriter = (out: JsonText, event: DecodedEvent, name: Uint8Array) => boolean;

/** Whether the column is a UTF-16LE text of any length, whose bytes are copied without conversion. */
export const isWideText = (column: Column): boolean =>
  column.size === 0 && column.read === utf16Text && !isCode(column);

/** Bytes of a text column; 0 if the column is missing or empty. */
export function wideBytes(column: Column | undefined, { block, payload }: DecodedEvent): number {
  if (!column) return 0;
  return block.view.getUint32(payload + column.offset + 4, true) & ~1;
}

/** Writes the value of a text column that is not empty. */
export function writeWide(out: JsonText, column: Column, { block, payload }: DecodedEvent): void {
  const at = payload + column.offset;
  const start = payload + block.view.getUint32(at, true);
  out.utf16(block.bytes, start, start + block.view.getUint32(at + 4, true));
}

/** Writes columns as the JSON of what `columnReader` reads, directly if a fast way exists. */
export function columnWriter(column: Column): ColumnWriter {
  const { size, offset, read } = column;
  if (isWideText(column)) {
    return (out, event, name) => {
      if (wideBytes(column, event) === 0) return false;
      out.raw(name);
      writeWide(out, column, event);
      return true;
    };
  }
  if (size === 16 && read === guid && !isCode(column)) {
    return (out, { block, payload }, name) => {
      out.raw(name);
      writeGuid(out, block.bytes, payload + offset);
      return true;
    };
  }
  const readValue = columnReader(column);
  return (out, event, name) => {
    const value = readValue(event);
    if (value === null) return false;
    out.raw(name);
    out.value(value);
    return true;
  };
}

const HEX = Buffer.from('0123456789abcdef');
/** Places of the bytes of a GUID in its text, with a dash before the bytes 4, 6, 8 and 10. */
const GUID_ORDER = [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15];
const GUID_TEXT_BYTES = 38;

function writeGuid(out: JsonText, from: Uint8Array, start: number): void {
  out.reserve(GUID_TEXT_BYTES);
  const { bytes } = out;
  let { at } = out;
  bytes[at++] = 0x22;
  for (let i = 0; i < 16; i++) {
    if (i === 4 || i === 6 || i === 8 || i === 10) bytes[at++] = 0x2d;
    const byte = from[start + (GUID_ORDER[i] as number)] as number;
    bytes[at++] = HEX[byte >> 4] as number;
    bytes[at++] = HEX[byte & 15] as number;
  }
  bytes[at++] = 0x22;
  out.at = at;
}
