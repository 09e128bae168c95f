/**
 * PostgreSQL cannot hold U+0000 or half a surrogate pair, and both occur in audit records (a statement cut in
 * the middle of a pair, a hostile login name). They are stored escaped behind a noncharacter, one to one, so
 * that every text leaves the service exactly as the audit file states it.
 */
const ESCAPE = '\u{10FFFF}';
/** Parts the fields of `search_text`; no stored text holds it unescaped. */
export const FIELD_SEPARATOR = '\u{10FFFE}';

// A pair is matched first and kept, so that what is left of the alternatives are lone halves.
const TO_ESCAPE = /[\uD800-\uDBFF][\uDC00-\uDFFF]|\0|[\uD800-\uDFFF]/g;
const ESCAPED = /\u{10FFFF}([0-9a-f]{4}|[xy])/gu;
const SUSPECT = /\0|[\uD800-\uDFFF]/;

/** The form in which a text is stored, compared and searched. */
export function toStored(text: string): string {
  return SUSPECT.test(text) ? text.replace(TO_ESCAPE, escapeOf) : text;
}

/** The text a stored form stands for. */
export function fromStored(stored: string): string {
  return stored.includes(ESCAPE) ? stored.replace(ESCAPED, (_, code: string) => charactersOf(code)) : stored;
}

function escapeOf(found: string): string {
  if (found === ESCAPE) return `${ESCAPE}x`;
  if (found === FIELD_SEPARATOR) return `${ESCAPE}y`;
  if (found.length === 2) return found;
  return ESCAPE + found.charCodeAt(0).toString(16).padStart(4, '0');
}

function charactersOf(code: string): string {
  if (code === 'x') return ESCAPE;
  if (code === 'y') return FIELD_SEPARATOR;
  return String.fromCharCode(Number.parseInt(code, 16));
}

/** `toStored` for every text, names included, of a JSON value. */
export function toStoredJson(value: unknown): unknown {
  return mapTexts(value, toStored);
}

export function fromStoredJson(value: unknown): unknown {
  return mapTexts(value, fromStored);
}

function mapTexts(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === 'string') return map(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, map));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [map(name), mapTexts(item, map)]));
}

/** Stored characters that are enough for `count` characters of text: an escape takes up to five for one. */
export const storedCharsFor = (count: number): number => count * 5;
/** For SQL: what a stored text contains when it holds an escape. */
export const ESCAPE_CHARACTER = ESCAPE;
