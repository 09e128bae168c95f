import { writeRecordId } from '../../event/record-id';
import { type EventBytes, KIND, placeOf } from '../../store/bytes/event-bytes';
import { FILE_CHARS_MAX, SPECS } from './check-event';
import { isOfThisTime } from './clock-mark';

const FIELDS = SPECS.map((spec) => ({ ...spec, place: placeOf(spec.name) }));
const [EVENT_TIME, FILE, FILE_GUID] = [placeOf('eventTime'), placeOf('file'), placeOf('fileGuid')];
const [BLOCK_OFFSET, INDEX] = [placeOf('blockOffset'), placeOf('index')];
const [PARTS, ADDITIONAL] = [placeOf('parts'), placeOf('additional')];

const [ZERO, LETTER_A, DASH] = [0x30, 0x61, 0x2d];
/** A time with all seven decimals; 0 stands for a digit. */
const TIME_FORM = Buffer.from('"0000-00-00T00:00:00.0000000Z"');
const GUID_CHARS = 36;

/** Finds valid events of a tenant as `checkEvent` does, in bytes. */
export class BytesCheck {
  #ms = 0;
  #steps = 0;
  /** The day of the last event, as the number of its digits, and its first millisecond. */
  #day = { digits: 0, ms: Number.NaN };
  /** The file GUID of the last event, and what `#fileOf` made of it. */
  #guid = Buffer.alloc(0);
  #file = '';

  constructor(
    private readonly tenantId: number,
    private readonly nowMs: number,
  ) {}

  /**
   * Checks an event, and sets its id if it is valid.
   * @returns false for an event that `checkEvent` refuses, and for one that only `checkEvent` can judge
   */
  isValid(event: EventBytes): boolean {
    if (!this.#readTime(event)) return false;
    for (const field of FIELDS) if (!isField(event, field)) return false;
    if (!hasSource(event)) return false;
    const [offset, index] = [event.numbers[BLOCK_OFFSET], event.numbers[INDEX]];
    writeRecordId(event.id, this.#ms, this.#steps, `${this.#fileOf(event)}${offset}\n${index}`);
    return true;
  }

  /** Tenant and file of an event, each on a line. Events that follow each other mostly have the same. */
  #fileOf(event: EventBytes): string {
    const start = event.startAt(FILE_GUID) + 1;
    for (let i = 0; i < GUID_CHARS; i++)
      if (event.bytes[start + i] !== this.#guid[i]) {
        this.#guid = Buffer.from(event.bytes.subarray(start, start + GUID_CHARS));
        this.#file = `${this.tenantId}\n${this.#guid.toString('latin1')}\n`;
        break;
      }
    return this.#file;
  }

  /** Reads the event time. @returns false if it has another form or does not exist, or if the event gets a mark */
  #readTime(event: EventBytes): boolean {
    const { bytes } = event;
    const at = event.startAt(EVENT_TIME);
    if (event.kinds[EVENT_TIME] !== KIND.plain || event.lengthAt(EVENT_TIME) !== TIME_FORM.length)
      return false;
    for (let i = 0; i < TIME_FORM.length; i++) {
      const byte = bytes[at + i] as number;
      if (TIME_FORM[i] === ZERO ? byte < ZERO || byte > ZERO + 9 : byte !== TIME_FORM[i]) return false;
    }
    const number = (from: number, digits: number) => {
      let sum = 0;
      for (let i = at + from; i < at + from + digits; i++) sum = sum * 10 + (bytes[i] as number) - ZERO;
      return sum;
    };
    const [year, month, day] = [number(1, 4), number(6, 2), number(9, 2)];
    const [hour, minute, second] = [number(12, 2), number(15, 2), number(18, 2)];
    if (hour > 23 || minute > 59 || second > 59) return false;
    const digits = (year * 100 + month) * 100 + day;
    if (digits !== this.#day.digits) this.#day = { digits, ms: msOfDay(year, month, day) };
    this.#ms = this.#day.ms + ((hour * 60 + minute) * 60 + second) * 1_000 + number(21, 3);
    this.#steps = number(24, 4);
    // A day that does not exist is not a number.
    return isOfThisTime(this.#ms, this.nowMs);
  }
}

function msOfDay(year: number, month: number, day: number): number {
  const ms = Date.UTC(year, month - 1, day);
  const date = new Date(ms);
  // For Date.UTC a year below 100 is one of the twentieth century.
  if (date.getUTCFullYear() !== year) return Number.NaN;
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day ? ms : Number.NaN;
}

function isField(
  event: EventBytes,
  { place, isBoolean, nullable, charsMax }: (typeof FIELDS)[number],
): boolean {
  if (!event.isGiven(place)) return nullable;
  const kind = event.kinds[place];
  if (isBoolean) return kind === KIND.true || kind === KIND.false;
  // No character has fewer bytes than UTF-16 units.
  return event.hasText(place) && event.lengthAt(place) - '""'.length <= charsMax;
}

function hasSource(event: EventBytes): boolean {
  const { kinds } = event;
  if (!event.hasText(FILE) || event.lengthAt(FILE) - '""'.length > FILE_CHARS_MAX || !hasGuid(event))
    return false;
  if (kinds[ADDITIONAL] !== KIND.nothing && kinds[ADDITIONAL] !== KIND.object) return false;
  if (kinds[PARTS] !== KIND.nothing && !isCount(event, PARTS)) return false;
  return isCount(event, BLOCK_OFFSET) && isCount(event, INDEX);
}

/** Whether a whole number that is not negative stands at the place. */
const isCount = ({ kinds, numbers }: EventBytes, place: number) =>
  kinds[place] === KIND.number && (numbers[place] as number) >= 0;

/** Whether the file has a GUID in lower case. */
function hasGuid(event: EventBytes): boolean {
  if (event.kinds[FILE_GUID] !== KIND.plain || event.lengthAt(FILE_GUID) !== GUID_CHARS + 2) return false;
  const start = event.startAt(FILE_GUID) + 1;
  for (let i = 0; i < GUID_CHARS; i++) {
    const byte = event.bytes[start + i] as number;
    if (i === 8 || i === 13 || i === 18 || i === 23 ? byte !== DASH : !isHexDigit(byte)) return false;
  }
  return true;
}

const isHexDigit = (byte: number) =>
  (byte >= ZERO && byte <= ZERO + 9) || (byte >= LETTER_A && byte <= LETTER_A + 5);
