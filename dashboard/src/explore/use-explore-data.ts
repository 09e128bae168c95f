import { useCallback, useMemo, useState } from 'react';
import { useQuery } from 'urql';
import { FILTER_NAMES, type FilterName, isBooleanFilter } from '../../../src/event/filters';
import {
  EventsDocument,
  type EventsQueryVariables,
  FacetsDocument,
  type FacetsQueryVariables,
  HistogramDocument,
  type HistogramQueryVariables,
} from '../../generated/operations';
import type { ExploreState } from './explore-state';
import { boundsOf } from './time-range';

/** Evidence is never shown from a cache: another view asks anew. */
const requestPolicy = 'network-only';

/** A filter that one of the operations in `explore.graphql` does not take is a type error here. */
type Taken = keyof EventsQueryVariables & keyof HistogramQueryVariables & keyof FacetsQueryVariables;
type Forgotten = Exclude<FilterName, Taken>;
export type ExploreFilter = [Forgotten] extends [never] ? EventsQueryVariables : Forgotten;

/** As the service takes them. */
function exactFilters(state: ExploreState): ExploreFilter {
  const given = FILTER_NAMES.filter((name) => state[name]);
  return Object.fromEntries(
    given.map((name) => [name, isBooleanFilter(name) ? state[name] === 'true' : state[name]]),
  );
}

/** The three answers a view is made of, all of one range and one filter. */
export function useExploreData(state: ExploreState) {
  const [nowMs, setNowMs] = useState(Date.now);
  const { range, search } = state;
  const filterValues = FILTER_NAMES.map((name) => state[name]);
  const key = JSON.stringify([range, search, filterValues, nowMs]);
  // By its content: a new object for the same filter would ask again.
  // biome-ignore lint/correctness/useExhaustiveDependencies: `key` stands for all of them
  const filter = useMemo(
    (): ExploreFilter => ({
      ...boundsOf(range, nowMs),
      ...(search ? { search } : {}),
      ...exactFilters(state),
    }),
    [key],
  );
  const { page, pageSize, sortBy, descending } = state;
  const sortDirection = descending ? 'desc' : 'asc';
  const [events, askEvents] = useQuery({
    query: EventsDocument,
    variables: { ...filter, page, pageSize, sortBy, sortDirection },
    requestPolicy,
  });
  const [histogram, askHistogram] = useQuery({ query: HistogramDocument, variables: filter, requestPolicy });
  const [facets, askFacets] = useQuery({ query: FacetsDocument, variables: filter, requestPolicy });

  const refresh = useCallback(() => {
    setNowMs(Date.now());
    // A range that does not end now has the same variables as before.
    if (range.name === null || range.name === 'all')
      for (const ask of [askEvents, askHistogram, askFacets]) ask();
  }, [range.name, askEvents, askHistogram, askFacets]);
  return { filter, events, histogram, facets, refresh };
}
