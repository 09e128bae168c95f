/**
 * Texts compared by whole characters, as the database has them: half of a surrogate pair is a character only where the
 * other half is not beside it.
 */
export function beginsWith(text: string, beginning: string): boolean {
  return text.startsWith(beginning) && !isInsidePair(text, beginning.length);
}

/** Whether a text holds another one. */
export function holdsText(text: string, part: string): boolean {
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1))
    if (!isInsidePair(text, at) && !isInsidePair(text, at + part.length)) return true;
  return false;
}

const isInsidePair = (text: string, at: number): boolean =>
  at > 0 && at < text.length && isHigh(text.charCodeAt(at - 1)) && isLow(text.charCodeAt(at));
const isHigh = (unit: number) => unit >= 0xd800 && unit < 0xdc00;
const isLow = (unit: number) => unit >= 0xdc00 && unit < 0xe000;
