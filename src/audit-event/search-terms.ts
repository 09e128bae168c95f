import { LIMITS } from '../limits';

/**
 * A condition of a full-text search. A word or prefix holds when it is (or begins) a word of any searched
 * field; a phrase when it stands as it is, letter case aside, within one field. Words are folded, phrases as typed.
 */
export type SearchTerm =
  | { readonly kind: 'word'; readonly text: string }
  | { readonly kind: 'prefix'; readonly text: string }
  | { readonly kind: 'phrase'; readonly text: string };

/**
 * Text as the search compares it. By way of upper case, which brings together letters whose lower case differs
 * ("ß" and "ss", the two small sigmas, long s); lower case before it, since "ẞ" has no upper case but itself.
 */
export const fold = (text: string): string =>
  text.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ');

/** Stands before and after every word of a searchable text, so that one plain comparison finds whole words. */
export const WORD_MARK = '\x7f';
const FIELD_BORDER = WORD_MARK + WORD_MARK; // two words are never without something between them
/** Takes the place of the mark where a text itself holds it. */
const MARK_STAND_IN = '\uFFFF';

/** Words are runs of letters and digits; everything else separates. */
const WORD_OR_REST = /([\p{L}\p{N}]+)|[^\p{L}\p{N}]+/gu;

/** The texts of an event folded into one, words marked, fields apart: what each search term is looked for in. */
export function searchableText(fields: readonly string[]): string {
  return mark(fields.map(withoutMark).join(FIELD_BORDER));
}

const withoutMark = (text: string) =>
  text.includes(WORD_MARK) ? text.replaceAll(WORD_MARK, MARK_STAND_IN) : text;

function mark(text: string): string {
  return markAscii(text) ?? markUnicode(text);
}

const BEYOND_ASCII = /[^\0-\x7f]/;
const SCRATCH_CHARS = 32_768;
const input = Buffer.alloc(SCRATCH_CHARS);
const output = Buffer.alloc(3 * SCRATCH_CHARS);
const MARK_BYTE = WORD_MARK.charCodeAt(0);
const ASCII = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code));
const IS_WORD = Uint8Array.from(ASCII, (character) => (/[A-Za-z0-9]/.test(character) ? 1 : 0));
const LOWER = Uint8Array.from(ASCII, (character) => character.toLowerCase().charCodeAt(0));

/**
 * Most texts, byte by byte: a regular expression takes seven times as long, and every ingested event comes by here.
 * @returns null for a text that has other characters, or is very long
 */
function markAscii(text: string): string | null {
  if (text.length > SCRATCH_CHARS || BEYOND_ASCII.test(text)) return null;
  const length = input.write(text, 'latin1');
  let end = 0;
  let inWord = 0;
  for (let i = 0; i < length; i++) {
    const code = input[i] as number;
    const isWord = IS_WORD[code] as number;
    if (isWord !== inWord) output[end++] = MARK_BYTE;
    inWord = isWord;
    output[end++] = LOWER[code] as number;
  }
  if (inWord) output[end++] = MARK_BYTE;
  return output.toString('latin1', 0, end);
}

function markUnicode(text: string): string {
  return text.replace(WORD_OR_REST, (piece, word) =>
    word ? WORD_MARK + fold(word) + WORD_MARK : fold(piece),
  );
}

/** What a searchable text contains if and only if the term holds. */
export function needleOf(term: SearchTerm): string {
  switch (term.kind) {
    case 'word':
      return WORD_MARK + term.text + WORD_MARK;
    case 'prefix':
      return WORD_MARK + term.text;
    case 'phrase':
      // It may begin and end within a word.
      return mark(withoutMark(term.text)).replace(EDGE_MARKS, '');
  }
}
const EDGE_MARKS = /^\x7f|\x7f$/g;

/** Words an event must have for the term to hold. A phrase's first and last may be parts of longer ones. */
export function wholeWordsOf(term: SearchTerm): string[] {
  if (term.kind === 'prefix') return [];
  if (term.kind === 'word') return [term.text];
  const pieces = mark(withoutMark(term.text)).split(WORD_MARK);
  const words = pieces.filter((_, i) => i % 2 === 1);
  const isInside = (i: number) =>
    (i > 0 || pieces[0] !== '') && (i < words.length - 1 || pieces.at(-1) !== '');
  return words.filter((_, i) => isInside(i));
}

const PIECE = /"([^"]*)"|"|([\p{L}\p{N}]+)(\*)?/gu;

/** The terms of what a caller typed into `search`, or what is wrong with it. */
export function parseSearch(input: string): { terms: readonly SearchTerm[] } | { problem: string } {
  const terms: SearchTerm[] = [];
  for (const [piece, phrase, word, star] of input.matchAll(PIECE)) {
    if (word !== undefined) terms.push({ kind: star ? 'prefix' : 'word', text: fold(word) });
    else if (piece === '"') return { problem: 'has a quotation mark that is not closed' };
    else if (!phrase) return { problem: 'has quotation marks with nothing between them' };
    else terms.push({ kind: 'phrase', text: phrase });
  }
  // No term would mean no condition: a search that finds everything is a mistake.
  if (terms.length === 0) return { problem: 'must have at least one word' };
  if (terms.length > LIMITS.searchTermsMax)
    return { problem: `must have at most ${LIMITS.searchTermsMax} words` };
  return { terms };
}
