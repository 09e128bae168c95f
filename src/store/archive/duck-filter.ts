import type { Expression, FieldTerm } from '../../event/expression/expression';
import { matchesValue } from '../../event/expression/matches';
import { COLUMN_OF, isNumberField, SEARCHED_FIELDS } from '../../event/fields';
import { IPV4, ipv4Range, parseNetwork } from '../../event/network';
import type { TimeRange } from '../../event/query';
import { recordIdFloor } from '../../event/record-id';
import { fold, type SearchTerm } from '../../event/search';
import { isUuid } from '../../event/uuid';
import { toStored } from '../rows/stored-text';
import { fileFieldSql } from './layout';

/**
 * What SQL of DuckDB can say of a condition: `can` holds of every event that passes, `is` of none that does not. Where
 * the two differ, the event itself is asked (`matchesFilter`). Folded texts and words are in no file, so of them SQL
 * only says which events of ASCII text cannot pass.
 */
export interface Bounds {
  readonly is: string;
  readonly can: string;
}

const [ALWAYS, NEVER] = ['true', 'false'];
const exactly = (sql: string): Bounds => ({ is: sql, can: sql });

/** @param tenantId of the events that are asked about */
export function boundsOf(expression: Expression, tenantId: number): Bounds {
  switch (expression.kind) {
    case 'and':
      return joined(expression, ' AND ', tenantId);
    case 'or':
      return joined(expression, ' OR ', tenantId);
    case 'not': {
      const { is, can } = boundsOf(expression.of, tenantId);
      return { is: `NOT (${can})`, can: `NOT (${is})` };
    }
    case 'words':
      return { is: NEVER, can: mayHold(ALL_TEXTS, wordOf(expression.term)) };
    case 'field':
      return ofField(expression, tenantId);
  }
}

function joined({ of }: { readonly of: readonly Expression[] }, by: string, tenantId: number): Bounds {
  const all = of.map((part) => boundsOf(part, tenantId));
  const join = (pick: (bounds: Bounds) => string) => `(${all.map(pick).join(by)})`;
  return { is: join(({ is }) => is), can: join(({ can }) => can) };
}

const UUID_FIRST = '00000000-0000-0000-0000-000000000000';
const UUID_LAST = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

function ofField(term: FieldTerm, tenantId: number): Bounds {
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
      return exactly(matchesValue(term, String(tenantId)) ? ALWAYS : NEVER);
    default: {
      if (how === 'between') return exactly(betweenSql(`e.${COLUMN_OF[field]}`, term));
      const column = fileFieldSql(field);
      if (how === 'within') return withinSql(column, text);
      if (how === 'holds') return { is: NEVER, can: mayHold(column, fold(text)) };
      if (how === 'present') return exactly(`${column} <> ''`);
      // Digits have no case.
      if (isFolded && !isNumberField(field)) return { is: NEVER, can: mayHold(column, fold(text)) };
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

const ALL_TEXTS = `concat_ws(chr(10), ${SEARCHED_FIELDS.map((name) => `e.${COLUMN_OF[name]}`).join(', ')})`;
const NOT_ASCII = /[^\0-\x7f]/;

/** A text that each event holds of which the term holds, in lower case. */
const wordOf = (term: SearchTerm): string => (term.kind === 'phrase' ? fold(term.text) : term.text);

/** Of a text of ASCII, the lower case is the folded form. Of others nothing is known. */
function mayHold(text: string, folded: string): string {
  const isOther = `strlen(${text}) <> length(${text})`;
  return NOT_ASCII.test(folded)
    ? `(${isOther})`
    : `(contains(lower(${text}), ${literal(folded)}) OR ${isOther})`;
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
