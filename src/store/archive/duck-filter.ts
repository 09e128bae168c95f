import type { Expression, FieldTerm } from '../../event/expression/expression';
import { matchesValue } from '../../event/expression/matches';
import { COLUMN_OF, isNumberField, SEARCHED_FIELDS } from '../../event/fields';
import { IPV4, ipv4Range, parseNetwork } from '../../event/network';
import type { TimeRange } from '../../event/query';
import { recordIdFloor } from '../../event/record-id';
import { fold, type SearchTerm } from '../../event/search';
import { asciiPattern } from '../../event/search-terms';
import { isUuid } from '../../event/uuid';
import { toStored } from '../rows/stored-text';
import { FILE_TEXTS, fileFieldSql } from './layout';

/**
 * What SQL of DuckDB can say of a condition: `can` holds of every event that passes, `is` of none that does not. Where
 * the two differ, the event itself is asked (`matchesFilter`). Folded texts and words are in no file. Of ASCII, the
 * folded form is the lower case, and SQL finds words; of other texts nothing is known.
 */
export interface Bounds {
  readonly is: string;
  readonly can: string;
}

const ALWAYS = 'true';
/** Holds of no event. */
export const NEVER = 'false';
const exactly = (sql: string): Bounds => ({ is: sql, can: sql });

/** What is known of the events that are asked about. */
export interface KnownEvents {
  readonly tenantId: number;
  /** Whether all their texts are ASCII (`IS_ASCII`); false: nothing is known of their texts. */
  readonly areAscii: boolean;
}

export function boundsOf(expression: Expression, known: KnownEvents): Bounds {
  switch (expression.kind) {
    case 'and':
      return joined(expression, ' AND ', known);
    case 'or':
      return joined(expression, ' OR ', known);
    case 'not': {
      const { is, can } = boundsOf(expression.of, known);
      return { is: `NOT (${can})`, can: `NOT (${is})` };
    }
    case 'words':
      return ofTexts(SEARCHED_TEXTS, testOf(expression.term), known);
    case 'field':
      return ofField(expression, known);
  }
}

function joined({ of }: { readonly of: readonly Expression[] }, by: string, known: KnownEvents): Bounds {
  const all = of.map((part) => boundsOf(part, known));
  const join = (pick: (bounds: Bounds) => string) => `(${all.map(pick).join(by)})`;
  return { is: join(({ is }) => is), can: join(({ can }) => can) };
}

const UUID_FIRST = '00000000-0000-0000-0000-000000000000';
const UUID_LAST = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

function ofField(term: FieldTerm, known: KnownEvents): Bounds {
  const { field, how, text, isFolded } = term;
  switch (field) {
    case 'succeeded':
      return exactly(how === 'present' ? ALWAYS : `e.succeeded = ${text === 'true'}`);
    case 'recordId': {
      if (how === 'present') return exactly(ALWAYS);
      const [first, last] = [UUID_FIRST, UUID_LAST].map((id) => text + id.slice(text.length));
      // Not every beginning of a text is one of an id.
      if (!isUuid(first ?? '')) return exactly(NEVER);
      return exactly(`e.record_id >= '${first}'::UUID AND e.record_id <= '${last}'::UUID`);
    }
    case 'tenantId':
      return exactly(matchesValue(term, String(known.tenantId)) ? ALWAYS : NEVER);
    default: {
      if (how === 'between') return exactly(betweenSql(`e.${COLUMN_OF[field]}`, term));
      const column = fileFieldSql(field);
      if (how === 'within') return withinSql(column, text);
      if (how === 'holds') return ofTexts([column], testOf({ kind: 'phrase', text }), known);
      if (how === 'present') return exactly(`${column} <> ''`);
      // Digits have no case.
      if (isFolded && !isNumberField(field)) {
        const folded = fold(text);
        const test = (lower: string) =>
          how === 'equals' ? `${lower} = ${literal(folded)}` : `starts_with(${lower}, ${literal(folded)})`;
        return ofTexts([column], isOfAscii(folded) ? ({ lower }) => test(lower) : null, known);
      }
      const wanted = literal(toStored(isFolded ? fold(text) : text));
      return exactly(how === 'equals' ? `${column} = ${wanted}` : `starts_with(${column}, ${wanted})`);
    }
  }
}

/** It is never NULL. */
function betweenSql(column: string, { bounds }: FieldTerm): string {
  const conditions = [
    ...(typeof bounds?.from === 'string' ? [`${column} >= ${bounds.from}`] : []),
    ...(typeof bounds?.to === 'string' ? [`${column} <= ${bounds.to}`] : []),
  ];
  return `(${[`${column} IS NOT NULL`, ...conditions.map((sql) => `coalesce(${sql}, false)`)].join(' AND ')})`;
}

/** SQL compares addresses of IPv4. What may be an address of IPv6 is left to the event. */
function withinSql(column: string, text: string): Bounds {
  const network = parseNetwork(text);
  const mayBeIpv6 = `contains(${column}, ':')`;
  if (!network?.isIpv4) return { is: NEVER, can: mayBeIpv6 };
  const [first, last] = ipv4Range(network);
  const value = [1, 2, 3, 4]
    .map((part) => `try_cast(split_part(${column}, '.', ${part}) AS BIGINT) * ${256 ** (4 - part)}`)
    .join(' + ');
  const isInside = `coalesce(${value} BETWEEN ${first} AND ${last}, false)`;
  const ofIpv4 = (other: string) =>
    `(CASE WHEN regexp_matches(${column}, ${literal(IPV4)}) THEN ${isInside} ELSE ${other} END)`;
  return { is: ofIpv4(NEVER), can: ofIpv4(mayBeIpv6) };
}

const SEARCHED_TEXTS = SEARCHED_FIELDS.map((name) => `e.${COLUMN_OF[name]}`);
const NOT_ASCII = /[^\0-\x7f]/;
/** U+0000 has another stored form. */
const isOfAscii = (text: string): boolean => !NOT_ASCII.test(text) && !text.includes('\0');

/** SQL that holds of events all of whose texts are ASCII. */
export const IS_ASCII = FILE_TEXTS.map((column) => `strlen(e.${column}) = length(e.${column})`).join(' AND ');

interface Text {
  readonly plain: string;
  readonly lower: string;
}
/** A condition on a text of ASCII. */
type TextTest = (text: Text) => string;

/** Whether one of some texts passes a test. @param test null: no text of ASCII passes it */
function ofTexts(texts: readonly string[], test: TextTest | null, { areAscii }: KnownEvents): Bounds {
  if (!areAscii) return { is: NEVER, can: ALWAYS };
  const hits = texts.map((plain) => test?.({ plain, lower: `lower(${plain})` }) ?? NEVER);
  return exactly(`(${hits.join(' OR ')})`);
}

/** Whether a text of ASCII holds a term, as `needleOf` and `searchableText` say it; null: no text of ASCII does. */
function testOf(term: SearchTerm): TextTest | null {
  const folded = term.kind === 'phrase' ? fold(term.text) : term.text;
  if (!isOfAscii(folded)) return null;
  const holds = ({ lower }: Text) => `contains(${lower}, ${literal(folded)})`;
  if (term.kind === 'phrase') return holds;
  const pattern = `(?i)${asciiPattern(term)}`;
  return (text) => `(${holds(text)} AND regexp_matches(${text.plain}, ${literal(pattern)}))`;
}

/** The condition of a time range. */
export function rangeSql({ from, to }: TimeRange): string {
  const conditions = [
    ...(from === null ? [] : [`e.record_id >= '${recordIdFloor(from)}'::UUID`]),
    ...(to === null ? [] : [`e.record_id < '${recordIdFloor(to)}'::UUID`]),
  ];
  return conditions.length === 0 ? ALWAYS : conditions.join(' AND ');
}

/** A text as a literal of SQL. DuckDB knows no other escape in it than the doubled quote. U+0000 is in no stored text. */
export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;
