/** `indexOf` is quick, and at its worst compares as often as both lengths multiplied: a few milliseconds. */
const COMPARISONS_MAX = 4_000_000;

/**
 * Where a part is first found in a text, from a place on; -1: nowhere. However both are made, the time grows with the
 * sum of their lengths (Knuth, Morris, Pratt).
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

/** Of each beginning of a text the length of its longest end that is a beginning too, and not all of it. */
function bordersOf(text: string): Uint32Array {
  const borders = new Uint32Array(text.length);
  for (let at = 1, matched = 0; at < text.length; at++) {
    while (matched > 0 && text[at] !== text[matched]) matched = borders[matched - 1] as number;
    if (text[at] === text[matched]) matched++;
    borders[at] = matched;
  }
  return borders;
}
