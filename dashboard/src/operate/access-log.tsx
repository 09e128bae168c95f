import { Button, Group, NativeSelect, Select, Stack, TextInput } from '@mantine/core';
import { DataTable } from 'mantine-datatable';
import { useState } from 'react';
import { useQuery } from 'urql';
import { ERRORS } from '../../../src/errors';
import { LIMITS } from '../../../src/limits';
import { AccessLogDocument } from '../../generated/operations';
import { textsAddress } from '../lib/address';
import { AppliedInput } from '../lib/applied-input';
import { COMMON } from '../lib/common';
import { useTexts } from '../lib/language';
import { NameCell } from '../lib/name-cell';
import { formatCount } from '../lib/numbers';
import { Opener } from '../lib/opener';
import { useTimeZone } from '../lib/preferences';
import { onRow } from '../lib/row-click';
import { namesOf } from '../lib/tenant-name';
import { formatTime, fromInputValue, inputValueOf, zoneName } from '../lib/time';
import { useAddress } from '../lib/use-address';
import { PageHead } from '../shell/page-head';
import { Failed } from '../shell/states';
import { AccessEntry } from './access-entry';
import { ExportAccess } from './export-access';
import { type Entry, whoOf } from './rows';

const FILTERS = ['tenantId', 'keyId', 'operation', 'outcome', 'search', 'from', 'to', 'after'] as const;
const ADDRESS = textsAddress(FILTERS);

const OUTCOMES = [
  { value: '', label: 'Any' },
  { value: 'ok', label: 'ok' },
  { value: 'refused', label: 'Refused or failed' },
  ...Object.keys(ERRORS).map((code) => ({ value: code, label: code })),
];

/** The access log, newest first. Its filters are in the URL. */
export default function AccessLog() {
  const common = useTexts(COMMON);
  const [zone] = useTimeZone();
  const [given, setGiven] = useAddress(ADDRESS);
  const [opened, setOpened] = useState<Entry | null>(null);
  const filter = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
  const [{ data, error, fetching }, ask] = useQuery({
    query: AccessLogDocument,
    variables: filter,
  });
  const change = (name: (typeof FILTERS)[number], value: string | null) =>
    setGiven((now) => ({ ...now, after: null, [name]: value || null }));
  const tenants = data?.tenants ?? [];
  const page = data?.accessLog;
  return (
    <Stack gap="sm">
      <PageHead title="Access log">
        <ExportAccess filter={filter} />
        <Button variant="default" onClick={() => ask()}>
          {common.refresh}
        </Button>
      </PageHead>
      <Group gap="xs" align="flex-end">
        <Select
          label={common.tenant}
          placeholder="Any"
          w={150}
          clearable
          searchable
          limit={100}
          clearButtonProps={{ 'aria-label': 'Any tenant' }}
          data={tenants.map(({ tenantId, name }) => ({ value: tenantId, label: name }))}
          value={given.tenantId}
          onChange={(value) => change('tenantId', value)}
        />
        <Select
          label="Key"
          placeholder="Any"
          w={150}
          clearable
          searchable
          limit={100}
          clearButtonProps={{ 'aria-label': 'Any key' }}
          data={(data?.apiKeys ?? []).map(({ keyId, name, kind }) => ({
            value: keyId,
            label: `${name} (${kind})`,
          }))}
          value={given.keyId}
          onChange={(value) => change('keyId', value)}
        />
        <AppliedInput
          label="Operation"
          placeholder="auditEvents"
          value={given.operation}
          maxLength={LIMITS.filterCharsMax}
          onChange={(value) => change('operation', value)}
        />
        <AppliedInput
          label="What was read"
          placeholder="Payroll, a record id"
          value={given.search}
          maxLength={LIMITS.filterCharsMax}
          onChange={(value) => change('search', value)}
        />
        <NativeSelect
          label="Outcome"
          w={140}
          data={OUTCOMES}
          value={given.outcome ?? ''}
          onChange={(event) => change('outcome', event.currentTarget.value)}
        />
        {(['from', 'to'] as const).map((name) => (
          <TextInput
            key={name}
            label={`${name === 'from' ? common.from : common.to} (${zoneName(zone)})`}
            type="datetime-local"
            w={255}
            step={1}
            value={inputValueOf(given[name], zone)}
            onChange={(event) => {
              const ms = fromInputValue(event.currentTarget.value, zone);
              change(name, ms === null ? null : new Date(ms).toISOString());
            }}
          />
        ))}
      </Group>
      {error ? (
        <Failed error={error} retry={ask} />
      ) : (
        <DataTable
          withTableBorder
          striped
          highlightOnHover
          minHeight={160}
          fz="sm"
          idAccessor="entryId"
          records={page?.entries ?? []}
          fetching={fetching}
          noRecordsText={
            page?.hasNextPage
              ? 'No entry among the newest ones matches: look at older ones'
              : 'No entry matches: remove a filter'
          }
          onRowClick={onRow(setOpened)}
          columns={[
            {
              accessor: 'at',
              title: 'Time',
              noWrap: true,
              render: (entry) => (
                <Opener onOpen={() => setOpened(entry)}>{formatTime(entry.at, zone, 3)}</Opener>
              ),
            },
            { accessor: 'who', title: 'Who', render: (entry) => <NameCell name={whoOf(entry)} /> },
            { accessor: 'operation', title: 'Operation' },
            { accessor: 'entrance', title: 'Through' },
            {
              accessor: 'tenantIds',
              title: 'Tenants',
              render: (entry) => <NameCell name={namesOf(tenants, entry.tenantIds, common)} />,
            },
            {
              accessor: 'rows',
              title: 'Rows',
              textAlign: 'right',
              render: ({ rows }) => (rows === null ? '–' : formatCount(rows)),
            },
            { accessor: 'outcome', title: 'Outcome' },
          ]}
        />
      )}
      <Group justify="space-between">
        <Button variant="default" size="xs" disabled={!given.after} onClick={() => change('after', null)}>
          Newest
        </Button>
        <Button
          variant="default"
          size="xs"
          disabled={!page?.hasNextPage}
          onClick={() => change('after', page?.endCursor ?? null)}
        >
          Older
        </Button>
      </Group>
      <AccessEntry entry={opened} tenants={tenants} onClose={() => setOpened(null)} />
    </Stack>
  );
}
