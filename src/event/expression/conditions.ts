import { FILTER_NAMES, FILTERS } from '../filters';
import type { ParameterValues } from '../parameter-specs';
import type { FILTER_PARAMETERS } from '../parameters';
import { parseSearch } from '../search';
import { allOf, type Expression, equals } from './expression';
import { parseFilter } from './parse-filter';

/** All conditions but the times as one expression; null: there are none. */
export function conditionsOf(asked: ParameterValues<typeof FILTER_PARAMETERS>): Expression | null {
  const values = FILTER_NAMES.flatMap((name): Expression[] => {
    const value = asked[name];
    if (value === undefined) return [];
    return [equals(FILTERS[name].field, String(value))];
  });
  const parsed = asked.filter === undefined ? null : parseFilter(asked.filter);
  const search = asked.search === undefined ? null : parseSearch(asked.search);
  return allOf([
    ...values,
    ...(search && 'terms' in search ? search.terms.map((term): Expression => ({ kind: 'words', term })) : []),
    ...(parsed && 'expression' in parsed ? [parsed.expression] : []),
  ]);
}
