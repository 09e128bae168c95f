import { Box, Stack } from '@mantine/core';
import { useTimeZone } from '../lib/preferences';
import { Failed, Loading } from '../shell/states';
import { EventDrawer } from './event-drawer';
import { EventsTable } from './events-table';
import classes from './explore.module.css';
import { FacetPanel } from './facet-panel';
import { FilterBar } from './filter-bar';
import { HistogramPanel } from './histogram-panel';
import { NoEvents } from './no-events';
import { useExploreData } from './use-explore-data';
import { useExploreState } from './use-explore-state';

/** What happened: over time, by who and what, and each event. */
export function Explore() {
  const [state, change] = useExploreState();
  const [zone] = useTimeZone();
  const { filter, events, histogram, facets, refresh } = useExploreData(state);
  const page = events.data?.auditEvents;
  return (
    <Stack gap="md">
      <h1 className="sr-only">Explore</h1>
      <FilterBar
        state={state}
        change={change}
        zone={zone}
        filter={filter}
        totalCount={page?.totalCount}
        refresh={refresh}
        isBusy={events.fetching}
      />
      <HistogramPanel result={histogram} zone={zone} change={change} retry={refresh} />
      <div className={classes.columns}>
        <FacetPanel result={facets} state={state} change={change} retry={refresh} />
        <Box component="section" aria-label="Events" miw={0} flex={1}>
          {events.error ? (
            <Failed error={events.error} retry={refresh} />
          ) : page?.totalCount === 0 && !events.fetching ? (
            <NoEvents state={state} change={change} zone={zone} />
          ) : !page ? (
            // The table takes longer to draw than all the rest: the questions leave first.
            <Loading what="the events" />
          ) : (
            <EventsTable page={page} isBusy={events.fetching} state={state} change={change} zone={zone} />
          )}
        </Box>
      </div>
      <EventDrawer state={state} change={change} zone={zone} />
    </Stack>
  );
}
