import { fold, WORD_CLASS } from './search';

/** Stands before and after every word of a searchable text, so that one plain comparison finds whole words. */
export const WORD_MARK = '\x7f';

const MARK_UNIT = WORD_MARK.charCodeAt(0);
const UNITS = 0x1_0000;
const IS_WORD_CHARACTER = new RegExp(`^[${WORD_CLASS}]$`, 'u');
/** No character becomes longer than this when it is folded. */
const FOLDED_UNITS_MAX = 3;
const GROWTH = 1.5;

const [UNKNOWN, REST, WORD] = [0, 1, 2];
/**
 * For each UTF-16 unit: whether words are made of it, and its folded form (0: longer than a unit). Filled on first use.
 */
const KINDS = new Uint8Array(UNITS);
const FOLDED = new Uint16Array(UNITS);

/**
 * Folds a text and marks its words, which are runs of letters, digits and their marks. It works unit by unit: an event may have a
 * million words, and a piece of text for each word would take seconds and block all requests.
 */
export function markWords(text: string): string {
  const { length } = text;
  let units = new Uint16Array(2 * length + FOLDED_UNITS_MAX + 2);
  let [end, inWord] = [0, false];
  for (let i = 0; i < length; i++) {
    const unit = text.charCodeAt(i);
    const isPair = isHigh(unit) && isLow(text.charCodeAt(i + 1));
    if (KINDS[unit] === UNKNOWN) learn(unit);
    const character = isPair ? text.slice(i, i + 2) : '';
    const isWord = isPair ? IS_WORD_CHARACTER.test(character) : KINDS[unit] === WORD;
    if (isWord !== inWord) units[end++] = MARK_UNIT;
    inWord = isWord;
    if (!isPair && FOLDED[unit] !== 0) units[end++] = FOLDED[unit] as number;
    else {
      const folded = fold(isPair ? character : String.fromCharCode(unit));
      for (let at = 0; at < folded.length; at++) units[end++] = folded.charCodeAt(at);
    }
    if (isPair) i++;
    if (end + FOLDED_UNITS_MAX + 2 > units.length) units = grown(units);
  }
  if (inWord) units[end++] = MARK_UNIT;
  return Buffer.from(units.buffer, 0, 2 * end).toString('utf16le');
}

function learn(unit: number): void {
  const character = String.fromCharCode(unit);
  const folded = fold(character);
  KINDS[unit] = IS_WORD_CHARACTER.test(character) ? WORD : REST;
  FOLDED[unit] = folded.length === 1 ? folded.charCodeAt(0) : 0;
}

function grown(units: Uint16Array): Uint16Array<ArrayBuffer> {
  const larger = new Uint16Array(Math.ceil(units.length * GROWTH));
  larger.set(units);
  return larger;
}

const isHigh = (unit: number) => unit >= 0xd800 && unit < 0xdc00;
const isLow = (unit: number) => unit >= 0xdc00 && unit < 0xe000;
