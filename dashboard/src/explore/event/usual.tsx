import { Anchor, Badge, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from 'urql';
import { EventUsualDocument } from '../../../generated/operations';
import { counted, formatCount } from '../../lib/numbers';
import { Failed } from '../../shell/states';
import { NO_FILTERS } from '../explore-state';
import { fixedRange } from '../time-range';
import type { Change } from '../use-explore-state';
import { showHidden } from './marks';

const KINDS = { FirstSeen: 'First seen', UncommonValue: 'Uncommon', HighVolume: 'High volume' };

/** Who normally does what an event says: counts of the 90 days before it, each with its filter. */
export function Usual({
  recordId,
  eventTime,
  change,
}: {
  readonly recordId: string;
  readonly eventTime: string;
  readonly change: (change: Change) => void;
}) {
  const [{ data, error }, ask] = useQuery({ query: EventUsualDocument, variables: { recordId } });
  const usual = data?.auditEventUsual;
  if (error) return <Failed error={error} retry={ask} />;
  if (!usual) return null;
  const show = (filter: string, from: string, to: string) =>
    change({
      ...NO_FILTERS,
      filter,
      range: fixedRange(Date.parse(from), Date.parse(to)),
      event: null,
      page: 1,
    });
  const named = usual.notes.filter(({ kind }) => kind !== null && kind !== undefined);
  return (
    <section aria-label="Who normally does this?">
      <Title order={3} size="h6" mb={4}>
        Who normally does this?
      </Title>
      <Stack gap={4}>
        {!usual.hasHistory && (
          <Text size="sm">
            Not enough history: {counted(usual.historyDays, 'day')} before this event, of 14.
          </Text>
        )}
        {usual.hasHistory && named.length === 0 && (
          <Text size="sm">Nothing about this event is new for its login.</Text>
        )}
        {named.map(({ kind, text, filter, startTime, endTime }) => (
          <Group key={text} gap="xs" wrap="nowrap">
            {kind && (
              <Badge variant="outline" style={{ flexShrink: 0 }}>
                {KINDS[kind]}
              </Badge>
            )}
            <Anchor
              component="button"
              size="sm"
              ta="left"
              style={{ overflowWrap: 'anywhere' }}
              onClick={() => show(filter, startTime, endTime)}
            >
              {showHidden(text)}
            </Anchor>
          </Group>
        ))}
        <Text size="sm">
          Event {formatCount(usual.nth)} of its login in 90 days.
          {usual.objectCount !== null &&
            usual.objectCount !== undefined &&
            ` On its object: ${counted(usual.objectCount, 'event')}, ${formatCount(usual.othersCount ?? 0)} of other logins.`}
        </Text>
        {usual.logins.map(({ serverPrincipalName, count, filter }) => (
          <Anchor
            key={filter}
            component="button"
            size="sm"
            ta="left"
            style={{ overflowWrap: 'anywhere' }}
            onClick={() => filter && show(filter, usual.startTime, eventTime)}
          >
            {showHidden(serverPrincipalName ?? 'no login')}: {counted(count, 'event')}
          </Anchor>
        ))}
      </Stack>
    </section>
  );
}
