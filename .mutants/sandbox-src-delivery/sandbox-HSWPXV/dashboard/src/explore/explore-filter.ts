import { parseFilter } from '../../../src/event/expression/parse-filter';
import { LIMITS } from '../../../src/limits';
import type { HistogramQueryVariables } from '../../generated/operations';

/** The filter that all three answers of a view share. */
export type ExploreFilter = HistogramQueryVariables;

/** What is wrong with a filter, and where, in UTF-16 units from 0. */
export interface FilterProblem {
  readonly problem: string;
  readonly at: number;
}

export function problemOf(filter: string): FilterProblem | null {
  if (filter === '') return null;
  const max = LIMITS.expressionCharsMax;
  if (filter.length > max)
    return { problem: `at character ${max + 1}: expected at most ${max} characters`, at: max };
  const parsed = parseFilter(filter);
  return 'problem' in parsed ? parsed : null;
}
