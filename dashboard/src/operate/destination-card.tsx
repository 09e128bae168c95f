import { Alert, Badge, Button, Group, Paper, SimpleGrid, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import {
  PauseDestinationDocument,
  ResumeDestinationDocument,
  TestDestinationDocument,
} from '../../generated/operations';
import { describeError } from '../api/errors';
import { ERRORS } from '../api/texts';
import { COMMON } from '../lib/common';
import { useTexts } from '../lib/language';
import { useMutate } from '../lib/mutate';
import { formatCount } from '../lib/numbers';
import { formatSince, formatSpan } from '../lib/time';
import { formatRate } from '../lib/use-rates';
import type { Destination } from './rows';
import { SetAsideList } from './set-aside-list';
import { OPERATE } from './texts';

interface Props {
  readonly destination: Destination;
  readonly tenantName: string;
  /** Events a minute. */
  readonly rate: number | undefined;
  readonly nowMs: number;
  readonly onChange: () => void;
  readonly onOpen: (dialog: 'change' | 'replay' | 'remove') => void;
}

const COLORS = { active: 'green', failing: 'red', paused: 'gray' } as const;
const isState = (state: string): state is keyof typeof COLORS => Object.hasOwn(COLORS, state);

export function DestinationCard({ destination, tenantName, rate, nowMs, onChange, onOpen }: Props) {
  const t = useTexts(OPERATE);
  const common = useTexts(COMMON);
  const { destinationId, name, type, url, state, filter, setAside, behindRetention } = destination;
  const [isOpen, { toggle }] = useDisclosure();
  const color = isState(state) ? COLORS[state] : 'gray';
  return (
    <Paper
      withBorder
      p="sm"
      component="article"
      aria-label={name}
      style={{ borderInlineStart: `4px solid var(--mantine-color-${color}-6)` }}
    >
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <div>
          <Title order={2} size="h5">
            {name}
          </Title>
          <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {tenantName} · {type} · {url}
            {filter && ` · ${filter}`}
          </Text>
        </div>
        <Badge color={color} variant="light" tt="none" style={{ flexShrink: 0 }}>
          {isState(state) ? t[state] : state}
        </Badge>
      </Group>
      {destination.pauseReason !== null && (
        <Text size="sm" mt={6} style={{ overflowWrap: 'anywhere' }}>
          {t.pausedBecause} {destination.pauseReason}
        </Text>
      )}
      {destination.lastError && destination.lastErrorAt && (
        <Text
          size="sm"
          mt={6}
          style={{ overflowWrap: 'anywhere' }}
          {...(state === 'active' ? { c: 'dimmed' } : {})}
        >
          {(state === 'active' ? t.lastErrorAgo : t.errorAgo)(
            common.ago(formatSince(destination.lastErrorAt, nowMs)),
          )}{' '}
          <span lang="en">{destination.lastError}</span>
        </Text>
      )}
      {behindRetention > 0 && (
        <Alert color="red" mt="xs" p="xs">
          {t.behindRetention(behindRetention)}
        </Alert>
      )}
      {destination.publicKey !== null && (
        <Text size="sm" mt={6} style={{ overflowWrap: 'anywhere' }}>
          {t.publicKey} <code>{destination.publicKey}</code>
        </Text>
      )}
      <Facts destination={destination} rate={rate} nowMs={nowMs} />
      <Actions destination={destination} onChange={onChange} onOpen={onOpen} />
      {setAside > 0 && (
        <>
          <Button size="compact-sm" variant="default" mt="xs" aria-expanded={isOpen} onClick={toggle}>
            {isOpen ? t.hideSetAside : t.setAside(setAside)}
          </Button>
          {isOpen && <SetAsideList destinationId={destinationId} />}
        </>
      )}
    </Paper>
  );
}

function Facts({ destination, rate, nowMs }: Pick<Props, 'destination' | 'rate' | 'nowMs'>) {
  const t = useTexts(OPERATE);
  const common = useTexts(COMMON);
  const { lagEvents, lagSeconds, delivered, lastSuccessAt, position } = destination;
  const facts = [
    [t.behind, t.eventCount(lagEvents)],
    [t.lag, lagEvents === 0 ? t.none : formatSpan(lagSeconds * 1000)],
    [t.delivered, t.eventCount(delivered)],
    [t.throughput, formatRate(rate, common)],
    [t.lastSuccess, lastSuccessAt ? common.ago(formatSince(lastSuccessAt, nowMs)) : t.noneYet],
    [t.position, formatCount(Number(position))],
  ];
  return (
    <SimpleGrid cols={{ base: 2, xs: 3, lg: 6 }} mt="xs" spacing="xs">
      {facts.map(([name, value]) => (
        <div key={name}>
          <Text size="xs" c="dimmed">
            {name}
          </Text>
          <Text size="sm">{value}</Text>
        </div>
      ))}
    </SimpleGrid>
  );
}

function Actions({ destination, onChange, onOpen }: Pick<Props, 'destination' | 'onChange' | 'onOpen'>) {
  const t = useTexts(OPERATE);
  const common = useTexts(COMMON);
  const { destinationId, name, state } = destination;
  const errors = useTexts(ERRORS);
  const mutate = useMutate();
  const [said, setSaid] = useState<string | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const run = (work: () => Promise<string | null>) => async () => {
    setIsBusy(true);
    try {
      setSaid(await work());
      onChange();
    } catch (error) {
      setSaid(describeError(error as Error, errors).text);
    } finally {
      setIsBusy(false);
    }
  };
  const test = run(async () => {
    const { testDestination } = await mutate(TestDestinationDocument, { destinationId });
    return testDestination.accepted ? t.testAccepted : t.testFailed(testDestination.message ?? '');
  });
  const isPaused = state === 'paused';
  const change = run(async () => {
    if (isPaused) await mutate(ResumeDestinationDocument, { destinationId });
    else await mutate(PauseDestinationDocument, { destinationId });
    return null;
  });
  const of = <span className="sr-only"> {name}</span>;
  return (
    <Group gap={6} mt="xs">
      <Button size="compact-xs" variant="default" loading={isBusy} onClick={test}>
        {t.test}
        {of}
      </Button>
      <Button size="compact-xs" variant="default" onClick={change}>
        {isPaused ? common.resume : common.pause}
        {of}
      </Button>
      <Button size="compact-xs" variant="default" onClick={() => onOpen('change')}>
        {t.change}
        {of}
      </Button>
      <Button size="compact-xs" variant="default" onClick={() => onOpen('replay')}>
        {t.replay}
        {of}
      </Button>
      <Button size="compact-xs" variant="default" onClick={() => onOpen('remove')}>
        {common.remove}
        {of}
      </Button>
      <Text size="sm" role="status">
        {said}
      </Text>
    </Group>
  );
}
