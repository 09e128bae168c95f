import type { FilterValues } from '../filters';
import { filterOf, isBooleanFilter } from '../filters';
import type { SearchTerm } from '../search';
import { allOf, type Expression } from './expression';

interface Split {
  readonly values: FilterValues;
  readonly search: readonly SearchTerm[];
  /** The rest of the expression; null: nothing is left. */
  readonly expression: Expression | null;
}

/**
 * Takes those conditions out of an expression that parameters can state too: exact values and words that must all hold.
 * Counts and the search index then answer them as cheaply as the parameters.
 */
export function splitExpression(
  expression: Expression,
  given: FilterValues,
  words: readonly SearchTerm[],
): Split {
  const values: Record<string, unknown> = { ...given };
  const search = [...words];
  const left: Expression[] = [];
  for (const part of partsOf(expression)) {
    if (part.kind === 'words') search.push(part.term);
    else if (!takes(values, part)) left.push(part);
  }
  return { values: values as unknown as FilterValues, search, expression: allOf(left) };
}

const partsOf = (expression: Expression): readonly Expression[] =>
  expression.kind === 'and' ? expression.of.flatMap(partsOf) : [expression];

/** Whether the value of a filter states the same condition. A value that was not given is set. */
function takes(values: Record<string, unknown>, part: Expression): boolean {
  if (part.kind !== 'field' || part.how !== 'equals' || part.isFolded) return false;
  const name = filterOf(part.field);
  if (!name) return false;
  const value = isBooleanFilter(name) ? part.text === 'true' : part.text;
  values[name] ??= value;
  return values[name] === value;
}
