/** `indexOf` is used up to so many comparisons, at worst both lengths multiplied. They take a few milliseconds. */
const COMPARISONS_MAX = 4_000_000;

/**
 * The first place of a part in a text, at or after `from`; -1: there is none. For any text and part, the time grows
 * with the sum of their lengths (Knuth, Morris, Pratt).
 */
export function indexIn(text: string, part: string, from: number): number {
  if ((text.length - from) * part.length <= COMPARISONS_MAX) return text.indexOf(part, from);
  const borders = bordersOf(part);
  let matched = 0;
  for (let at = from; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    while (matched > 0 && part.charCodeAt(matched) !== unit) matched = borders[matched - 1] as number;
    if (part.charCodeAt(matched) === unit) matched++;
    if (matched === part.length) return at + 1 - matched;
  }
  return -1;
}

/** For each prefix of a text, the length of its longest proper suffix that is also a prefix. */
function bordersOf(text: string): Uint32Array {
  const borders = new Uint32Array(text.length);
  for (let at = 1, matched = 0; at < text.length; at++) {
    while (matched > 0 && text[at] !== text[matched]) matched = borders[matched - 1] as number;
    if (text[at] === text[matched]) matched++;
    borders[at] = matched;
  }
  return borders;
}
