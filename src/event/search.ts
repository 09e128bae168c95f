import { LIMITS } from '../limits';

/**
 * A condition of a full-text search. A word holds when it is a word of any searched field, and a prefix when it begins
 * one. A phrase holds when it stands as it is, letter case aside, within one field. `text` is folded in words and
 * prefixes, and as typed in phrases.
 */
export type SearchTerm =
  | { readonly kind: 'word'; readonly text: string }
  | { readonly kind: 'prefix'; readonly text: string }
  | { readonly kind: 'phrase'; readonly text: string };

/**
 * Text as searches, filters and rules compare it. Upper case brings together letters whose lower case differs: "ß" and
 * "ss", the two small sigmas, long s. Lower case comes first, because the upper case of "ẞ" is "ẞ" itself.
 */
export function fold(text: string): string {
  const lower = text.toLowerCase();
  return NOT_ASCII.test(lower) ? lower.toUpperCase().toLowerCase().replaceAll('ς', 'σ') : lower;
}
const NOT_ASCII = /[^\0-\x7f]/;

/**
 * The characters of words, as a class of regular expressions: letters, digits, and the marks that the folded forms of
 * letters have. "İ" is folded to "i" and a mark. So words are the same before and after folding.
 */
export const WORD_CLASS =
  '\\p{L}\\p{N}\\u0300\\u0301\\u0307\\u0308\\u030A\\u030C\\u0313\\u0331\\u0342\\u0345';
const PIECE = new RegExp(`"([^"]*)"|"|([${WORD_CLASS}]+)(\\*)?`, 'gu');

/** The terms of what a caller typed into `search`, or what is wrong with it. @param termsMax more are refused */
export function parseSearch(
  input: string,
  termsMax: number = LIMITS.searchTermsMax,
): { terms: readonly SearchTerm[] } | { problem: string } {
  const terms: SearchTerm[] = [];
  for (const [piece, phrase, word, star] of input.matchAll(PIECE)) {
    if (word !== undefined) terms.push({ kind: star ? 'prefix' : 'word', text: fold(word) });
    else if (piece === '"') return { problem: 'has a quotation mark that is not closed' };
    else if (!phrase) return { problem: 'has quotation marks with nothing between them' };
    else terms.push({ kind: 'phrase', text: phrase });
  }
  // No term would mean no condition: a search that finds everything is a mistake.
  if (terms.length === 0) return { problem: 'must have at least one word' };
  if (terms.length > termsMax) return { problem: `must have at most ${termsMax} words` };
  return { terms };
}
