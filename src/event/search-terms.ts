import { markWords, WORD_MARK } from './mark-words';
import type { SearchTerm } from './search';

/** Stands between two fields. It does not occur within a field: there, two words always have something between them. */
export const FIELD_BORDER = WORD_MARK + WORD_MARK;
/** Takes the place of the mark where a text itself holds the mark. */
export const MARK_STAND_IN = '\uFFFF';

/**
 * The texts of an event as one folded text, with marked words and separated fields. Search terms are looked for in it.
 */
export function searchableText(fields: readonly string[]): string {
  return ascii(fields) ?? markWords(fields.map(withoutMark).join(FIELD_BORDER));
}

const withoutMark = (text: string) =>
  text.includes(WORD_MARK) ? text.replaceAll(WORD_MARK, MARK_STAND_IN) : text;

const mark = (text: string): string => ascii([text]) ?? markWords(withoutMark(text));

const SCRATCH_BYTES = 65_536;
const scratch = Buffer.alloc(SCRATCH_BYTES);

function ascii(fields: readonly string[]): string | null {
  if (searchableRoom(fields) > SCRATCH_BYTES) return null;
  const end = writeSearchable(fields, scratch, 0);
  return end < 0 ? null : scratch.toString('latin1', 0, end);
}

const MARK_BYTE = WORD_MARK.charCodeAt(0);
const ASCII = Array.from({ length: MARK_BYTE }, (_, code) => String.fromCharCode(code));
const IS_WORD = Uint8Array.from(ASCII, (character) => (/[A-Za-z0-9]/.test(character) ? 1 : 0));
const LOWER = Uint8Array.from(ASCII, (character) => character.toLowerCase().charCodeAt(0));

/** Bytes that are enough for `writeSearchable`. */
export function searchableRoom(fields: readonly string[]): number {
  let room = 0;
  for (const field of fields) room += 2 * field.length + 1 + FIELD_BORDER.length;
  return room;
}

/**
 * Writes the searchable text of ASCII texts, as most are, byte by byte. A regular expression takes seven times as long,
 * and every ingested event is written here.
 * @returns the place after the last byte; -1 for texts with U+0000, the mark or anything beyond ASCII, which this
 * cannot write
 */
export function writeSearchable(fields: readonly string[], target: Uint8Array, at: number): number {
  let end = at;
  for (let n = 0; n < fields.length; n++) {
    if (n > 0) {
      target[end++] = MARK_BYTE;
      target[end++] = MARK_BYTE;
    }
    end = writeMarked(fields[n] as string, target, end);
    if (end < 0) return -1;
  }
  return end;
}

function writeMarked(text: string, target: Uint8Array, at: number): number {
  let end = at;
  let inWord = 0;
  // Read once: the engine has many forms of texts, so reading the length in each turn is slow.
  const { length } = text;
  for (let i = 0; i < length; i++) {
    const code = text.charCodeAt(i);
    if (code === 0 || code >= MARK_BYTE) return -1;
    const isWord = IS_WORD[code] as number;
    if (isWord !== inWord) target[end++] = MARK_BYTE;
    inWord = isWord;
    target[end++] = LOWER[code] as number;
  }
  if (inWord) target[end++] = MARK_BYTE;
  return end;
}

/**
 * The text that a searchable text contains exactly when the term holds. The mark and its stand-in count as the same.
 */
export function needleOf(term: SearchTerm): string {
  switch (term.kind) {
    case 'word':
      return WORD_MARK + term.text + WORD_MARK;
    case 'prefix':
      return WORD_MARK + term.text;
    case 'phrase':
      // A phrase may begin and end within a word.
      return mark(term.text).replace(EDGE_MARKS, '');
  }
}
const EDGE_MARKS = /^\x7f|\x7f$/g;

const piecesOf = (text: string): string[] => mark(text).split(WORD_MARK);
const wordsAmong = (pieces: readonly string[]): string[] => pieces.filter((_, i) => i % 2 === 1);

/** The words of a text, folded. */
export const wordsOf = (text: string): string[] => wordsAmong(piecesOf(text));

/**
 * Words an event must have for the term to hold. The first and the last word of a phrase may be parts of longer words.
 */
export function wholeWordsOf(term: SearchTerm): string[] {
  if (term.kind === 'prefix') return [];
  if (term.kind === 'word') return [term.text];
  const pieces = piecesOf(term.text);
  const words = wordsAmong(pieces);
  const isInside = (i: number) =>
    (i > 0 || pieces[0] !== '') && (i < words.length - 1 || pieces.at(-1) !== '');
  return words.filter((_, i) => isInside(i));
}
