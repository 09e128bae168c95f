import { useCallback, useDeferredValue, useEffect, useMemo, useState } from 'react';
import { useQuery } from 'urql';
import { EventsDocument, HistogramDocument } from '../../generated/operations';
import { serviceNowMs } from '../lib/service-clock';
import { type TimeZone, zoneName } from '../lib/time';
import { useStable } from '../lib/use-stable';
import { type ExploreFilter, problemOf } from './explore-filter';
import type { ExploreState } from './explore-state';
import type { FacetField } from './facets/facet-field';
import { useFacets } from './facets/use-facets';
import { boundsOf, endsNow } from './time-range';

/** The three answers of a view, all for the same range and filter. */
export function useExploreData(state: ExploreState, zone: TimeZone, fields: readonly FacetField[]) {
  const { range, search, filter: text, pageSize, sortBy, descending } = state;
  const [asked, setAsked] = useState({ anew: 0, times: 0 });
  const question = JSON.stringify([range, search, text, zone, asked.anew]);
  const wanted = useStable({ range, search, text, zone, asked });
  const problem = useMemo(() => problemOf(text), [text]);
  // The clock is read once for each question, and again when the question is repeated.
  const filter = useMemo(
    (): ExploreFilter => ({
      ...boundsOf(wanted.range, serviceNowMs(), wanted.zone),
      ...(wanted.search ? { search: wanted.search } : {}),
      ...(wanted.text ? { filter: wanted.text } : {}),
    }),
    [wanted],
  );
  const pause = problem !== null;
  const sortDirection = descending ? 'desc' : 'asc';
  const [events, askEvents] = useQuery({
    query: EventsDocument,
    variables: { ...filter, page: state.page, pageSize, sortBy, sortDirection },
    pause,
  });
  const [histogram, askHistogram] = useQuery({
    query: HistogramDocument,
    variables: zone === 'UTC' ? filter : { ...filter, timeZone: zoneName(zone) },
    pause,
  });
  const counts = useFacets({ filter, fields, pause, times: asked.times });
  // The counts are drawn in slices, and keep the page busy at no time.
  const facets = { ...counts, facets: useDeferredValue(counts.facets) };

  const refresh = useCallback(
    (isQuiet = false) => {
      setAsked(({ anew, times }) => ({ anew: isQuiet ? anew : anew + 1, times: times + 1 }));
      // A range that does not end now has the same variables as before.
      if (!endsNow(range)) for (const ask of [askEvents, askHistogram]) ask();
    },
    [range, askEvents, askHistogram],
  );

  // Until every part of a question is answered, the shown data belong to the previous question.
  const isAnswered = !pause && !events.fetching && !histogram.fetching && !facets.fetching;
  const [answered, setAnswered] = useState('');
  useEffect(() => {
    if (isAnswered) setAnswered(question);
  }, [isAnswered, question]);
  const isStale = useDeferredValue(answered) !== question;
  return { question, filter, problem, events, histogram, facets, refresh, isStale };
}
