import { markWords, WORD_MARK } from './mark-words';
import type { SearchTerm } from './search';

/** Stands between two fields. It does not occur within a field: there, two words always have something between them. */
export const FIELD_BORDER = WORD_MARK + WORD_MARK;
/** Takes the place of the mark where a text itself holds the mark. */
export const MARK_STAND_IN = '\uFFFF';

/**
 * Whether the searchable text of an event is its lower case with marks, as a database makes it, too: its texts are ASCII,
 * without U+0000, which is stored in another form, and without the word mark.
 */
export const isAscii = (text: string): boolean => !BEYOND_ASCII.test(text);
const BEYOND_ASCII = /[^\0-~]|\0/;

/** A regular expression of a word, or of its beginning, in ASCII: such a word has letters and digits alone. */
export const asciiPattern = ({ kind, text }: SearchTerm): string =>
  `(?:^|[^a-z0-9])${text}${kind === 'word' ? '(?:[^a-z0-9]|$)' : ''}`;

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
  let end = 0;
  for (const [n, field] of fields.entries()) {
    const bytes = Buffer.from(field);
    if (end + FIELD_BORDER.length + 2 * bytes.length + 1 > SCRATCH_BYTES) return null;
    if (n > 0) {
      scratch[end++] = MARK_BYTE;
      scratch[end++] = MARK_BYTE;
    }
    end = writeSearchable(bytes, end);
    if (end < 0) return null;
  }
  return scratch.toString('latin1', 0, end);
}

const MARK_BYTE = WORD_MARK.charCodeAt(0);
const ASCII = Array.from({ length: MARK_BYTE }, (_, code) => String.fromCharCode(code));
const IS_WORD = Uint8Array.from(ASCII, (character) => (/[A-Za-z0-9]/.test(character) ? 1 : 0));
const LOWER = Uint8Array.from(ASCII, (character) => character.toLowerCase().charCodeAt(0));

/**
 * Writes the searchable text of a field of ASCII to the scratch, byte by byte. A regular expression takes seven times as
 * long.
 * @returns the index after the last byte; -1 for bytes of U+0000, of the mark or beyond ASCII, which this cannot write
 */
function writeSearchable(source: Uint8Array, to: number): number {
  let at = to;
  let inWord = 0;
  for (const code of source) {
    if (code === 0 || code >= MARK_BYTE) return -1;
    const isWord = IS_WORD[code] as number;
    if (isWord !== inWord) scratch[at++] = MARK_BYTE;
    inWord = isWord;
    scratch[at++] = LOWER[code] as number;
  }
  if (inWord) scratch[at++] = MARK_BYTE;
  return at;
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
