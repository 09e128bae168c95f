import type { JsonScalar } from '../audit-event/audit-record';

/**
 * PostgreSQL cannot hold U+0000 or half a surrogate pair, and both occur in audit records (a statement cut in
 * the middle of a pair, a hostile login name). They are stored escaped behind a noncharacter, one to one, so
 * that every text leaves the service exactly as the audit file states it.
 */
const ESCAPE = '\u{10FFFF}';

// A pair is matched first and kept, so that what is left of the alternatives are lone halves.
const TO_ESCAPE = /[\uD800-\uDBFF][\uDC00-\uDFFF]|\0|[\uD800-\uDFFF]/g;
const ESCAPED = /\u{10FFFF}([0-9a-f]{4}|x)/gu;
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
  if (found.length === 2) return found;
  return ESCAPE + found.charCodeAt(0).toString(16).padStart(4, '0');
}

function charactersOf(code: string): string {
  if (code === 'x') return ESCAPE;
  return String.fromCharCode(Number.parseInt(code, 16));
}

type FlatJson = { readonly [key: string]: JsonScalar };

/** `toStored` for every text, names included, of a flat object. */
export const toStoredJson = (value: FlatJson): FlatJson => mapTexts(value, toStored);
export const fromStoredJson = (value: FlatJson): FlatJson => mapTexts(value, fromStored);

const mapTexts = (value: FlatJson, map: (text: string) => string): FlatJson =>
  Object.fromEntries(
    Object.entries(value).map(([name, item]) => [map(name), typeof item === 'string' ? map(item) : item]),
  );

/** Stored characters that are enough for `count` characters of text: an escape takes up to five for one. */
export const storedCharsFor = (count: number): number => count * 5;
/** For SQL: what a stored text contains when it holds an escape. */
export const ESCAPE_CHARACTER = ESCAPE;
