import { Button, Stack, TextInput } from '@mantine/core';
import { DataTable } from 'mantine-datatable';
import { useState } from 'react';
import { useQuery } from 'urql';
import { LIMITS } from '../../../src/limits';
import { CreateTenantDocument, EvidenceStatesDocument, TenantsDocument } from '../../generated/operations';
import { COMMON } from '../lib/common';
import { FormDialog } from '../lib/form-dialog';
import { useKept } from '../lib/kept';
import { useTexts } from '../lib/language';
import { LIST_TABLE, ListHead, ListPages, useListed, useListState } from '../lib/listed';
import { useMutate } from '../lib/mutate';
import { NameCell } from '../lib/name-cell';
import { useTimeZone } from '../lib/preferences';
import type { In } from '../lib/texts';
import { formatTime } from '../lib/time';
import { PageHead } from '../shell/page-head';
import { Failed, Loading } from '../shell/states';
import { ChangeRetention } from './change-retention';
import { EvidenceState } from './evidence-state';
import { Holds } from './holds';
import { RetentionRuns } from './retention-runs';
import { type Tenant } from './rows';
import { OPERATE } from './texts';
import { VerifyLog } from './verify-log';

export default function Tenants() {
  const common = useTexts(COMMON);
  const t = useTexts(OPERATE);
  const [zone] = useTimeZone();
  const [{ data, error, fetching }, ask] = useQuery({
    query: TenantsDocument,
  });
  const listed = useListed(
    useListState(),
    data?.tenants ?? [],
    ({ name, tenantId }) => `${name} ${tenantId}`,
  );
  const [isCreating, setIsCreating] = useKept('creating', false);
  const [changed, setChanged] = useKept<Tenant | null>('changed', null);
  const [verified, setVerified] = useState<Tenant | null>(null);
  const shown = listed.rows.map(({ tenantId }) => tenantId);
  const [evidence] = useQuery({
    query: EvidenceStatesDocument,
    variables: { tenantIds: shown },
    pause: shown.length === 0,
  });
  // The width of a column is that of what it holds: the list is drawn when its last one is there.
  const isKnown = data && (shown.length === 0 || evidence.data || evidence.error);
  return (
    <Stack gap="lg">
      <div>
        <PageHead title={t.tenants}>
          <Button onClick={() => setIsCreating(true)}>{t.newTenant}</Button>
        </PageHead>
        {error ? (
          <Failed error={error} retry={ask} />
        ) : !isKnown ? (
          <Loading what={common.theList} />
        ) : (
          <>
            <ListHead listed={listed} label={t.searchTenants} summary={t.tenantCount(data.tenants.length)} />
            <DataTable
              mt="xs"
              {...LIST_TABLE}
              minHeight={120}
              idAccessor="tenantId"
              fetching={fetching}
              records={[...listed.rows]}
              noRecordsText={t.noTenantYet}
              columns={[
                { accessor: 'name', title: common.name, render: ({ name }) => <NameCell name={name} /> },
                { accessor: 'tenantId', title: t.id },
                {
                  accessor: 'createdAt',
                  title: t.created,
                  noWrap: true,
                  render: (tenant) => formatTime(tenant.createdAt, zone),
                },
                {
                  accessor: 'retentionDays',
                  title: t.eventsKept,
                  noWrap: true,
                  render: (tenant) => keptFor(tenant, t, common),
                },
                {
                  accessor: 'evidence',
                  title: t.evidence,
                  render: (tenant) => (
                    <EvidenceState
                      tenant={tenant}
                      log={evidence.data?.auditLogs.find(({ tenantId }) => tenantId === tenant.tenantId)}
                      onVerify={() => setVerified(tenant)}
                    />
                  ),
                },
                {
                  accessor: 'actions',
                  title: t.actions,
                  render: (tenant) => (
                    <Button size="compact-xs" variant="default" onClick={() => setChanged(tenant)}>
                      {t.changeRetention}
                      <span className="sr-only"> {common.of(tenant.name)}</span>
                    </Button>
                  ),
                },
              ]}
            />
            <ListPages listed={listed} />
          </>
        )}
      </div>
      {isKnown && (
        <>
          <Holds tenants={data.tenants} zone={zone} />
          <RetentionRuns tenants={data.tenants} zone={zone} />
        </>
      )}
      <CreateTenant isOpen={isCreating} onClose={() => setIsCreating(false)} onDone={ask} />
      {verified && <VerifyLog tenant={verified} onClose={() => setVerified(null)} />}
      {changed && <ChangeRetention tenant={changed} onClose={() => setChanged(null)} onDone={ask} />}
    </Stack>
  );
}

const keptFor = (
  { retentionDays: days, holdsInForce }: Tenant,
  t: In<typeof OPERATE>,
  common: In<typeof COMMON>,
) =>
  (days === null ? t.forEver : common.days(days)) + (holdsInForce > 0 ? ` · ${t.holds(holdsInForce)}` : '');

function CreateTenant(props: { isOpen: boolean; onClose: () => void; onDone: () => void }) {
  const common = useTexts(COMMON);
  const t = useTexts(OPERATE);
  const mutate = useMutate();
  const [name, setName] = useKept('new tenant', '');
  const submit = async () => {
    await mutate(CreateTenantDocument, { name });
    setName('');
    props.onDone();
  };
  return (
    <FormDialog
      title={t.newTenant}
      action={t.create}
      isOpen={props.isOpen}
      onClose={props.onClose}
      onSubmit={submit}
    >
      {(problems) => (
        <TextInput
          label={common.name}
          required
          data-autofocus
          maxLength={LIMITS.nameCharsMax}
          error={problems.name}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
      )}
    </FormDialog>
  );
}
