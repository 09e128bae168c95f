import { Code, Stack, Text } from '@mantine/core';
import { useInterval } from '@mantine/hooks';
import { useState } from 'react';
import { useQuery } from 'urql';
import { DestinationsDocument } from '../../generated/operations';
import { nameOf } from '../lib/tenant-name';
import { useNow } from '../lib/use-now';
import { useRates } from '../lib/use-rates';
import { PageHead } from '../shell/page-head';
import { Empty, Failed, Loading } from '../shell/states';
import { DestinationCard } from './destination-card';
import { ReplayDestination } from './replay-destination';
import type { Destination } from './rows';

const ASK_MS = 5_000;
/** Sorts destinations that need attention to the front. */
const ORDER = ['failing', 'paused', 'active'];

/** The destinations to which events are sent, and how far each one is. */
export default function Destinations() {
  const [{ data, error }, ask] = useQuery({ query: DestinationsDocument });
  const [replayed, setReplayed] = useState<Destination | null>(null);
  useInterval(ask, ASK_MS, { autoInvoke: true });
  const nowMs = useNow(ASK_MS);
  const counts = data?.destinations.map(({ destinationId, delivered }) => ({
    key: destinationId,
    count: delivered,
  }));
  const rateOf = useRates(counts);
  const destinations = data?.destinations.toSorted((a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state));
  return (
    <Stack gap="sm">
      <PageHead title="Destinations" />
      {error && <Failed error={error} retry={ask} />}
      {!destinations && !error && <Loading what="the destinations" />}
      {destinations?.length === 0 && (
        <Empty title="No destination yet">
          <Text size="sm">
            Make one with <Code>audit-activity destination create</Code>, and it appears here.
          </Text>
        </Empty>
      )}
      {destinations?.map((destination) => (
        <DestinationCard
          key={destination.destinationId}
          destination={destination}
          tenantName={nameOf(data?.tenants ?? [], destination.tenantId)}
          rate={rateOf(destination.destinationId)}
          nowMs={nowMs}
          onChange={ask}
          onReplay={() => setReplayed(destination)}
        />
      ))}
      {replayed && (
        <ReplayDestination destination={replayed} onClose={() => setReplayed(null)} onDone={ask} />
      )}
    </Stack>
  );
}
