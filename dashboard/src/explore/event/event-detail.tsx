import { Button, Group, Stack, Table, Tabs, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useQuery } from 'urql';
import { FIELD_NAMES } from '../../../../src/event/fields';
import { EventDocument, type EventQuery } from '../../../generated/operations';
import type { Session } from '../../api/session';
import { COMMON } from '../../lib/common';
import { CopyAction } from '../../lib/copy-action';
import { FIELD_LABELS } from '../../lib/field-labels';
import { FieldRow } from '../../lib/field-row';
import { useTexts } from '../../lib/language';
import { formatTime, MINUTE_MS, type TimeZone, zoneName } from '../../lib/time';
import { EventNotes } from '../../notes/event-notes';
import { Empty, Failed, Loading } from '../../shell/states';
import { ActionName } from '../action-name';
import classes from '../explore.module.css';
import { type ExploreState, NO_FILTERS } from '../explore-state';
import { isFacetField } from '../facets/facet-field';
import { only } from '../filter/edit';
import { ValueActions } from '../filter/value-actions';
import { Outcome } from '../outcome';
import { fixedRange } from '../time-range';
import type { Change } from '../use-explore-state';
import { AdditionalValues } from './additional-values';
import { showHidden } from './marks';
import { Proof } from './proof';
import { sentenceOf } from './sentence';
import { statedBy } from './stated';
import { StatedValues } from './stated-values';
import Statement from './statement';
import { EVENT } from './texts';
import { Usual } from './usual';

type Event = NonNullable<EventQuery['auditEvent']>;

/** The time before and after an event that "around" means. */
const AROUND_MS = 5 * MINUTE_MS;
const SHOWN_APART = ['statement', 'eventTime'];

interface Props {
  readonly session: Session;
  readonly recordId: string;
  readonly state: ExploreState;
  readonly change: (change: Change) => void;
  readonly zone: TimeZone;
  readonly tab: EventTab;
  readonly onTab: (tab: EventTab) => void;
}

const TABS = ['event', 'statement', 'proof', 'json'] as const;
export type EventTab = (typeof TABS)[number];

export default function EventDetail(props: Props) {
  const { session, recordId, state, change, zone, tab, onTab } = props;
  const labels = useTexts(FIELD_LABELS);
  const t = useTexts(EVENT);
  const [{ data, error, fetching }, ask] = useQuery({
    query: EventDocument,
    variables: { recordId },
  });
  if (error) return <Failed error={error} retry={ask} />;
  if (fetching || !data) return <Loading what={t.theEvent} />;
  const event = data.auditEvent;
  if (!event) return <Empty title={t.noEvent} />;
  const onText = (filter: string) => change({ filter });
  const { statement } = event;
  const hasStatement = statement !== null && statement !== undefined;
  const panels: Readonly<Record<EventTab, ReactNode>> = {
    event: (
      <Stack>
        <StatedValues stated={statedBy(event, labels)} text={state.filter} onText={onText} />
        <RelatedViews event={event} change={change} />
        {hasStatement && <Statement text={statement} filter={state.filter} search={state.search} isCut />}
        <EventNotes key={recordId} recordId={recordId} session={session} />
        <Usual recordId={recordId} eventTime={event.eventTime} change={change} />
        <Fields event={event} zone={zone} text={state.filter} onText={onText} />
        <Proof event={event} zone={zone} />
        <AdditionalValues values={event.additional} />
      </Stack>
    ),
    statement: hasStatement ? (
      <Statement text={statement} filter={state.filter} search={state.search} />
    ) : (
      <Empty title={t.noStatement} />
    ),
    proof: <Proof event={event} zone={zone} />,
    json: <EventJson event={event} />,
  };
  return (
    <Stack gap="xs">
      <div>
        <Text fw={600} data-testid="sentence" style={{ overflowWrap: 'anywhere' }}>
          {showHidden(sentenceOf(event, t))}
        </Text>
        <Text size="sm" c="dimmed">
          {formatTime(event.eventTime, zone, 3)} ({zoneName(zone)})
        </Text>
      </div>
      <Tabs
        value={tab}
        onChange={(value) => onTab(TABS.find((each) => each === value) ?? 'event')}
        keepMounted={false}
      >
        <Tabs.List mb="xs">
          {TABS.map((each) => (
            <Tabs.Tab key={each} value={each} px="sm" py={6}>
              {t[each]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {TABS.map((each) => (
          <Tabs.Panel key={each} value={each}>
            {panels[each]}
          </Tabs.Panel>
        ))}
      </Tabs>
    </Stack>
  );
}

function EventJson({ event }: { readonly event: Event }) {
  const t = useTexts(EVENT);
  const text = JSON.stringify(event, null, 2);
  return (
    <Stack gap="xs" align="flex-start">
      <CopyAction label={t.copyJson} text={() => text} />
      <pre className={classes.statement} data-testid="json">
        {showHidden(text)}
      </pre>
    </Stack>
  );
}

function RelatedViews({ event, change }: { readonly event: Event; readonly change: Props['change'] }) {
  const t = useTexts(EVENT);
  const ms = Date.parse(event.eventTime);
  const source = event.serverInstanceName;
  const clear = { ...NO_FILTERS, event: null, page: 1 };
  const around = {
    ...clear,
    filter: source ? only('', 'serverInstanceName', source) : '',
    range: fixedRange(ms - AROUND_MS, ms + AROUND_MS),
    around: event.eventTime,
  };
  return (
    <Group gap="xs">
      <Button
        variant="default"
        classNames={{ label: classes.wrap }}
        mih={28}
        h="auto"
        onClick={() => change(around)}
      >
        {source ? t.aroundOn(showHidden(source)) : t.around}
      </Button>
      {event.serverPrincipalName && (
        <Button
          variant="default"
          onClick={() =>
            change({ ...clear, filter: only('', 'serverPrincipalName', event.serverPrincipalName ?? null) })
          }
        >
          {t.samePrincipal}
        </Button>
      )}
      {event.sessionId && (
        <Button variant="default" onClick={() => change({ ...clear, filter: sessionOf(event) })}>
          {t.sameSession}
        </Button>
      )}
    </Group>
  );
}

/** A session id names a session of one server instance. */
const sessionOf = ({ sessionId, serverInstanceName: instance }: Event): string =>
  only(instance ? only('', 'serverInstanceName', instance) : '', 'sessionId', sessionId ?? null);

interface FieldsProps {
  readonly event: Event;
  readonly zone: TimeZone;
  readonly text: string;
  readonly onText: (text: string) => void;
}

function Fields({ event, zone, text, onText }: FieldsProps) {
  const common = useTexts(COMMON);
  const labels = useTexts(FIELD_LABELS);
  const t = useTexts(EVENT);
  const names = FIELD_NAMES.filter((name) => !SHOWN_APART.includes(name));
  const shown = (name: (typeof names)[number]) => {
    if (name === 'succeeded') return <Outcome succeeded={event.succeeded} />;
    if (name === 'actionId') return <ActionName actionId={event.actionId} />;
    const value = event[name];
    return value === null || value === undefined ? (
      <Text span size="sm" c="dimmed">
        {common.notCaptured}
      </Text>
    ) : (
      showHidden(String(value))
    );
  };
  return (
    <div>
      <Title order={3} size="sm" mb={4}>
        {t.fields}
      </Title>
      <Table variant="vertical" withTableBorder layout="fixed" fz="sm">
        <Table.Tbody>
          <FieldRow label={`${labels.eventTime} (${zoneName(zone)})`}>
            {formatTime(event.eventTime, zone, 7)}
          </FieldRow>
          {names.map((name) => (
            <FieldRow key={name} label={labels[name]}>
              {shown(name)}
              {isFacetField(name) && (
                <ValueActions
                  field={name}
                  value={event[name] === null || event[name] === undefined ? null : String(event[name])}
                  text={text}
                  onText={onText}
                />
              )}
            </FieldRow>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}
