import { Box, Stack } from '@mantine/core';
import { useCallback } from 'react';
import type { CombinedError } from 'urql';
import { describeError } from '../api/errors';
import type { Session } from '../api/session';
import { useTimeZone } from '../lib/preferences';
import { Failed, Loading } from '../shell/states';
import { EventDrawer } from './event-drawer';
import { EventsTable } from './events-table';
import classes from './explore.module.css';
import { useFacetFields } from './facets/facet-fields';
import { FacetPanel } from './facets/facet-panel';
import { FilterBar } from './filter-bar';
import { HistogramPanel } from './histogram-panel';
import { NoEvents } from './no-events';
import { useExploreData } from './use-explore-data';
import { useExploreState } from './use-explore-state';
import { useNewEvents } from './use-new-events';

/** What happened: over time, by who and what, and each event. */
export function Explore({ session }: { readonly session: Session }) {
  const [state, change] = useExploreState();
  const [zone] = useTimeZone();
  const [fields, setFields] = useFacetFields();
  const data = useExploreData(state, zone, fields);
  const { filter, events, histogram, facets, refresh, question, isStale } = data;
  const page = events.data?.auditEvents;
  const totalCount = isStale || events.fetching ? undefined : page?.totalCount;
  const isFirstPage = state.page === 1;
  const newEvents = useNewEvents(question, { range: state.range, filter, totalCount, isFirstPage }, refresh);
  const retry = useCallback(() => refresh(), [refresh]);
  const onText = useCallback((text: string) => change({ filter: text }), [change]);
  const error = sharedError([events.error, histogram.error, facets.error]);
  return (
    <Stack gap="md">
      <h1 className="sr-only">Explore</h1>
      <FilterBar
        session={session}
        state={state}
        change={change}
        zone={zone}
        filter={filter}
        totalCount={totalCount}
        refresh={retry}
        isBusy={events.fetching}
        newEvents={newEvents}
      />
      {error && <Failed error={error} retry={retry} />}
      <div className={classes.answer} data-stale={isStale || undefined} aria-busy={isStale}>
        {!(error && histogram.error) && (
          <HistogramPanel result={histogram} zone={zone} change={change} retry={retry} />
        )}
        <div className={classes.columns}>
          <FacetPanel
            result={facets}
            fields={fields}
            onFields={setFields}
            text={state.filter}
            onText={onText}
            filter={filter}
            isToldElsewhere={error !== undefined}
            retry={retry}
          />
          <Box component="section" aria-label="Events" miw={0} flex={1}>
            {events.error ? (
              !error && <Failed error={events.error} retry={retry} />
            ) : page?.totalCount === 0 && !isStale ? (
              <NoEvents state={state} change={change} zone={zone} />
            ) : !page ? (
              // The table takes longer to draw than all the rest: the questions leave first.
              <Loading what="the events" />
            ) : (
              <EventsTable page={page} isBusy={events.fetching} state={state} change={change} zone={zone} />
            )}
          </Box>
        </div>
      </div>
      <EventDrawer state={state} page={page} change={change} zone={zone} />
    </Stack>
  );
}

/** The error that several answers have in common, to be told once; undefined: each has its own, or none. */
function sharedError(errors: readonly (CombinedError | undefined)[]): CombinedError | undefined {
  const [first, ...others] = errors.filter((error) => error !== undefined);
  const text = first && describeError(first).text;
  const isShared = others.length > 0 && others.every((error) => describeError(error).text === text);
  return isShared ? first : undefined;
}
