import { LIMITS } from '../../limits';
import { fieldNamed } from './expression';
import { readKql } from './kql';
import { Reading, Unknown } from './other-reading';
import { parseFilter } from './parse-filter';
import { readSpl } from './spl';

/** A text in the language of another product, as the filter language has it. */
export interface OtherLanguage {
  readonly language: 'KQL' | 'SPL';
  /** The same question, or the nearest one; null: a part of it is not known here. */
  readonly filter: string | null;
  /** The time that it asks for, such as `7d`, which ends now; null: none. */
  readonly range: string | null;
  /** Where the filter asks for something else, and what was left out. Without a filter: what is not known. */
  readonly differences: readonly string[];
}

/** Spellings that these languages have and that a filter hardly has. Quoted text is replaced by `""` before. */
const MARKS = {
  KQL: [
    /(?:^|[\s(])\w+(?:\([^()]*\))?\s*(?:==|=~|!~)/,
    /(?:^|[\s(])\w+\s+!?(?:has|contains|startswith|endswith|in~?)(?:_cs)?\s*\(?\s*["']/,
    /\bago\s*\(\s*\d+[a-z]+\s*\)|\|\s*where\b|\bisnot(?:empty|null)\s*\(|\bis(?:empty|null)\s*\(/i,
  ],
  SPL: [
    /(?:^|[\s(])\w+\s*=\s*(?:"|[^\s()"]*\*)/,
    /(?:^|[\s(])(?:index|sourcetype|earliest|latest)\s*=/i,
    /\bNOT\s+\w+\s*=(?!=)/,
    /\w\s+IN\s*\(/,
    /\|\s*(?:stats|table|search|head|tail|top|rare|timechart|sort|dedup|fields|rename|eval)\b/i,
  ],
} as const;
const QUOTED = /@?"(?:[^"\\]|\\.)*"|'[^']*'/gs;
/** A condition of the filter language itself. */
const OWN = /(?:^|[\s(-])([A-Za-z]+)[:~](?!\/\/)/g;

/** Null: the text is not recognised as another language. */
export function otherLanguage(text: string): OtherLanguage | null {
  if (text.length > LIMITS.expressionCharsMax) return null;
  const plain = text.replace(QUOTED, (quoted) => (quoted.startsWith("'") ? "''" : '""'));
  if ([...plain.matchAll(OWN)].some(([, name = '']) => fieldNamed(name))) return null;
  for (const language of ['KQL', 'SPL'] as const)
    if (MARKS[language].some((mark) => mark.test(plain))) return rewritten(language, text);
  return null;
}

function rewritten(language: 'KQL' | 'SPL', text: string): OtherLanguage {
  const reading = new Reading();
  try {
    const part = language === 'KQL' ? readKql(text, reading) : readSpl(text, reading);
    const filter = part.text;
    if (filter.length > LIMITS.expressionCharsMax) throw new Unknown('It is too long here.');
    const parsed = filter === '' ? null : parseFilter(filter);
    if (parsed && 'problem' in parsed) throw new Unknown(`${filter}: ${parsed.problem}`);
    return { language, filter, range: reading.range, differences: reading.differences };
  } catch (error) {
    if (!(error instanceof Unknown)) throw error;
    return { language, filter: null, range: null, differences: [error.message] };
  }
}

/** The hint that the problem of a filter ends with; '': none. */
export function otherLanguageHint(text: string): string {
  const found = otherLanguage(text);
  if (!found?.filter || found.filter.length > HINT_CHARS_MAX) return '';
  const near = found.differences.length > 0 ? 'nearly the same' : 'the same';
  return `; this looks like ${found.language}: ${near} is asked here by \`${found.filter}\``;
}
const HINT_CHARS_MAX = 480;
