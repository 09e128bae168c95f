import { Button, Group, Text } from '@mantine/core';
import { useQuery } from 'urql';
import { LatestEventDocument } from '../../generated/operations';
import { DAY_MS, formatTime, type TimeZone } from '../lib/time';
import { Empty } from '../shell/states';
import type { ExploreFilter } from './explore-filter';
import { type ExploreState, NO_FILTERS } from './explore-state';
import { OtherCase } from './filter/other-case';
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
  const filter = state.filter === '' ? null : state.filter;
  const [{ data }] = useQuery({
    query: LatestEventDocument,
    variables: { filter },
  });
  const latest = data?.auditSummary.latestEventTime;
  const isFiltered = state.search !== '' || filter !== null;
  if (data && !latest && !isFiltered)
    return (
      <Empty title="No events yet">
        <Text size="sm">
          They appear as soon as an agent publishes them. An operator sees under Sources what the agents
          report.
        </Text>
      </Empty>
    );
  // The newest event of a filter is known; with words in `search`, it is not.
  const leadsTo = state.search === '' ? latest : null;
  const showLatest = () => {
    const end = Date.parse(leadsTo ?? '') + 1000;
    change({ range: fixedRange(end - DAY_MS, end) });
  };
  return (
    <Empty title={isFiltered ? 'No event matches' : 'No events in this time range'}>
      {leadsTo && (
        <Text size="sm">
          The newest event{isFiltered && ' that matches'} is of {formatTime(leadsTo, zone)}.
        </Text>
      )}
      {data && !latest && <Text size="sm">No event of any time up to now matches.</Text>}
      <OtherCase filter={asked} onText={(text) => change({ filter: text })} />
      <Group>
        {leadsTo && (
          <Button size="xs" onClick={showLatest}>
            Show the newest day
          </Button>
        )}
        {(!data || latest) && (
          <Button size="xs" variant="default" onClick={() => change({ range: ALL })}>
            Show all time
          </Button>
        )}
        {isFiltered && (
          <Button size="xs" variant="default" onClick={() => change(NO_FILTERS)}>
            Clear the filter
          </Button>
        )}
      </Group>
    </Empty>
  );
}
