import { FILTER_NAMES, FILTERS } from '../../../src/event/filters';
import type { ExploreState } from './explore-state';
import type { Change } from './use-explore-state';

/** What choosing a value of a facet does; chosen again, it is undone. */
export interface FacetChoice {
  readonly isChosen: boolean;
  readonly change: Change;
}

/** Null: events cannot be filtered by this value. */
export function choiceOf(field: string, value: string | null, state: ExploreState): FacetChoice | null {
  if (value === null) return null;
  const filter = FILTER_NAMES.find((name) => FILTERS[name].field === field);
  if (!filter) return null;
  const isChosen = state[filter] === value;
  return { isChosen, change: { [filter]: isChosen ? undefined : value } };
}
