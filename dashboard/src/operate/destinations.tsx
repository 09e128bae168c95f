import { Button, Stack, Text } from '@mantine/core';
import { useInterval } from '@mantine/hooks';
import { useState } from 'react';
import { useQuery } from 'urql';
import {
  DestinationsDocument,
  DestinationTypesDocument,
  RemoveDestinationDocument,
} from '../../generated/operations';
import { COMMON } from '../lib/common';
import { FormDialog } from '../lib/form-dialog';
import { useTexts } from '../lib/language';
import { useMutate } from '../lib/mutate';
import { nameOf } from '../lib/tenant-name';
import { useNow } from '../lib/use-now';
import { useRates } from '../lib/use-rates';
import { PageHead } from '../shell/page-head';
import { Empty, Failed, Loading } from '../shell/states';
import { AlertRoutes } from './alert-routes';
import { DestinationCard } from './destination-card';
import { DestinationForm } from './destination-form';
import { KeyOnce, type ShownKey } from './key-once';
import { ReplayDestination } from './replay-destination';
import type { Destination } from './rows';
import { OPERATE } from './texts';

const ASK_MS = 5_000;
/** Sorts destinations that need attention to the front. */
const ORDER = ['failing', 'paused', 'active'];

type Dialog =
  | { readonly kind: 'make' }
  | { readonly kind: 'change' | 'replay' | 'remove'; readonly destination: Destination }
  | null;

/** The destinations to which events are sent, and how far each one is. */
export default function Destinations() {
  const t = useTexts(OPERATE);
  const [{ data, error }, ask] = useQuery({ query: DestinationsDocument });
  const [types] = useQuery({ query: DestinationTypesDocument });
  const [dialog, setDialog] = useState<Dialog>(null);
  const [secret, setSecret] = useState<ShownKey | null>(null);
  const close = () => setDialog(null);
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
      <PageHead title={t.destinations}>
        <Button disabled={!types.data || !data} onClick={() => setDialog({ kind: 'make' })}>
          {t.newDestination}
        </Button>
      </PageHead>
      {types.error && !error && <Failed error={types.error} />}
      {error && <Failed error={error} retry={ask} />}
      {!destinations && !error && <Loading what={t.theDestinations} />}
      {destinations?.length === 0 && (
        <Empty title={t.noDestinationYet}>
          <Text size="sm" maw={560}>
            {t.aboutDestinations}
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
          onOpen={(kind) => setDialog({ kind, destination })}
        />
      ))}
      {data && <AlertRoutes tenants={data.tenants} destinations={data.destinations} />}
      {dialog?.kind === 'replay' && (
        <ReplayDestination destination={dialog.destination} onClose={close} onDone={ask} />
      )}
      {dialog?.kind === 'remove' && (
        <RemoveDestination destination={dialog.destination} onClose={close} onDone={ask} />
      )}
      {(dialog?.kind === 'make' || dialog?.kind === 'change') && (
        <DestinationForm
          types={types.data?.destinationTypes ?? []}
          tenants={data?.tenants ?? []}
          destination={dialog.kind === 'change' ? dialog.destination : null}
          onClose={close}
          onSaved={(made) => {
            setSecret(made);
            ask();
          }}
        />
      )}
      {secret && <KeyOnce made={secret} onClose={() => setSecret(null)} />}
    </Stack>
  );
}

function RemoveDestination(props: { destination: Destination; onClose: () => void; onDone: () => void }) {
  const common = useTexts(COMMON);
  const t = useTexts(OPERATE);
  const { destinationId, name, lagEvents } = props.destination;
  const mutate = useMutate();
  const submit = async () => {
    await mutate(RemoveDestinationDocument, { destinationId });
    props.onDone();
  };
  return (
    <FormDialog
      title={t.removeTitle(name)}
      action={common.remove}
      isDangerous
      isOpen
      onClose={props.onClose}
      onSubmit={submit}
    >
      <Text size="sm">{t.placeLost(lagEvents)}</Text>
    </FormDialog>
  );
}
