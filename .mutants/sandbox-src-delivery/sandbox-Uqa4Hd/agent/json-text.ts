/** Buffers grow at least by this much. */
const GROWTH_BYTES = 64 * 1024;

/** JSON that is being written, in UTF-8. */
export class JsonText {
  /** Bytes written so far. */
  at = 0;

  constructor(public bytes: Buffer) {}

  /** Makes room for this many more bytes: without room, bytes that are written are lost. */
  reserve(bytes: number): void {
    if (this.at + bytes > this.bytes.length) this.grow(bytes);
  }

  /** Appends bytes that are already JSON. */
  raw(given: Uint8Array): void {
    this.reserve(given.length);
    const { bytes, at } = this;
    for (let i = 0; i < given.length; i++) bytes[at + i] = given[i] as number;
    this.at = at + given.length;
  }

  /** Appends a text that is already JSON. */
  json(text: string): void {
    this.reserve(3 * text.length);
    this.at += this.bytes.write(text, this.at);
  }

  byte(byte: number): void {
    this.reserve(1);
    this.bytes[this.at++] = byte;
  }

  value(value: string | number | boolean | null): void {
    if (typeof value === 'string') this.text(value);
    else if (typeof value === 'number' && value >= 0 && value < 2 ** 31 && Number.isInteger(value))
      this.count(value);
    else if (value === null) this.raw(NULL);
    else if (typeof value === 'boolean') this.raw(value ? TRUE : FALSE);
    else this.json(JSON.stringify(value));
  }

  /** Appends a whole number below 2^31. */
  private count(value: number): void {
    let digits = 1;
    for (let power = 10; power <= value; power *= 10) digits += 1;
    this.reserve(digits);
    const { bytes, at } = this;
    let left = value;
    for (let i = at + digits - 1; i >= at; i--) {
      const tenths = Math.floor(left / 10);
      bytes[i] = ZERO + left - 10 * tenths;
      left = tenths;
    }
    this.at = at + digits;
  }

  text(text: string): void {
    const { length } = text;
    this.reserve(length + 2);
    const { bytes, at } = this;
    bytes[at] = QUOTE;
    for (let i = 0; i < length; i++) {
      const unit = text.charCodeAt(i);
      if (unit >= 0x80 || IS_PLAIN[unit] === 0) {
        this.json(JSON.stringify(text));
        return;
      }
      bytes[at + 1 + i] = unit;
    }
    bytes[at + 1 + length] = QUOTE;
    this.at = at + 2 + length;
  }

  /** Appends a UTF-16LE text as `JSON.stringify` does: a lone surrogate is escaped. An odd last byte is left out. */
  utf16(from: Uint8Array, start: number, endGiven: number): void {
    const end = endGiven - ((endGiven - start) & 1);
    // A UTF-16 unit takes at most six bytes.
    this.reserve(3 * (end - start) + 2);
    const { bytes } = this;
    let { at } = this;
    bytes[at++] = QUOTE;
    for (let i = start; i < end; i += 2) {
      const low = from[i] as number;
      const high = from[i + 1] as number;
      if (high === 0 && IS_PLAIN[low] === 1) bytes[at++] = low;
      else {
        const unit = (high << 8) | low;
        const next = i + 3 < end ? ((from[i + 3] as number) << 8) | (from[i + 2] as number) : 0;
        if ((unit & 0xfc00) === 0xd800 && (next & 0xfc00) === 0xdc00) {
          at = writePair(bytes, at, unit, next);
          i += 2;
        } else at = writeUnit(bytes, at, unit);
      }
    }
    bytes[at++] = QUOTE;
    this.at = at;
  }

  private grow(bytes: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(2 * this.bytes.length, this.at + bytes) + GROWTH_BYTES);
    this.bytes.copy(larger, 0, 0, this.at);
    this.bytes = larger;
  }
}

const QUOTE = 0x22;
const ZERO = 0x30;
const [NULL, TRUE, FALSE] = [Buffer.from('null'), Buffer.from('true'), Buffer.from('false')];
const BACKSLASH = 0x5c;
/** Characters below 256 that stand for themselves in JSON and in UTF-8. */
const IS_PLAIN = Uint8Array.from({ length: 256 }, (_, unit) =>
  Number(unit >= 0x20 && unit < 0x80 && unit !== QUOTE && unit !== BACKSLASH),
);
const ESCAPES = new Map(
  ['"', '\\', '\b', '\f', '\n', '\r', '\t'].map((char) => [
    char.charCodeAt(0),
    JSON.stringify(char).charCodeAt(2),
  ]),
);

function writeUnit(bytes: Uint8Array, start: number, unit: number): number {
  let at = start;
  if (unit < 0x80) {
    const letter = ESCAPES.get(unit);
    if (letter === undefined) return writeEscaped(bytes, at, unit);
    bytes[at++] = BACKSLASH;
    bytes[at++] = letter;
  } else if (unit < 0x800) {
    bytes[at++] = 0xc0 | (unit >> 6);
    bytes[at++] = 0x80 | (unit & 0x3f);
  } else if ((unit & 0xf800) === 0xd800) {
    return writeEscaped(bytes, at, unit);
  } else {
    bytes[at++] = 0xe0 | (unit >> 12);
    bytes[at++] = 0x80 | ((unit >> 6) & 0x3f);
    bytes[at++] = 0x80 | (unit & 0x3f);
  }
  return at;
}

/** `\u001f` */
function writeEscaped(bytes: Uint8Array, at: number, unit: number): number {
  const text = `\\u${unit.toString(16).padStart(4, '0')}`;
  for (let i = 0; i < text.length; i++) bytes[at + i] = text.charCodeAt(i);
  return at + text.length;
}

function writePair(bytes: Uint8Array, at: number, first: number, second: number): number {
  const point = 0x10000 + ((first & 0x3ff) << 10) + (second & 0x3ff);
  bytes[at] = 0xf0 | (point >> 18);
  bytes[at + 1] = 0x80 | ((point >> 12) & 0x3f);
  bytes[at + 2] = 0x80 | ((point >> 6) & 0x3f);
  bytes[at + 3] = 0x80 | (point & 0x3f);
  return at + 4;
}
