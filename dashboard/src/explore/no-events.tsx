import { Button, Group, Text } from '@mantine/core';
import { useQuery } from 'urql';
import { LatestEventDocument } from '../../generated/operations';
import { useTexts } from '../lib/language';
import { DAY_MS, formatTime, type TimeZone } from '../lib/time';
import { Empty } from '../shell/states';
import type { ExploreFilter } from './explore-filter';
import { type ExploreState, NO_FILTERS } from './explore-state';
import { OtherCase } from './filter/other-case';
import { EXPLORE } from './texts';
import { ALL, fixedRange } from './time-range';
import type { Change } from './use-explore-state';

interface Props {
  readonly state: ExploreState;
  /** The question that found nothing. */
  readonly asked: ExploreFilter;
  readonly change: (change: Change) => void;
  readonly zone: TimeZone;
}

/** Says why no event is shown, and offers ways to find events. */
export function NoEvents({ state, asked, change, zone }: Props) {
  const t = useTexts(EXPLORE);
  const filter = state.filter === '' ? null : state.filter;
  const [{ data }] = useQuery({
    query: LatestEventDocument,
    variables: { filter },
  });
  const latest = data?.auditSummary.latestEventTime;
  const isFiltered = state.search !== '' || filter !== null;
  if (data && !latest && !isFiltered)
    return (
      <Empty title={t.noEventsYet}>
        <Text size="sm">{t.theyAppear}</Text>
      </Empty>
    );
  // The newest event of a filter is known; with words in `search`, it is not.
  const leadsTo = state.search === '' ? latest : null;
  const showLatest = () => {
    const end = Date.parse(leadsTo ?? '') + 1000;
    change({ range: fixedRange(end - DAY_MS, end) });
  };
  return (
    <Empty title={isFiltered ? t.noEventMatches : t.noEventsInRange}>
      {leadsTo && <Text size="sm">{t.newestEvent(formatTime(leadsTo, zone), isFiltered)}</Text>}
      {data && !latest && <Text size="sm">{t.noEventOfAnyTime}</Text>}
      <OtherCase filter={asked} onText={(text) => change({ filter: text })} />
      <Group>
        {leadsTo && <Button onClick={showLatest}>{t.showNewestDay}</Button>}
        {(!data || latest) && (
          <Button variant="default" onClick={() => change({ range: ALL })}>
            {t.showAllTime}
          </Button>
        )}
        {isFiltered && (
          <Button variant="default" onClick={() => change(NO_FILTERS)}>
            {t.clearFilter}
          </Button>
        )}
      </Group>
    </Empty>
  );
}
