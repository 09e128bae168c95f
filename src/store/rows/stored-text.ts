import type { JsonScalar } from '../../event/audit-record';

/**
 * PostgreSQL cannot hold U+0000 or half a surrogate pair. Both occur in audit records: a statement cut in the middle of
 * a pair, a hostile login name. The embedded engine's driver drops U+FEFF, the byte order mark, where it leads a text.
 * Each is stored as a character of the last plane, which is private. A character of that plane is itself stored as two
 * of it. So every text leaves the service exactly as the audit file states it. No escape is part of another one: a
 * stored text contains a stored phrase just when the text contains the phrase. None takes more than 4 bytes per UTF-16
 * unit: a name of 512 units fits an index entry.
 *
 *     U+10F000 .. U+10F7FF   U+D800 .. U+DFFF, alone
 *     U+10F800               U+0000
 *     U+10F801               U+FEFF
 *     U+10F802               of no text: see UNUSED
 *     U+10F900 + U+10FA00    U+10F000 .. U+10FFFF: 6 bits in each of the two
 */
const RESERVED = 0x10f000;
const NUL = 0x10f800;
const BOM = 0x10f801;
const FIRST_OF_TWO = 0x10f900;
const SECOND_OF_TWO = 0x10fa00;

/** A character that no stored text holds. */
export const UNUSED = '\u{10F802}';

/** The characters that begin an escape of two. */
export const FIRSTS_OF_TWO = String.fromCodePoint(...Array.from({ length: 64 }, (_, i) => FIRST_OF_TWO + i));

/** With the flag u, Cs matches half a pair only when the other half is not beside it. */
const TO_ESCAPE = /[\0\uFEFF\p{Cs}\u{10F000}-\u{10FFFF}]/gu;
const ESCAPED = /[\u{10F900}-\u{10F93F}][\u{10FA00}-\u{10FA3F}]|[\u{10F000}-\u{10F801}]/gu;
const SUSPECT = /[\0\uFEFF\uD800-\uDFFF]/;

/** The form in which a text is stored, compared and searched. */
export function toStored(text: string): string {
  return SUSPECT.test(text) ? text.replace(TO_ESCAPE, escapeOf) : text;
}

/** The first UTF-16 unit of every escape. */
const MAY_HOLD_ESCAPES = /[\uDBFC-\uDBFE]/;

/** The text a stored form stands for. */
export const fromStored = (stored: string): string =>
  MAY_HOLD_ESCAPES.test(stored) ? stored.replace(ESCAPED, characterOf) : stored;

/** A stored form with each escape replaced by its character as `write` writes it. The rest is written already. */
export const restored = (stored: string, write: (character: string) => string): string =>
  stored.replace(ESCAPED, (found) => write(characterOf(found)));

/** The text of an event's column. An absent text is stored as an empty one. */
export const textOrNull = (stored: string): string | null => (stored === '' ? null : fromStored(stored));
/** The same of a column that may hold a number, as that of the tenant does. */
export const textOf = (stored: unknown): string | null => textOrNull(String(stored));

function escapeOf(found: string): string {
  const code = found.codePointAt(0) ?? 0;
  if (code === 0) return String.fromCodePoint(NUL);
  if (code === 0xfeff) return String.fromCodePoint(BOM);
  if (code < 0x10000) return String.fromCodePoint(RESERVED + code - 0xd800);
  const index = code - RESERVED;
  return String.fromCodePoint(FIRST_OF_TWO + (index >> 6), SECOND_OF_TWO + (index & 63));
}

function characterOf(found: string): string {
  const [first = 0, second] = [...found].map((character) => character.codePointAt(0) ?? 0);
  if (second !== undefined) {
    return String.fromCodePoint(RESERVED + ((first - FIRST_OF_TWO) << 6) + second - SECOND_OF_TWO);
  }
  if (first === NUL) return '\0';
  return first === BOM ? '\uFEFF' : String.fromCharCode(first - RESERVED + 0xd800);
}

type FlatJson = { readonly [key: string]: JsonScalar };

/** JSON of a flat object, with `toStored` for every text in it, names included. */
export const toStoredJson = (json: string): string =>
  ESCAPED_OR_SUSPECT.test(json) ? JSON.stringify(mapTexts(JSON.parse(json), toStored)) : json;
/** JSON writes U+0000 and half a pair as an escape. Names such as `CORP\\user` must not look like one. */
const ESCAPED_OR_SUSPECT = /\\u(?:0000|d[89a-f])|[\uFEFF\uD800-\uDFFF]/i;
export const fromStoredJson = (value: FlatJson): FlatJson =>
  holdsEscapes(value) ? mapTexts(value, fromStored) : value;

/** The object of stored JSON, with its texts restored. */
export const parseStoredJson = (json: string): FlatJson => {
  const value = JSON.parse(json) as FlatJson;
  return MAY_HOLD_ESCAPES.test(json) ? mapTexts(value, fromStored) : value;
};
/** The JSON that stored JSON stands for. */
export const fromStoredJsonText = (json: string): string =>
  MAY_HOLD_ESCAPES.test(json) ? JSON.stringify(parseStoredJson(json)) : json;

function holdsEscapes(value: FlatJson): boolean {
  for (const name in value) {
    const item = value[name];
    if (MAY_HOLD_ESCAPES.test(name) || (typeof item === 'string' && MAY_HOLD_ESCAPES.test(item))) return true;
  }
  return false;
}

const mapTexts = (value: FlatJson, map: (text: string) => string): FlatJson =>
  Object.fromEntries(
    Object.entries(value).map(([name, item]) => [map(name), typeof item === 'string' ? map(item) : item]),
  );

/** Stored characters that are enough for `count` characters of text: an escape takes up to two for one. */
export const storedCharsFor = (count: number): number => count * 2;
