import { Alert, Badge, Button, Group, Paper, SimpleGrid, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import {
  PauseDestinationDocument,
  ResumeDestinationDocument,
  TestDestinationDocument,
} from '../../generated/operations';
import { COMMON } from '../lib/common';
import { useTexts } from '../lib/language';
import { useMutate } from '../lib/mutate';
import { formatCount } from '../lib/numbers';
import { formatSince, formatSpan } from '../lib/time';
import { formatRate } from '../lib/use-rates';
import type { Destination } from './rows';
import { SetAsideList } from './set-aside-list';

interface Props {
  readonly destination: Destination;
  readonly tenantName: string;
  /** Events a minute. */
  readonly rate: number | undefined;
  readonly nowMs: number;
  readonly onChange: () => void;
  readonly onOpen: (dialog: 'change' | 'replay' | 'remove') => void;
}

const COLORS: Readonly<Record<string, string>> = { active: 'green', failing: 'red', paused: 'gray' };

export function DestinationCard({ destination, tenantName, rate, nowMs, onChange, onOpen }: Props) {
  const common = useTexts(COMMON);
  const { destinationId, name, type, url, state, filter, setAside, behindRetention } = destination;
  const [isOpen, { toggle }] = useDisclosure();
  const color = COLORS[state] ?? 'gray';
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
          {state}
        </Badge>
      </Group>
      {destination.pauseReason !== null && (
        <Text size="sm" mt={6} style={{ overflowWrap: 'anywhere' }}>
          Paused: {destination.pauseReason}
        </Text>
      )}
      {destination.lastError && destination.lastErrorAt && (
        <Text
          size="sm"
          mt={6}
          style={{ overflowWrap: 'anywhere' }}
          {...(state === 'active' ? { c: 'dimmed' } : {})}
        >
          {state === 'active' ? 'Last error' : 'Error'}{' '}
          {common.ago(formatSince(destination.lastErrorAt, nowMs))}: {destination.lastError}
        </Text>
      )}
      {behindRetention > 0 && (
        <Alert color="red" mt="xs" p="xs">
          Retention removed {formatCount(behindRetention)} events before they were delivered.
        </Alert>
      )}
      {destination.publicKey !== null && (
        <Text size="sm" mt={6} style={{ overflowWrap: 'anywhere' }}>
          Public key of its signatures: <code>{destination.publicKey}</code>
        </Text>
      )}
      <Facts destination={destination} rate={rate} nowMs={nowMs} />
      <Actions destination={destination} onChange={onChange} onOpen={onOpen} />
      {setAside > 0 && (
        <>
          <Button size="compact-sm" variant="default" mt="xs" aria-expanded={isOpen} onClick={toggle}>
            {isOpen ? 'Hide what is set aside' : `${formatCount(setAside)} events set aside`}
          </Button>
          {isOpen && <SetAsideList destinationId={destinationId} />}
        </>
      )}
    </Paper>
  );
}

function Facts({ destination, rate, nowMs }: Pick<Props, 'destination' | 'rate' | 'nowMs'>) {
  const common = useTexts(COMMON);
  const { lagEvents, lagSeconds, delivered, lastSuccessAt, position } = destination;
  const facts = [
    ['Behind', `${formatCount(lagEvents)} events`],
    ['Lag', lagEvents === 0 ? 'none' : formatSpan(lagSeconds * 1000)],
    ['Delivered', `${formatCount(delivered)} events`],
    ['Throughput', formatRate(rate, common)],
    ['Last success', lastSuccessAt ? common.ago(formatSince(lastSuccessAt, nowMs)) : 'none yet'],
    ['Position', formatCount(Number(position))],
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
  const common = useTexts(COMMON);
  const { destinationId, name, state } = destination;
  const mutate = useMutate();
  const [said, setSaid] = useState<string | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const run = (work: () => Promise<string | null>) => async () => {
    setIsBusy(true);
    try {
      setSaid(await work());
      onChange();
    } catch (error) {
      setSaid((error as Error).message);
    } finally {
      setIsBusy(false);
    }
  };
  const test = run(async () => {
    const { testDestination } = await mutate(TestDestinationDocument, { destinationId });
    return testDestination.accepted
      ? 'The test was accepted.'
      : `The test failed: ${testDestination.message}`;
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
        Test{of}
      </Button>
      <Button size="compact-xs" variant="default" onClick={change}>
        {isPaused ? common.resume : common.pause}
        {of}
      </Button>
      <Button size="compact-xs" variant="default" onClick={() => onOpen('change')}>
        Change{of}
      </Button>
      <Button size="compact-xs" variant="default" onClick={() => onOpen('replay')}>
        Replay{of}
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
