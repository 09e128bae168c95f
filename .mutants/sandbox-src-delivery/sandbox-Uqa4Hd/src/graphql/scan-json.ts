import { SAFE_DIGITS } from '../event/json-bytes';
import { isAltered } from './exact-numbers';

/** The size of a piece of JSON. */
export interface Extent {
  /** Number of commas and opening brackets, which is at least the number of values. */
  readonly values: number;
  /** Greatest depth of brackets, counted from the outermost. */
  readonly depth: number;
}

interface JsonScan {
  /** Everything except the items of the list. */
  readonly frame: Extent;
  /** The first list at `variables.*.events`, without its brackets; null: there is none. */
  readonly list: {
    readonly start: number;
    readonly end: number;
    readonly items: readonly (Extent & { readonly start: number; readonly end: number })[];
  } | null;
  /** Start and end of each number that `JSON.parse` would alter: start, end, start, … */
  readonly altered: readonly number[];
  /** Whether all brackets are paired. If not, the text is not JSON. */
  readonly isBalanced: boolean;
}

const [QUOTE, COMMA, MINUS, ZERO, NINE, COLON, BACKSLASH] = [0x22, 0x2c, 0x2d, 0x30, 0x39, 0x3a, 0x5c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
/** Depth inside the variables (body, variables), and inside the list (body, variables, batch, list). */
const [VARIABLES_DEPTH, LIST_DEPTH] = [2, 4];

/**
 * Scans a JSON text without building a value. It accepts text that is not JSON. `JSON.parse` then finds the fault in
 * one of the parts, because a text is JSON exactly when its frame and each item are.
 * @param itemsMax the most items that are returned, plus one that shows that there are more
 */
export function scanJson(text: string, itemsMax: number): JsonScan {
  const altered: number[] = [];
  const items: (Extent & { start: number; end: number })[] = [];
  let list: JsonScan['list'] = null;
  let [depth, values, deepest] = [0, 0, 0];
  let frame: Extent = { values, depth };
  let [listStart, itemStart] = [0, 0];
  let isInVariables = false;
  const endItem = (end: number) => {
    if (items.length <= itemsMax) items.push({ start: itemStart, end, values, depth: deepest });
    [itemStart, values, deepest] = [end + 1, 0, LIST_DEPTH];
  };
  for (let i = 0; i < text.length && depth >= 0; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) i = endOfText(text, i);
    else if (code === COMMA) {
      if (depth === LIST_DEPTH && listStart > 0 && !list) endItem(i);
      else values++;
    } else if (code === OPEN_OBJECT || code === OPEN_LIST) {
      values++;
      depth++;
      if (depth > deepest) deepest = depth;
      if (depth === VARIABLES_DEPTH) isInVariables = isValueOf('"variables"', text, i);
      const mayBeList = depth === LIST_DEPTH && isInVariables && listStart === 0;
      if (mayBeList && code === OPEN_LIST && isValueOf('"events"', text, i)) {
        frame = { values, depth: deepest };
        listStart = i + 1;
        [itemStart, values, deepest] = [listStart, 0, LIST_DEPTH];
      }
    } else if (code === CLOSE_OBJECT || code === CLOSE_LIST) {
      if (depth === LIST_DEPTH && listStart > 0 && !list) {
        if (items.length > 0 || text.slice(listStart, i).trim() !== '') endItem(i);
        list = { start: listStart, end: i, items };
        ({ values, depth: deepest } = frame);
      }
      depth--;
    } else if (code === MINUS || (code >= ZERO && code <= NINE)) {
      const end = endOfNumber(text, i);
      if (!isPlain(text, i, end) && isAltered(text.slice(i, end))) altered.push(i, end);
      i = end - 1;
    }
  }
  return { frame: { values, depth: deepest }, list, altered, isBalanced: depth === 0 };
}

function endOfText(text: string, start: number): number {
  let i = start + 1;
  for (; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) return i;
    if (code === BACKSLASH) i++;
  }
  return i;
}

function endOfNumber(text: string, start: number): number {
  let i = start + 1;
  while (i < text.length && isNumberPart(text.charCodeAt(i))) i++;
  return i;
}

const isNumberPart = (code: number) =>
  (code >= ZERO && code <= NINE) ||
  (code | 0x20) === 0x65 ||
  code === 0x2e ||
  code === 0x2b ||
  code === MINUS;

/** Whether the number has so few digits, and no exponent, that a double holds it exactly. */
function isPlain(text: string, start: number, end: number): boolean {
  if (end - start > SAFE_DIGITS) return false;
  if (text.charCodeAt(start) === MINUS && text.charCodeAt(start + 1) === ZERO) return false;
  for (let i = start; i < end; i++) if ((text.charCodeAt(i) | 0x20) === 0x65) return false;
  return true;
}

/** Whether the value at this index belongs to a member of this name, written without escapes. */
function isValueOf(name: string, text: string, at: number): boolean {
  const colon = beforeSpace(text, at);
  if (text.charCodeAt(colon) !== COLON) return false;
  const end = beforeSpace(text, colon) + 1;
  // After a backslash the quotation mark is part of a longer name.
  return text.endsWith(name, end) && text.charCodeAt(end - name.length - 1) !== BACKSLASH;
}

function beforeSpace(text: string, at: number): number {
  let i = at - 1;
  while (i >= 0 && text.charCodeAt(i) <= 0x20) i--;
  return i;
}
