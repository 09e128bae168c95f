import { formatTicks } from '../../event/event-time';
import { INGEST_FIELDS } from '../../event/fields';
import { SAFE_DIGITS, UNESCAPED } from '../../event/json-bytes';
import { ID_BYTES, idText, ticksOfRecordId } from '../../event/record-id';
import { LIMITS } from '../../limits';
import { NO_NAMES, namesOf, PER_VALUE } from '../rows/additional-names';
import {
  type CheckedEvent,
  type CheckedRecord,
  SOURCE_NAMES,
  statedJsonOf,
  VALUE_CHARS_MAX,
} from './checked-event';

const MEMBERS = [...INGEST_FIELDS, ...SOURCE_NAMES, 'additional'] as const;
export type Member = (typeof MEMBERS)[number];
/** The place of a member's value in the lists of `EventBytes`. */
export const placeOf = (member: Member): number => MEMBERS.indexOf(member);
const ADDITIONAL = placeOf('additional');

/** The kinds of values. Texts are from `plain` to `odd`: the larger, the more work it is to store them. */
export const KIND = {
  /** Absent, or null. */
  nothing: 0,
  /** A text of printable ASCII without escapes. */
  plain: 1,
  /** A text with other characters, without escapes. */
  wide: 2,
  /** A text with escapes, each of one letter. */
  escaped: 3,
  /** A text with an escape of four digits, or with a character that is stored in another form. */
  odd: 4,
  true: 5,
  false: 6,
  number: 7,
  object: 8,
} as const;

const [QUOTE, PLUS, COMMA, MINUS, DOT, ZERO, COLON] = [0x22, 0x2b, 0x2c, 0x2d, 0x2e, 0x30, 0x3a];
const [BACKSLASH, LETTER_E, LETTER_F, LETTER_N, LETTER_T, LETTER_U] = [0x5c, 0x65, 0x66, 0x6e, 0x74, 0x75];
const [OPEN, CLOSE] = [0x7b, 0x7d];
const [CONTROL, WIDE, SUSPECT] = [1, 2, 3];
/** What a byte means in a text: itself for a quotation mark and a backslash; 0 for nothing. */
const CLASSES = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte < 0x20) return CONTROL;
  if (byte === QUOTE || byte === BACKSLASH) return byte;
  // With these bytes begin the characters that are stored in another form (`stored-text.ts`), among others.
  if (byte === 0xef || byte === 0xf4) return SUSPECT;
  // U+007F is ASCII, and marks words in searchable texts.
  return byte >= 0x7f ? WIDE : 0;
});

const NAMES = MEMBERS.map((member) => Buffer.from(`"${member}":`));
const PLACES: ReadonlyMap<string, number> = new Map(MEMBERS.map((member, place) => [member, place]));
const [TRUE, FALSE, NULL] = ['true', 'false', 'null'].map((word) => Buffer.from(word)) as [
  Buffer,
  Buffer,
  Buffer,
];
const ADDITIONAL_FIRST = 64;
export const NO_SALT: Buffer = Buffer.alloc(0);

/**
 * An event as JSON in bytes, and where in them each value is. What is stored is copied from there, without an object or
 * a text for each value. One instance is used for many events, one after the other.
 */
export class EventBytes {
  bytes = NULL;
  readonly kinds = new Uint8Array(MEMBERS.length);
  /** The values of numbers. */
  readonly numbers = new Float64Array(MEMBERS.length);
  /** For each value in `additional`, in their order: start and end of its name, start and end of the value. */
  additional = new Int32Array(PER_VALUE * ADDITIONAL_FIRST);
  additionalCount = 0;
  isAdditionalOdd = false;
  names = NO_NAMES;
  /** The record id. It is set by who checked the event. */
  readonly id = Buffer.alloc(ID_BYTES);
  /** JSON of the salt of its entry. It is set by who stores the event; `NO_SALT`: the entry has none. */
  salt: Buffer = NO_SALT;

  /** The start and end of each value, its quotation marks included. */
  readonly #starts = new Int32Array(MEMBERS.length);
  readonly #ends = new Int32Array(MEMBERS.length);
  #start = 0;
  #end = 0;
  /** Whether the bytes were written here: then any number and escape in them is as `JSON.stringify` writes it. */
  #isOurs = false;
  /** The kind and the number of the value read last. */
  #kind: number = KIND.nothing;
  #number = 0;
  /** The place that came after each place in the last event; at the end, the first place. */
  readonly #following = new Uint8Array(MEMBERS.length + 1);

  /**
   * Reads the event that begins at an index of the bytes.
   * @returns the index after it; -1 if it must be parsed, because it is not exactly what `JSON.stringify` writes, has an
   * unknown or a repeated member, a number that is not whole or has many digits, or too many additional values
   */
  read(bytes: Buffer, start: number): number {
    this.#isOurs = false;
    return this.#read(bytes, start);
  }

  /** Holds an event that was checked as an object. */
  of({ recordId, record }: CheckedEvent): this {
    const { eventTime, fileGuid } = record;
    const time = eventTime.length === TIME_CHARS ? eventTime : formatTicks(ticksOfRecordId(recordId));
    const json = JSON.stringify({ ...record, eventTime: time, fileGuid: fileGuid.toLowerCase() });
    this.#isOurs = true;
    if (this.#read(Buffer.from(json), 0) < 0) throw new Error('a checked event is not readable');
    this.id.write(recordId.replaceAll('-', ''), 'hex');
    return this;
  }

  /** The event as an object. */
  checked(): CheckedEvent {
    const record = JSON.parse(this.bytes.toString('utf8', this.#start, this.#end)) as CheckedRecord;
    const salt = this.salt === NO_SALT ? {} : { salt: this.salt.toString('latin1') };
    return { recordId: idText(this.id), record, stated: statedJsonOf(record), ...salt };
  }

  startAt(place: number): number {
    return this.#starts[place] as number;
  }

  endAt(place: number): number {
    return this.#ends[place] as number;
  }

  /** Bytes of the value at a place; 0: there is none. */
  lengthAt(place: number): number {
    return this.kinds[place] === KIND.nothing ? 0 : this.endAt(place) - this.startAt(place);
  }

  /** Whether a value is at a place that is neither null nor the empty text. */
  isGiven(place: number): boolean {
    const kind = this.kinds[place] as number;
    return (
      kind !== KIND.nothing && (kind > KIND.odd || this.endAt(place) - this.startAt(place) > EMPTY.length)
    );
  }

  /** Whether a text that is not empty is at a place. */
  hasText(place: number): boolean {
    return (this.kinds[place] as number) <= KIND.odd && this.isGiven(place);
  }

  /** Bytes of the whole event. */
  get length(): number {
    return this.#end - this.#start;
  }

  /** The text at a place. */
  text(place: number): string {
    return JSON.parse(this.bytes.toString('utf8', this.startAt(place), this.endAt(place)));
  }

  #read(bytes: Buffer, start: number): number {
    this.bytes = bytes;
    this.#start = start;
    this.kinds.fill(KIND.nothing);
    this.additionalCount = 0;
    this.isAdditionalOdd = false;
    this.names = NO_NAMES;
    this.salt = NO_SALT;
    if (bytes[start] !== OPEN) return -1;
    let [at, place, seen] = [start, MEMBERS.length, 0];
    do {
      place = this.#memberAt(at + 1, this.#following[place] as number, place);
      if (place < 0 || (seen & (1 << place)) !== 0) return -1;
      seen |= 1 << place;
      const from = at + 1 + (NAMES[place] as Buffer).length;
      at = place === ADDITIONAL && bytes[from] === OPEN ? this.#additionalFrom(from) : this.#valueFrom(from);
      if (at < 0) return -1;
      this.#starts[place] = from;
      this.#ends[place] = at;
      this.kinds[place] = this.#kind;
      this.numbers[place] = this.#number;
    } while (bytes[at] === COMMA);
    this.#end = at + 1;
    return bytes[at] === CLOSE ? this.#end : -1;
  }

  /** @returns the place of the member whose name stands here; -1: it is unknown */
  #memberAt(at: number, likely: number, before: number): number {
    const { bytes } = this;
    if (standsAt(bytes, at, NAMES[likely] as Buffer)) return likely;
    const end = bytes.indexOf(QUOTE, at + 1);
    if (bytes[at] !== QUOTE || end < 0 || end - at > NAME_BYTES_MAX || bytes[end + 1] !== COLON) return -1;
    const place = PLACES.get(bytes.toString('latin1', at + 1, end)) ?? -1;
    if (place >= 0) this.#following[before] = place;
    return place;
  }

  /** Reads a value that is neither a list nor an object. @returns the index after it, or -1 */
  #valueFrom(at: number): number {
    const { bytes } = this;
    switch (bytes[at]) {
      case QUOTE:
        return this.#textFrom(at);
      case LETTER_N:
        this.#kind = KIND.nothing;
        return standsAt(bytes, at, NULL) ? at + NULL.length : -1;
      case LETTER_T:
        this.#kind = KIND.true;
        return standsAt(bytes, at, TRUE) ? at + TRUE.length : -1;
      case LETTER_F:
        this.#kind = KIND.false;
        return standsAt(bytes, at, FALSE) ? at + FALSE.length : -1;
      default:
        return this.#numberFrom(at);
    }
  }

  #textFrom(start: number): number {
    const { bytes } = this;
    let kind: number = KIND.plain;
    for (let at = start + 1; ; at++) {
      let found = CLASSES[bytes[at] as number];
      while (found === 0) found = CLASSES[bytes[++at] as number];
      if (found === QUOTE) {
        this.#kind = kind;
        return kind !== KIND.odd || this.#isAsWritten(start, at + 1) ? at + 1 : -1;
      }
      if (found === WIDE) kind = Math.max(kind, KIND.wide);
      else if (found === SUSPECT) kind = isStoredOtherwise(bytes, at) ? KIND.odd : Math.max(kind, KIND.wide);
      else if (found === BACKSLASH) {
        const letter = bytes[++at] as number;
        if (letter === LETTER_U) kind = KIND.odd;
        else if (UNESCAPED[letter] === 0) return -1;
        else kind = Math.max(kind, KIND.escaped);
      } else return -1;
    }
  }

  /** Whether a text is exactly what `JSON.stringify` writes. */
  #isAsWritten(start: number, end: number): boolean {
    if (this.#isOurs) return true;
    const json = this.bytes.toString('utf8', start, end);
    try {
      return JSON.stringify(JSON.parse(json)) === json;
    } catch {
      return false;
    }
  }

  #numberFrom(start: number): number {
    const { bytes } = this;
    const isNegative = bytes[start] === MINUS;
    const first = isNegative ? start + 1 : start;
    let at = first;
    let number = 0;
    for (; isDigit(bytes[at]); at++) number = number * 10 + (bytes[at] as number) - ZERO;
    this.#kind = KIND.number;
    this.#number = isNegative ? Number.NaN : number;
    const digits = at - first;
    const isPlain =
      digits > 0 && digits <= SAFE_DIGITS && (bytes[first] !== ZERO || (digits === 1 && !isNegative));
    if (isPlain && !isNumberPart(bytes[at])) return at;
    if (!this.#isOurs) return -1;
    this.#number = Number.NaN;
    while (isNumberPart(bytes[at])) at++;
    return at;
  }

  #additionalFrom(start: number): number {
    const { bytes } = this;
    let at = start;
    // The number of characters of names and values, or more.
    let chars = 0;
    if (bytes[at + 1] === CLOSE) at++;
    else
      do {
        const name = at + 1;
        const nameEnd = bytes[name] === QUOTE ? this.#textFrom(name) : -1;
        // Names with escapes are rare.
        if (nameEnd < 0 || bytes[nameEnd] !== COLON || (this.#kind > KIND.wide && !this.#isOurs)) return -1;
        if (this.#kind === KIND.odd) this.isAdditionalOdd = true;
        at = this.#valueFrom(nameEnd + 1);
        if (at < 0) return -1;
        if (this.#kind === KIND.odd) this.isAdditionalOdd = true;
        const isText = this.#kind >= KIND.plain && this.#kind <= KIND.odd;
        chars += nameEnd - name + (isText ? at - nameEnd : VALUE_CHARS_MAX);
        if (chars > LIMITS.additionalCharsMax && !this.#isOurs) return -1;
        this.#addAdditional(name, nameEnd, at);
      } while (bytes[at] === COMMA);
    this.#kind = KIND.object;
    const names = namesOf(bytes, this.additional, this.additionalCount);
    if (bytes[at] !== CLOSE || !names.areSound) return -1;
    this.names = names;
    return at + 1;
  }

  #addAdditional(name: number, nameEnd: number, end: number): void {
    const at = PER_VALUE * this.additionalCount++;
    if (at === this.additional.length) {
      const more = new Int32Array(2 * at);
      more.set(this.additional);
      this.additional = more;
    }
    this.additional[at] = name;
    this.additional[at + 1] = nameEnd;
    this.additional[at + 2] = nameEnd + 1;
    this.additional[at + 3] = end;
  }
}

const EMPTY = '""';
/** A text of the event time with all seven decimals. */
const TIME_CHARS = 28;
const NAME_BYTES_MAX = Math.max(...NAMES.map(({ length }) => length));

function standsAt(bytes: Buffer, at: number, wanted: Buffer): boolean {
  for (let i = 0; i < wanted.length; i++) if (bytes[at + i] !== wanted[i]) return false;
  return true;
}

const isDigit = (byte: number | undefined) => byte !== undefined && byte >= ZERO && byte <= ZERO + 9;
const isNumberPart = (byte: number | undefined) =>
  isDigit(byte) || byte === MINUS || byte === PLUS || byte === DOT || ((byte ?? 0) | 0x20) === LETTER_E;

/** Whether the character that begins here is stored in another form: U+FEFF, or of the last plane. */
const isStoredOtherwise = (bytes: Buffer, at: number): boolean =>
  bytes[at] === 0xef ? bytes[at + 1] === 0xbb && bytes[at + 2] === 0xbf : (bytes[at + 1] as number) >= 0x8f;
