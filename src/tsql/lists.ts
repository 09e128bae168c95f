import { markAt, wordAt } from './call-parts';
import { narrow } from './normal-form';
import type { Token } from './tokens';

/** Texts that a statement lists as rows, and variables that gather rows: `SELECT @x+=c FROM(VALUES('a'),('b'))t(c)`. */

const ROWS_MAX = 1_000;

/** How an assignment gathers rows in a text; null: it does not. */
export function gatheredIn(
  tokens: readonly Token[],
  { name, from, end, isAdded, by }: { name: string; from: number; end: number; isAdded: boolean; by: string },
): 'forward' | 'backward' | null {
  const own = tokens
    .slice(from, end)
    .findIndex(({ kind, text }) => kind === 'variable' && narrow(text).toLowerCase() === name);
  if (by === 'select' && (isAdded || own >= 0)) return own > 0 ? 'backward' : 'forward';
  for (let at = from; at < end; at++) if (GATHERING.includes(wordAt(tokens, at))) return 'forward';
  return null;
}
const GATHERING = ['string_agg', 'concat_ws'];

/** The texts that stand in VALUES, or that the parts of a UNION select. */
export function listedTexts(tokens: readonly Token[]): readonly string[] {
  const texts: string[] = [];
  const isUnion = tokens.some((_, at) => wordAt(tokens, at) === 'union');
  let isList = false;
  let splits = 0;
  let depth = 0;
  for (const [at, { kind, text }] of tokens.entries()) {
    const [mark, word] = [markAt(tokens, at), wordAt(tokens, at)];
    if (word === 'values') [isList, depth] = [true, 0];
    depth += mark === '(' ? 1 : mark === ')' ? -1 : 0;
    // A row may follow, and nothing else.
    if (isList && depth === 0 && word !== 'values' && mark !== ')' && mark !== ',') isList = false;
    const isSelected = isUnion && wordAt(tokens, at - 1) === 'select';
    if (kind === 'text' && (isList || isSelected) && texts.length < ROWS_MAX) texts.push(text);
    if (SPLITTING.includes(word) && splits < HELD_MAX) {
      splits += 1;
      texts.push(...piecesAt(tokens, at).slice(0, ROWS_MAX));
    }
  }
  return texts.slice(0, ROWS_MAX);
}

const SPLITTING = ['string_split', 'openjson'];
const JSON_CHARS_MAX = 8_192;

/**
 * The rows of `STRING_SPLIT('a|b','|')` and `OPENJSON('["a","b"]')`, if they make a statement or the name of a system
 * procedure together. Programs list their numbers and names so.
 */
function piecesAt(tokens: readonly Token[], at: number): readonly string[] {
  if (markAt(tokens, at + 1) !== '(') return [];
  const given = tokens[at + 2];
  const separator = tokens[at + 4];
  const isSplit =
    wordAt(tokens, at) === 'string_split' && separator?.kind === 'text' && separator.text !== '';
  // A variable has a text of the same statement.
  const texts = given?.kind === 'text' ? [given.text] : textsIn(tokens);
  for (const text of texts) {
    const pieces = isSplit ? text.split(separator.text) : textsOfJson(text);
    if (pieces.length > 1 && BEGINS.test(pieces.join(''))) return pieces;
  }
  return [];
}

const textsIn = (tokens: readonly Token[]): readonly string[] =>
  tokens
    .filter(({ kind }) => kind === 'text')
    .slice(0, HELD_MAX)
    .map(({ text }) => text);

function textsOfJson(text: string): readonly string[] {
  if (!/^\s*[{[]/.test(text)) return [];
  const texts: string[] = [];
  try {
    JSON.parse(text.slice(0, JSON_CHARS_MAX), (_, value: unknown) => {
      if (typeof value === 'string') texts.push(value);
    });
  } catch {
    return [];
  }
  return texts;
}

const HELD_MAX = 20;
const BEGINS =
  /^\s*(?:exec|execute|alter|create|drop|grant|backup|restore|truncate|shutdown|dbcc|[sx]p_\w+)\b/i;

/** Texts that rows or variables of a table may hold, and that are statements. */
export const statementsIn = (tokens: readonly Token[]): readonly string[] =>
  tokens
    .filter(({ kind, text }) => kind === 'text' && BEGINS.test(text))
    .slice(0, HELD_MAX)
    .map(({ text }) => text);
