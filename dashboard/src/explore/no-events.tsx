import { Button, Group, Text } from '@mantine/core';
import { useQuery } from 'urql';
import { LatestEventDocument } from '../../generated/operations';
import { DAY_MS, formatTime, type TimeZone } from '../lib/time';
import { Empty } from '../shell/states';
import type { ExploreState } from './explore-state';
import { ALL, fixedRange } from './time-range';
import type { Change } from './use-explore-state';

interface Props {
  readonly state: ExploreState;
  readonly change: (change: Change) => void;
  readonly zone: TimeZone;
}

/** Why nothing is shown, and the way to something. */
export function NoEvents({ state, change, zone }: Props) {
  const [{ data }] = useQuery({ query: LatestEventDocument, requestPolicy: 'network-only' });
  const latest = data?.auditSummary.latestEventTime;
  const isFiltered = state.search !== '' || state.filter !== '';
  if (data && !latest)
    return (
      <Empty title="No events yet">
        <Text size="sm">
          They appear as soon as an agent publishes them. An operator sees under Sources what the agents
          report.
        </Text>
      </Empty>
    );
  const showLatest = () => {
    const end = Date.parse(latest ?? '') + 1000;
    change({ range: fixedRange(end - DAY_MS, end) });
  };
  return (
    <Empty title={isFiltered ? 'No event matches' : 'No events in this time range'}>
      {latest && <Text size="sm">The newest event is of {formatTime(latest, zone)}.</Text>}
      <Group>
        {latest && (
          <Button size="xs" onClick={showLatest}>
            Show the newest day
          </Button>
        )}
        <Button size="xs" variant="default" onClick={() => change({ range: ALL })}>
          Show all time
        </Button>
      </Group>
      {isFiltered && <Text size="sm">Or remove the search or a filter.</Text>}
    </Empty>
  );
}
