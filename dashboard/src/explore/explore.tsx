import { Box, Button, Group, Stack } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useCallback, useMemo, useState } from 'react';
import type { CombinedError } from 'urql';
import type { Session } from '../api/session';
import { COMMON } from '../lib/common';
import { useTexts } from '../lib/language';
import { useTimeZone } from '../lib/preferences';
import { serviceNowMs } from '../lib/service-clock';
import { Toolbar } from '../lib/toolbar';
import { useNotedEvents } from '../notes/use-noted-events';
import { Empty, Failed, Loading } from '../shell/states';
import { ColumnChoice } from './column-choice';
import { CoverageNote } from './coverage/coverage-note';
import { missingIn, type Stretch, stretchesOf } from './coverage/missing';
import { useCoverage } from './coverage/use-coverage';
import { EventPanel, useIsDocked } from './event-panel';
import { EventsTable } from './events-table';
import classes from './explore.module.css';
import type { Column } from './explore-state';
import { useFacetFields } from './facets/facet-fields';
import { FacetPanel } from './facets/facet-panel';
import { FilterBar } from './filter-bar';
import { GroupPanel } from './groups/group-panel';
import type { Histogram } from './histogram';
import { HistogramPanel } from './histogram-panel';
import { LivePill } from './live/live-pill';
import { useLive } from './live/use-live';
import { NoEvents } from './no-events';
import { useOwnColumns } from './own-columns';
import { EXPLORE } from './texts';
import { useExploreData } from './use-explore-data';
import { useExploreState } from './use-explore-state';
import { useFindings } from './use-findings';
import { ViewCount } from './view-count';

const NOTHING: readonly Stretch[] = [];

/** The page Explore: events over time, counts by field, groups, and the list. */
export function Explore({ session }: { readonly session: Session }) {
  const common = useTexts(COMMON);
  const t = useTexts(EXPLORE);
  const [state, change] = useExploreState();
  const [zone] = useTimeZone();
  const [fields, setFields] = useFacetFields();
  const [isRefused, setIsRefused] = useState(false);
  const data = useExploreData(state, zone, fields);
  const { filter, problem, events, histogram, facets, refresh, question } = data;
  // The shown numbers belong to another filter than the one in the box.
  const isStale = data.isStale || isRefused;
  const coverage = useCoverage(filter, problem !== null);
  const answered = events.data?.auditEvents;
  const marks = useFindings(session, answered);
  const failure = events.error ?? histogram.error ?? facets.error;
  const isOff = problem !== null;
  const live = useLive({ state, filter, question, page: answered, isOff, refresh, failure });
  const { page } = live;
  const isGrouped = state.groupBy.length > 0;
  // What is asked again by itself shows no wait.
  const isWaiting = events.fetching && live.state === null;
  const totalCount = isStale || isWaiting ? undefined : page?.totalCount;
  useNotedEvents(page);
  const isNarrow = useIsNarrow(state.event !== null);
  const retry = useCallback(() => refresh(), [refresh]);
  const [, keepColumns] = useOwnColumns();
  const onColumns = useCallback(
    (columns: readonly Column[]) => {
      keepColumns(columns);
      change({ columns });
    },
    [keepColumns, change],
  );
  const onText = useCallback((text: string) => change({ filter: text }), [change]);
  const numbers = histogram.data?.auditHistogram;
  const shownRange = rangeOf(numbers);
  // The list changes only with new numbers, since each new list draws the chart again.
  const missing = useMemo(() => {
    const shown = rangeOf(numbers);
    return coverage && shown
      ? stretchesOf(missingIn(coverage, shown.fromMs, shown.toMs, serviceNowMs()))
      : NOTHING;
  }, [coverage, numbers]);
  const error = sharedError([events.error, histogram.error, facets.error]);
  return (
    <div className={classes.beside}>
      <Stack gap={4} className={classes.view}>
        <h1 className="sr-only">{t.explore}</h1>
        <FilterBar
          session={session}
          state={state}
          change={change}
          zone={zone}
          filter={filter}
          totalCount={totalCount}
          onRefused={setIsRefused}
          refresh={retry}
          isBusy={isWaiting}
          live={live}
        />
        {error && <Failed error={error} retry={retry} />}
        {problem && <Empty title={t.notLoaded} />}
        <div
          hidden={problem !== null}
          className={classes.answer}
          data-stale={isStale || undefined}
          aria-busy={data.isStale}
        >
          {!(error && histogram.error) && (
            <HistogramPanel
              result={histogram}
              missing={missing}
              zone={zone}
              change={change}
              retry={retry}
              isTable={state.chart === 'table'}
            />
          )}
          <Group gap="xs" align="flex-start" className={classes.above}>
            <ViewCount
              filter={filter}
              totalCount={totalCount}
              isCounting={!problem && !isRefused && !events.error}
            />
            {coverage && shownRange && <CoverageNote coverage={coverage} {...shownRange} zone={zone} />}
            <Toolbar label={t.whatIsShown} gap={4} wrap="nowrap" ml="auto">
              {!isGrouped && <ColumnChoice columns={state.columns} onChange={onColumns} />}
              <Button
                variant={isGrouped ? 'light' : 'subtle'}
                color="gray"
                c="inherit"
                size="compact-xs"
                aria-pressed={isGrouped}
                onClick={() => change({ groupBy: isGrouped ? [] : ['serverPrincipalName'] })}
              >
                {t.group}
              </Button>
            </Toolbar>
          </Group>
          {/* The counts come after the events for a keyboard, so that these are near; they stand before them. */}
          <div className={classes.columns} data-narrow={isNarrow || undefined}>
            <Box
              component="section"
              id="events"
              tabIndex={-1}
              aria-label={common.events}
              className={classes.events}
              data-is-list={!isGrouped || undefined}
            >
              {isGrouped && !problem ? (
                <GroupPanel state={state} change={change} filter={filter} zone={zone} missing={missing} />
              ) : events.error ? (
                !error && <Failed error={events.error} retry={retry} />
              ) : page?.totalCount === 0 && !isStale ? (
                <NoEvents state={state} asked={filter} change={change} zone={zone} />
              ) : !page ? (
                // The table takes the longest to draw, so the questions are sent first.
                <Loading what={t.theEvents} rows={state.pageSize} height={25} />
              ) : (
                <>
                  <LivePill live={live} />
                  <EventsTable
                    page={page}
                    marks={marks}
                    isBusy={isWaiting}
                    fresh={live.fresh}
                    state={state}
                    change={change}
                    onColumns={onColumns}
                    zone={zone}
                  />
                </>
              )}
            </Box>
            <FacetPanel
              result={facets}
              fields={fields}
              onFields={setFields}
              text={state.filter}
              onText={onText}
              filter={filter}
              isToldElsewhere={error !== undefined}
              retry={retry}
              isNarrow={isNarrow}
            />
          </div>
        </div>
      </Stack>
      <EventPanel session={session} state={state} page={page} change={change} zone={zone} />
    </div>
  );
}

/** Whether there is no room for counts beside the events. An open event takes some where it is docked. */
function useIsNarrow(isOpen: boolean): boolean {
  const now = { getInitialValueInEffect: false } as const;
  const isSmall = useMediaQuery('(max-width: 62em)', false, now);
  const isSmallBesidePanel = useMediaQuery('(max-width: 95em)', false, now);
  const isDocked = useIsDocked();
  return isSmall || (isOpen && isDocked && isSmallBesidePanel);
}

function rangeOf(histogram: Histogram | undefined): { fromMs: number; toMs: number } | null {
  if (!histogram?.startTime || !histogram.endTime) return null;
  return { fromMs: Date.parse(histogram.startTime), toMs: Date.parse(histogram.endTime) };
}

/** The error that several answers share, which is shown once; undefined: each has its own, or none. */
function sharedError(errors: readonly (CombinedError | undefined)[]): CombinedError | undefined {
  const [first, ...others] = errors.filter((error) => error !== undefined);
  const text = first?.message;
  const isShared = others.length > 0 && others.every((error) => error.message === text);
  return isShared ? first : undefined;
}
