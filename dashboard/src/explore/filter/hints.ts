import { fieldNamed } from '../../../../src/event/expression/expression';
import { fieldMeant } from '../../../../src/event/expression/other-names';
import { parseFilter } from '../../../../src/event/expression/parse-filter';
import type { In } from '../../lib/texts';
import type { EXPLORE } from '../texts';
import { fieldText, quoteValue } from './value-text';

/** A part of a filter that means something else than its author may think. */
export interface Hint {
  readonly typed: string;
  readonly why: string;
  /** The condition that may be meant; null: none is known. */
  readonly meant: string | null;
  /** The whole filter with that condition; null likewise. */
  readonly filter: string | null;
}

const CONDITION = /(?<=^|[\s(-])([A-Za-z_]+)(:|~| ?(?:==?|!=|<>) ?)("(?:[^"\\]|\\.)*"|'[^']*'|[^\s()"']+)/g;
const HINTS_MAX = 3;

/** The hints for a filter, which may be invalid; at most three. */
export function hintsOf(text: string, t: In<typeof EXPLORE>): readonly Hint[] {
  const conditions = [...text.matchAll(CONDITION)]
    .filter(({ index }) => !isQuoted(text, index))
    .flatMap((found) => hintOf(found, t) ?? [])
    .map(({ at, ...hint }) => ({
      ...hint,
      filter: hint.meant && text.slice(0, at) + hint.meant + text.slice(at + hint.typed.length),
    }));
  return [...operatorsHint(text, t), ...conditions].slice(0, HINTS_MAX);
}

const QUOTED = /("(?:[^"\\]|\\.)*")/s;
const OPERATOR = /(?<=^|[\s)])(?:and|or|not)(?=[\s(]|$)/g;
const OWN = /(?:^|[\s(-])([A-Za-z]+)[:~]/g;

/** Operators in lower case beside conditions on fields. */
function operatorsHint(text: string, t: In<typeof EXPLORE>): readonly Hint[] {
  const pieces = text.split(QUOTED);
  const plain = pieces.filter((_, i) => i % 2 === 0);
  if (!plain.some((piece) => [...piece.matchAll(OWN)].some(([, name = '']) => fieldNamed(name)))) return [];
  const typed = [...new Set(plain.flatMap((piece) => piece.match(OPERATOR) ?? []))].join(', ');
  const filter = pieces
    .map((piece, i) => (i % 2 === 0 ? piece.replace(OPERATOR, (word) => word.toUpperCase()) : piece))
    .join('');
  if (typed === '' || 'problem' in parseFilter(filter)) return [];
  return [{ typed, why: t.lowerCase, meant: typed.toUpperCase(), filter }];
}

/** Whether a place lies between quotation marks. */
const isQuoted = (text: string, at: number): boolean =>
  [
    ...text
      .slice(0, at)
      .replace(/\\["\\]/g, '')
      .matchAll(/"/g),
  ].length %
    2 ===
  1;

function hintOf(
  found: RegExpExecArray,
  t: In<typeof EXPLORE>,
): (Omit<Hint, 'filter'> & { readonly at: number }) | null {
  const [typed, name = '', operator = '', given = ''] = found;
  const sign = operator.trim();
  const known = fieldNamed(name);
  const field = fieldMeant(name);
  if (!field) return null;
  const value = given.replace(/^(["'])(.*)\1$/s, '$2');
  const at = found.index;
  if (sign === ':' || sign === '~') {
    if (known) return null;
    return { at, typed, why: t.noField(name), meant: `${fieldText(field)}${sign}${given}` };
  }
  const isNot = sign === '!=' || sign === '<>';
  const meant = `${isNot ? 'NOT ' : ''}${fieldText(field)}:${quoteValue(value)}`;
  return { at, typed, why: t.noCondition(sign), meant };
}
