import { Button, Group, Stack, Table, Text, Title } from '@mantine/core';
import { useQuery } from 'urql';
import { actionNameOf } from '../../../src/event/action-names';
import { FIELD_NAMES } from '../../../src/event/fields';
import { EventDocument, type EventQuery } from '../../generated/operations';
import { CopyAction } from '../lib/copy-action';
import { FIELD_LABELS } from '../lib/field-labels';
import { FieldRow } from '../lib/field-row';
import { formatTime, MINUTE_MS, type TimeZone } from '../lib/time';
import { Empty, Failed, Loading } from '../shell/states';
import { AdditionalValues } from './additional-values';
import { NO_FILTERS } from './explore-state';
import { Outcome } from './outcome';
import Statement from './statement';
import { fixedRange } from './time-range';
import type { Change } from './use-explore-state';

type Event = NonNullable<EventQuery['auditEvent']>;

/** How far "around" an event reaches, to either side. */
const AROUND_MS = 5 * MINUTE_MS;
const SHOWN_APART = ['statement', 'eventTime', 'succeeded', 'actionId'];

interface Props {
  readonly recordId: string;
  readonly change: (change: Change) => void;
  readonly zone: TimeZone;
}

export default function EventDetail({ recordId, change, zone }: Props) {
  const [{ data, error, fetching }, ask] = useQuery({
    query: EventDocument,
    variables: { recordId },
    requestPolicy: 'network-only',
  });
  if (error) return <Failed error={error} retry={ask} />;
  if (fetching || !data) return <Loading what="the event" />;
  const event = data.auditEvent;
  if (!event) return <Empty title="There is no such event among those this sign-in may read" />;
  return (
    <Stack>
      <RelatedViews event={event} change={change} />
      {event.statement !== null && event.statement !== undefined && <Statement text={event.statement} />}
      <Fields event={event} zone={zone} />
      <AdditionalValues values={event.additional} />
    </Stack>
  );
}

function RelatedViews({ event, change }: { readonly event: Event; readonly change: Props['change'] }) {
  const ms = Date.parse(event.eventTime);
  const clear = { search: '', ...NO_FILTERS, event: null };
  return (
    <Group gap="xs">
      <Button
        size="xs"
        variant="default"
        onClick={() => change({ ...clear, range: fixedRange(ms - AROUND_MS, ms + AROUND_MS), page: 1 })}
      >
        Events around this one
      </Button>
      {event.serverPrincipalName && (
        <Button
          size="xs"
          variant="default"
          onClick={() => change({ ...clear, principalName: event.serverPrincipalName ?? undefined, page: 1 })}
        >
          Same principal
        </Button>
      )}
      <CopyAction label="Copy the event as JSON" text={() => JSON.stringify(event, null, 2)} />
    </Group>
  );
}

function Fields({ event, zone }: { readonly event: Event; readonly zone: TimeZone }) {
  const names = FIELD_NAMES.filter((name) => !SHOWN_APART.includes(name));
  return (
    <div>
      <Title order={3} size="sm" mb={4}>
        Fields
      </Title>
      <Table variant="vertical" withTableBorder layout="fixed" fz="sm">
        <Table.Tbody>
          <FieldRow label={`${FIELD_LABELS.eventTime} (${zone})`}>
            {formatTime(event.eventTime, zone, 7)}
          </FieldRow>
          <FieldRow label={FIELD_LABELS.succeeded}>
            <Outcome succeeded={event.succeeded} />
          </FieldRow>
          <FieldRow label={FIELD_LABELS.actionId}>
            {[event.actionId, actionNameOf(event.actionId)].filter(Boolean).join(' · ')}
          </FieldRow>
          {names.map((name) => (
            <FieldRow key={name} label={FIELD_LABELS[name]}>
              {event[name] ?? (
                <Text span size="sm" c="dimmed">
                  not captured
                </Text>
              )}
            </FieldRow>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}
