import { Button, Stack, TextInput } from '@mantine/core';
import { DataTable } from 'mantine-datatable';
import { useState } from 'react';
import { useQuery } from 'urql';
import { LIMITS } from '../../../src/limits';
import { CreateTenantDocument, EvidenceStatesDocument, TenantsDocument } from '../../generated/operations';
import { FormDialog } from '../lib/form-dialog';
import { ListHead, ListPages, useListed } from '../lib/listed';
import { useMutate } from '../lib/mutate';
import { NameCell } from '../lib/name-cell';
import { counted, formatCount } from '../lib/numbers';
import { useTimeZone } from '../lib/preferences';
import { formatTime } from '../lib/time';
import { PageHead } from '../shell/page-head';
import { Failed } from '../shell/states';
import { ChangeRetention } from './change-retention';
import { EvidenceState } from './evidence-state';
import { Holds } from './holds';
import { RetentionRuns } from './retention-runs';
import { type Tenant } from './rows';
import { VerifyLog } from './verify-log';

export default function Tenants() {
  const [zone] = useTimeZone();
  const [{ data, error, fetching }, ask] = useQuery({
    query: TenantsDocument,
  });
  const listed = useListed(data?.tenants ?? [], ({ name, tenantId }) => `${name} ${tenantId}`);
  const [isCreating, setIsCreating] = useState(false);
  const [changed, setChanged] = useState<Tenant | null>(null);
  const [verified, setVerified] = useState<Tenant | null>(null);
  const shown = listed.rows.map(({ tenantId }) => tenantId);
  const [evidence] = useQuery({
    query: EvidenceStatesDocument,
    variables: { tenantIds: shown },
    pause: shown.length === 0,
  });
  return (
    <Stack gap="lg">
      <div>
        <PageHead title="Tenants">
          <Button onClick={() => setIsCreating(true)}>New tenant</Button>
        </PageHead>
        {error ? (
          <Failed error={error} retry={ask} />
        ) : (
          <>
            <ListHead
              listed={listed}
              label="Search tenants"
              summary={`${formatCount(data?.tenants.length ?? 0)} tenants`}
            />
            <DataTable
              mt="xs"
              withTableBorder
              striped
              minHeight={120}
              idAccessor="tenantId"
              fetching={fetching}
              records={[...listed.rows]}
              noRecordsText="No tenant yet: make one, then keys for it"
              columns={[
                { accessor: 'name', title: 'Name', render: ({ name }) => <NameCell name={name} /> },
                { accessor: 'tenantId', title: 'Id' },
                {
                  accessor: 'createdAt',
                  title: 'Created',
                  noWrap: true,
                  render: (t) => formatTime(t.createdAt, zone),
                },
                {
                  accessor: 'retentionDays',
                  title: 'Events kept',
                  noWrap: true,
                  render: (t) => keptFor(t),
                },
                {
                  accessor: 'evidence',
                  title: 'Evidence',
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
                  title: 'Actions',
                  render: (tenant) => (
                    <Button size="compact-xs" variant="default" onClick={() => setChanged(tenant)}>
                      Change retention<span className="sr-only"> of {tenant.name}</span>
                    </Button>
                  ),
                },
              ]}
            />
            <ListPages listed={listed} />
          </>
        )}
      </div>
      <Holds tenants={data?.tenants ?? []} zone={zone} />
      <RetentionRuns tenants={data?.tenants ?? []} zone={zone} />
      <CreateTenant isOpen={isCreating} onClose={() => setIsCreating(false)} onDone={ask} />
      {verified && <VerifyLog tenant={verified} onClose={() => setVerified(null)} />}
      {changed && <ChangeRetention tenant={changed} onClose={() => setChanged(null)} onDone={ask} />}
    </Stack>
  );
}

const keptFor = ({ retentionDays: days, holdsInForce }: Tenant) =>
  (days === null ? 'for ever' : `${days} days`) +
  (holdsInForce > 0 ? ` · ${counted(holdsInForce, 'legal hold')}` : '');

function CreateTenant(props: { isOpen: boolean; onClose: () => void; onDone: () => void }) {
  const mutate = useMutate();
  const [name, setName] = useState('');
  const submit = async () => {
    await mutate(CreateTenantDocument, { name });
    setName('');
    props.onDone();
  };
  return (
    <FormDialog
      title="New tenant"
      action="Create"
      isOpen={props.isOpen}
      onClose={props.onClose}
      onSubmit={submit}
    >
      {(problems) => (
        <TextInput
          label="Name"
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
