import { AUDIT_EVENT_FIELDS } from '../event/fields';
import { fold } from '../event/search';
import type { FieldSlot } from './event';
import type { Glob } from './glob';

/**
 * What must stand in an event for a condition to hold: a word in one of the texts of a field, or, where the word is
 * empty, any value of it. `Sieve` rules conditions out by it.
 */
export interface Need {
  readonly field: FieldSlot;
  /** ASCII letters, digits and underscores, letter case folded, or slashes and backslashes. */
  readonly word: string;
}

/** The needs of a condition. */
export interface Needs {
  /** All words that `of` may name. */
  readonly words: readonly string[];
  /**
   * An event of this action, letter case folded, has at least one of these, or the condition does not hold. So it never
   * holds when there are none. Null: nothing is known of it.
   */
  of(action: string): readonly Need[] | null;
}

const ACTION = 'actionId';
/** Fields whose values are made of the statement. A word of theirs stands in it, or in what it calls and executes. */
const OF_STATEMENT = new Set(['statement', 'plainStatement', 'plainCode', 'texts', 'calls', 'procedures']);
/** Fields of which only the presence is looked for. */
const PRESENT = new Set(['madeBy', 'servers']);
/** Fields that are looked at as they are. */
const OWN = new Set(
  Object.entries(AUDIT_EVENT_FIELDS).flatMap(([name, { kind }]) =>
    kind === 'text' && name !== 'statement' && name !== ACTION ? [name] : [],
  ),
);
export const isOwn = ({ name }: FieldSlot): boolean => OWN.has(name);

/** More words than these are not looked for. */
const WORDS_MAX = 512;
/** Slashes that follow each other stand in texts and names only, where the normal form leaves them as they are. */
const WORD = /[a-z0-9_]+|[\\/]{2,}/g;
const DIGITS = /^\d+$/;
const NONE: readonly never[] = [];
export const NO_NEEDS: Needs = { words: NONE, of: () => null };

/** Most statements have these words, so they rule out little. */
const USUAL = new Set(
  'select insert update delete merge from where values into order exec execute sp_executesql dbo set table client'.split(
    ' ',
  ),
);

/** How well a word rules events out. The normal form writes numbers in another way, so digits say nothing. */
function worth(word: string): number {
  if (word === '') return 8;
  if (DIGITS.test(word) || word.length < 2) return 0;
  return USUAL.has(word) ? 1 : word.length;
}
const worthOf = (needs: readonly Need[]): number => Math.min(...needs.map(({ word }) => worth(word)));

/** What the presence of a field needs. */
export const presence = (field: FieldSlot): Needs =>
  PRESENT.has(field.name) ? { words: NONE, of: () => [{ field, word: '' }] } : NO_NEEDS;

/** What a pattern of letters whose case is folded needs. */
export function needsOfGlob(field: FieldSlot, glob: Glob): Needs {
  if (!OF_STATEMENT.has(field.name) && !OWN.has(field.name)) return NO_NEEDS;
  return needsOfText(field, glob.map((part) => (typeof part === 'string' ? part : ' ')).join(''));
}

function needsOfText(field: FieldSlot, text: string): Needs {
  const words = text.match(WORD) ?? [];
  const [best] = words.filter((word) => worth(word) > 0).sort((a, b) => worth(b) - worth(a));
  return best === undefined ? NO_NEEDS : { words: [best], of: () => [{ field, word: best }] };
}

/** What a regular expression needs: a word that stands outside of its groups, classes and repetitions. */
export function needsOfPattern(field: FieldSlot, pattern: string): Needs {
  if (!OF_STATEMENT.has(field.name) && !OWN.has(field.name)) return NO_NEEDS;
  const branches = branchesOf(pattern);
  return branches ? needsOfAny(branches.map((text) => needsOfText(field, fold(text)))) : NO_NEEDS;
}

const ESCAPE = /^\\(?:[bBwWsSdDnrt]|[^\w\s])/;

/**
 * The branches of a regular expression, with a line break in place of what is no letter that must stand there. Null: it
 * has something that this function does not read.
 */
function branchesOf(pattern: string): readonly string[] | null {
  const branches = [''];
  let depth = 0;
  const put = (text: string) => {
    if (depth === 0) branches[branches.length - 1] += text;
  };
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern[at] as string;
    if (char === '\\') {
      const [escaped] = ESCAPE.exec(pattern.slice(at, at + 2)) ?? [];
      if (!escaped) return null;
      put(/\w/.test(escaped[1] as string) ? '\n' : (escaped[1] as string));
      at += 1;
    } else if (char === '[') {
      at = endOfClass(pattern, at);
      put('\n');
    } else if (char === '(' || char === ')') {
      put('\n');
      depth += char === '(' ? 1 : -1;
      put('\n');
    } else if (char === '|' && depth === 0) branches.push('');
    else if ('*?{'.includes(char) && depth === 0) {
      // What stands before may be absent.
      branches[branches.length - 1] = `${branches.at(-1)?.slice(0, -1)}\n`;
      if (char === '{') at = Math.max(at, pattern.indexOf('}', at));
    } else put('.+^$}'.includes(char) ? '\n' : char);
  }
  return branches;
}

/** The index at which a character class ends. A `]` directly after its beginning belongs to the class. */
export function endOfClass(pattern: string, begin: number): number {
  let at = begin + (pattern[begin + 1] === '^' ? 2 : 1);
  if (pattern[at] === ']') at += 1;
  while (at < pattern.length && pattern[at] !== ']') at += pattern[at] === '\\' ? 2 : 1;
  return at;
}

/** What a field needs that is one of some texts, letter case folded. */
export function needsOfTexts(field: FieldSlot, texts: readonly string[]): Needs {
  if (field.name === ACTION) return { words: NONE, of: (action) => (texts.includes(action) ? null : NONE) };
  return needsOfAny(texts.map((text) => needsOfGlob(field, [text])));
}

/** What a field needs that is none of some texts, letter case folded. */
export const needsOfOthers = (field: FieldSlot, texts: readonly string[]): Needs =>
  field.name === ACTION ? { words: NONE, of: (action) => (texts.includes(action) ? NONE : null) } : NO_NEEDS;

/** What a condition needs of which one part must hold. */
export function needsOfAny(parts: readonly Needs[]): Needs {
  const words = wordsOf(parts);
  if (words.length > WORDS_MAX) return NO_NEEDS;
  return {
    words,
    of: (action) => {
      const all = new Map<string, Need>();
      for (const part of parts) {
        const needs = part.of(action);
        if (needs === null) return null;
        for (const need of needs) all.set(`${need.field.name} ${need.word}`, need);
      }
      return [...all.values()];
    },
  };
}

/** What a condition needs of which all parts must hold: what the part needs that rules out most. */
export function needsOfAll(parts: readonly Needs[]): Needs {
  const words = wordsOf(parts);
  if (words.length > WORDS_MAX) return NO_NEEDS;
  return {
    words,
    of: (action) => {
      let best: readonly Need[] | null = null;
      for (const part of parts) {
        const needs = part.of(action);
        if (needs && (best === null || worthOf(needs) > worthOf(best))) best = needs;
      }
      return best;
    },
  };
}

const wordsOf = (parts: readonly Needs[]): readonly string[] => [
  ...new Set(parts.flatMap(({ words }) => words)),
];
