import { problemOf } from '../explore-filter';
import { type ExploreState, formatState } from '../explore-state';
import type { FacetField } from '../facets/facet-field';
import { exclude, only } from '../filter/edit';
import { joinParts, partsOf } from '../filter/parts';
import type { TimeRange } from '../time-range';

type Chosen = readonly [FacetField, string | null];

/** Which events a mark of a chart stands for. */
export interface Mark {
  readonly only?: readonly Chosen[];
  /** Events that have all values of any of these groups are left out. */
  readonly not?: readonly (readonly Chosen[])[];
  readonly range?: TimeRange;
}

const all = (text: string, chosen: readonly Chosen[]): string =>
  chosen.reduce((filter, [field, value]) => only(filter, field, value), text);

/** The filter of a mark's events, within that of the view. */
export function markFilter(filter: string, { only: chosen = [], not = [] }: Mark): string {
  return not.reduce(
    (text, group) => {
      const [first, second] = group;
      if (first && !second) return exclude(text, ...first);
      return joinParts([...partsOf(text), { text: `NOT (${all('', group)})` }]);
    },
    all(filter, chosen),
  );
}

/** The events of a mark in Explore; null: no filter can name them. */
export function markHref(state: ExploreState, mark: Mark): string | null {
  const filter = markFilter(state.filter, mark);
  if (problemOf(filter)) return null;
  const range = mark.range ?? state.range;
  return `/explore?${formatState({ ...state, filter, range, groupBy: [], page: 1, event: null, around: null })}`;
}
