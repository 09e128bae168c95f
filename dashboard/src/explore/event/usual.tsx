import { Anchor, Badge, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from 'urql';
import { EventUsualDocument, type EventUsualQuery } from '../../../generated/operations';
import { useTexts } from '../../lib/language';
import { Failed, Loading } from '../../shell/states';
import { NO_FILTERS } from '../explore-state';
import type { Change } from '../use-explore-state';
import { showHidden } from './marks';
import { EVENT } from './texts';

/** What a finger hits. */
const TARGET_PX = 24;

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
  const t = useTexts(EVENT);
  const [{ data, error }, ask] = useQuery({ query: EventUsualDocument, variables: { recordId } });
  const usual = data?.auditEventUsual;
  if (error) return <Failed error={error} retry={ask} />;
  if (data && !usual) return null;
  return (
    <section aria-label={t.whoNormally}>
      <Title order={3} size="h6" mb={4}>
        {t.whoNormally}
      </Title>
      {usual ? (
        <Found usual={usual} eventTime={eventTime} change={change} />
      ) : (
        <Loading what={t.whoNormally} rows={2} height={22} />
      )}
    </section>
  );
}

function Found({
  usual,
  eventTime,
  change,
}: {
  readonly usual: NonNullable<EventUsualQuery['auditEventUsual']>;
  readonly eventTime: string;
  readonly change: (change: Change) => void;
}) {
  const t = useTexts(EVENT);
  const show = (filter: string, from: string, to: string) =>
    change({
      ...NO_FILTERS,
      filter,
      // As text: a number of milliseconds would leave out the events of the last one.
      range: { kind: 'fixed', from, to },
      event: null,
      page: 1,
    });
  const named = usual.notes.filter(({ kind }) => kind !== null && kind !== undefined);
  return (
    <Stack gap={4}>
      {!usual.hasHistory && <Text size="sm">{t.noHistory(usual.historyDays)}</Text>}
      {usual.hasHistory && named.length === 0 && <Text size="sm">{t.nothingNew}</Text>}
      {named.map(({ kind, text, filter, startTime, endTime }) => (
        <Group key={text} gap="xs" wrap="nowrap">
          {kind && (
            <Badge variant="outline" style={{ flexShrink: 0 }}>
              {t[kind]}
            </Badge>
          )}
          <Anchor
            component="button"
            size="sm"
            ta="left"
            mih={TARGET_PX}
            style={{ overflowWrap: 'anywhere' }}
            onClick={() => show(filter, startTime, endTime)}
          >
            <span lang="en">{showHidden(text)}</span>
          </Anchor>
        </Group>
      ))}
      <Text size="sm">
        {t.nth(usual.nth)}
        {usual.objectCount !== null &&
          usual.objectCount !== undefined &&
          ` ${t.onObject(usual.objectCount, usual.othersCount ?? 0)}`}
      </Text>
      {usual.logins.map(({ serverPrincipalName, count, filter }) => (
        <Anchor
          key={filter}
          component="button"
          size="sm"
          ta="left"
          mih={TARGET_PX}
          style={{ overflowWrap: 'anywhere' }}
          onClick={() => filter && show(filter, usual.startTime, eventTime)}
        >
          {showHidden(serverPrincipalName ?? t.noLogin)}: {t.events(count)}
        </Anchor>
      ))}
    </Stack>
  );
}
