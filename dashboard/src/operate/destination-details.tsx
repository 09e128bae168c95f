import { Alert, Button, Group, Text } from '@mantine/core';
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
import { Facts } from '../lib/facts';
import { useTexts } from '../lib/language';
import { RowDetails } from '../lib/listed';
import { useMutate } from '../lib/mutate';
import { formatCount } from '../lib/numbers';
import { formatSince } from '../lib/time';
import { useNow } from '../lib/use-now';
import type { Destination } from './rows';
import { SetAsideList } from './set-aside-list';
import { OPERATE } from './texts';

/** How often ages are told anew. */
const AGES_MS = 5_000;

interface Props {
  readonly destination: Destination;
  readonly onChange: () => void;
  readonly onOpen: (dialog: 'change' | 'replay' | 'remove') => void;
}

/** A destination in full, and what can be done with it. */
export function DestinationDetails({ destination, onChange, onOpen }: Props) {
  const t = useTexts(OPERATE);
  const common = useTexts(COMMON);
  const { destinationId, name, state, setAside, behindRetention, delivered, position } = destination;
  const [isOpen, { toggle }] = useDisclosure();
  const nowMs = useNow(AGES_MS);
  const { filter, lastError, lastErrorAt, lastSuccessAt, publicKey } = destination;
  const facts = [
    [t.receiver, destination.url],
    ...(filter ? [[t.filter, <code key="filter">{filter}</code>] as const] : []),
    [t.delivered, t.eventCount(delivered)],
    [t.lastSuccess, lastSuccessAt ? common.ago(formatSince(lastSuccessAt, nowMs)) : t.noneYet],
    [t.position, formatCount(Number(position))],
    ...(publicKey === null ? [] : [[t.publicKey, <code key="key">{publicKey}</code>] as const]),
  ] as const;
  return (
    <RowDetails name={name}>
      {destination.pauseReason !== null && (
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {t.pausedBecause} {destination.pauseReason}
        </Text>
      )}
      {lastError && lastErrorAt && (
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {(state === 'active' ? t.lastErrorAgo : t.errorAgo)(common.ago(formatSince(lastErrorAt, nowMs)))}{' '}
          <span lang="en">{lastError}</span>
        </Text>
      )}
      {behindRetention > 0 && (
        <Alert color="red" p="xs">
          {t.behindRetention(behindRetention)}
        </Alert>
      )}
      <Facts facts={facts} />
      <Actions destination={destination} onChange={onChange} onOpen={onOpen} />
      {setAside > 0 && (
        <div>
          <Button variant="default" aria-expanded={isOpen} onClick={toggle}>
            {isOpen ? t.hideSetAside : t.setAside(setAside)}
          </Button>
          {isOpen && <SetAsideList destinationId={destinationId} />}
        </div>
      )}
    </RowDetails>
  );
}

function Actions({ destination, onChange, onOpen }: Props) {
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
    <Group gap={6}>
      <Button variant="default" loading={isBusy} onClick={test}>
        {t.test}
        {of}
      </Button>
      <Button variant="default" onClick={change}>
        {isPaused ? common.resume : common.pause}
        {of}
      </Button>
      <Button variant="default" onClick={() => onOpen('change')}>
        {t.change}
        {of}
      </Button>
      <Button variant="default" onClick={() => onOpen('replay')}>
        {t.replay}
        {of}
      </Button>
      <Button variant="default" onClick={() => onOpen('remove')}>
        {common.remove}
        {of}
      </Button>
      <Text size="sm" role="status">
        {said}
      </Text>
    </Group>
  );
}
