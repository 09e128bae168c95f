import { Button, NativeSelect, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useQuery } from 'urql';
import {
  DestinationsDocument,
  DestinationTenantsDocument,
  DestinationTypesDocument,
  RemoveDestinationDocument,
} from '../../generated/operations';
import { COMMON } from '../lib/common';
import { FormDialog } from '../lib/form-dialog';
import { useKept } from '../lib/kept';
import { useTexts } from '../lib/language';
import { ListHead, ListPages, useListed, useListState } from '../lib/listed';
import { useMutate } from '../lib/mutate';
import { nameOf } from '../lib/tenant-name';
import { usePolled } from '../lib/use-polled';
import { useRates } from '../lib/use-rates';
import { PageHead } from '../shell/page-head';
import { Empty, Failed, Loading } from '../shell/states';
import { AlertRoutes } from './alert-routes';
import { DestinationForm } from './destination-form';
import { DestinationTable } from './destination-table';
import { KeyOnce, type ShownKey } from './key-once';
import { ReplayDestination } from './replay-destination';
import type { Destination } from './rows';
import { OPERATE } from './texts';

const ASK_MS = 5_000;
/** Sorts destinations that need attention to the front. */
const ORDER = ['failing', 'paused', 'active'] as const;
const ranked: readonly string[] = ORDER;

type Dialog =
  | { readonly kind: 'make' }
  | { readonly kind: 'change' | 'replay' | 'remove'; readonly destination: Destination }
  | null;

/** The destinations to which events are sent, and how far each one is. */
export default function Destinations() {
  const common = useTexts(COMMON);
  const t = useTexts(OPERATE);
  const [rateOf, takeRates] = useRates(({ destinationId, delivered }: Destination) => ({
    key: destinationId,
    count: delivered,
  }));
  const { data, error, ask } = usePolled({
    query: DestinationsDocument,
    variables: {},
    everyMs: ASK_MS,
    onAnswer: ({ destinations: answered }) => takeRates(answered),
  });
  // The names of tenants are asked once, and the rest every few seconds.
  const [names] = useQuery({ query: DestinationTenantsDocument });
  const tenants = names.data?.tenants ?? [];
  const [types] = useQuery({ query: DestinationTypesDocument });
  const besides = types.error ?? names.error;
  const [dialog, setDialog] = useKept<Dialog>('dialog', null);
  const [secret, setSecret] = useState<ShownKey | null>(null);
  const close = () => setDialog(null);
  const list = useListState();
  const all = data?.destinations;
  const destinations = (all ?? [])
    .filter(({ state }) => list.state === null || state === list.state)
    .toSorted((a, b) => ranked.indexOf(a.state) - ranked.indexOf(b.state));
  const listed = useListed(list, destinations, ({ name, type, url, tenantId }) =>
    [name, type, url, nameOf(tenants, tenantId)].join(' '),
  );
  return (
    <Stack gap="sm">
      <PageHead title={t.destinations}>
        <Button disabled={!types.data || !data || !names.data} onClick={() => setDialog({ kind: 'make' })}>
          {t.newDestination}
        </Button>
      </PageHead>
      {besides && !error && <Failed error={besides} />}
      {error && <Failed error={error} retry={ask} />}
      {!all && !error && <Loading what={t.theDestinations} />}
      {all?.length === 0 && (
        <Empty title={t.noDestinationYet}>
          <Text size="sm" maw={560}>
            {t.aboutDestinations}
          </Text>
        </Empty>
      )}
      {all && all.length > 0 && (
        <ListHead listed={listed} label={t.searchDestinations} summary={t.destinationCount(all.length)}>
          <NativeSelect
            aria-label={common.state}
            data={[
              { value: '', label: t.anyDestination },
              ...ORDER.map((value) => ({ value, label: t[value] })),
            ]}
            value={list.state ?? ''}
            onChange={(event) => list.setState(event.currentTarget.value || null)}
          />
        </ListHead>
      )}
      {listed.rows.length > 0 && (
        <DestinationTable
          destinations={listed.rows}
          tenants={tenants}
          rateOf={rateOf}
          onChange={ask}
          onOpen={(kind, destination) => setDialog({ kind, destination })}
        />
      )}
      <ListPages listed={listed} />
      {data && names.data && <AlertRoutes tenants={tenants} destinations={data.destinations} />}
      {dialog?.kind === 'replay' && (
        <ReplayDestination destination={dialog.destination} onClose={close} onDone={ask} />
      )}
      {dialog?.kind === 'remove' && (
        <RemoveDestination destination={dialog.destination} onClose={close} onDone={ask} />
      )}
      {(dialog?.kind === 'make' || dialog?.kind === 'change') && (
        <DestinationForm
          types={types.data?.destinationTypes ?? []}
          tenants={tenants}
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
