const TEXT = 0;
const BINARY = 1;
const NULL_LENGTH = -1;
const CODE_BYTES = 1;
const INT32_BYTES = 4;
const INT16_BYTES = 2;

/**
 * PostgreSQL's protocol message that binds values to a named statement, for the unnamed portal, with rows as text. It
 * is returned in pieces to be written one after the other. Buffers are pieces as they are, and are sent in binary form.
 * pg's own writer copies a buffer three times while its memory grows. For a batch of events that takes as long as all
 * other work of the service.
 */
export function bindMessage(
  statement: string,
  values: readonly (Buffer | string | number | null)[],
): readonly Buffer[] {
  const parameters = values.map((value) => (typeof value === 'number' ? String(value) : value));
  const pieces: Buffer[] = [bindHead(statement, parameters)];
  for (const value of parameters) {
    const bytes = typeof value === 'string' ? Buffer.from(value) : value;
    pieces.push(int32(bytes === null ? NULL_LENGTH : bytes.length));
    if (bytes !== null) pieces.push(bytes);
  }
  pieces.push(int16s([1, TEXT]));
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0) - CODE_BYTES;
  pieces[0]?.writeInt32BE(length, CODE_BYTES);
  return pieces;
}

/**
 * The beginning of the message: code, length (filled in later), portal, statement, formats and number of the values.
 */
function bindHead(statement: string, values: readonly (Buffer | string | null)[]): Buffer {
  const formats = values.map((value) => (Buffer.isBuffer(value) ? BINARY : TEXT));
  return Buffer.concat([
    Buffer.from('B'),
    int32(0),
    Buffer.from(`\0${statement}\0`),
    int16s([formats.length, ...formats, formats.length]),
  ]);
}

function int32(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(INT32_BYTES);
  bytes.writeInt32BE(value);
  return bytes;
}

function int16s(values: readonly number[]): Buffer {
  const bytes = Buffer.allocUnsafe(INT16_BYTES * values.length);
  for (const [i, value] of values.entries()) bytes.writeInt16BE(value, INT16_BYTES * i);
  return bytes;
}
