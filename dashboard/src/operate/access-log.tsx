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
import { FILTERS_CLASS, LIST_TABLE } from '../lib/listed';
import { NameCell } from '../lib/name-cell';
import { formatCount } from '../lib/numbers';
import { Opener } from '../lib/opener';
import { useTimeZone } from '../lib/preferences';
import { onRow } from '../lib/row-click';
import { namesOf } from '../lib/tenant-name';
import { formatTime, fromInputValue, inputValueOf, zoneName } from '../lib/time';
import { useAddress } from '../lib/use-address';
import { PageHead } from '../shell/page-head';
import { Failed, Loading } from '../shell/states';
import { AccessEntry } from './access-entry';
import { ExportAccess } from './export-access';
import { type Entry, whoOf } from './rows';
import { OPERATE } from './texts';

const FILTERS = ['tenantId', 'keyId', 'operation', 'outcome', 'search', 'from', 'to', 'after'] as const;
const ADDRESS = textsAddress(FILTERS);

/** The outcome of what succeeded, and the codes of what did not. */
const OUTCOMES = ['ok', ...Object.keys(ERRORS)];

/** The access log, newest first. Its filters are in the URL. */
export default function AccessLog() {
  const t = useTexts(OPERATE);
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
      <PageHead title={t.accessLog}>
        <ExportAccess filter={filter} />
        <Button variant="default" onClick={() => ask()}>
          {common.refresh}
        </Button>
      </PageHead>
      <Group gap="xs" align="flex-end" className={FILTERS_CLASS}>
        <Select
          label={common.tenant}
          placeholder={t.any}
          w={150}
          clearable
          searchable
          limit={100}
          clearButtonProps={{ 'aria-label': t.anyTenant }}
          data={tenants.map(({ tenantId, name }) => ({ value: tenantId, label: name }))}
          value={given.tenantId}
          onChange={(value) => change('tenantId', value)}
        />
        <Select
          label={t.key}
          placeholder={t.any}
          w={150}
          clearable
          searchable
          limit={100}
          clearButtonProps={{ 'aria-label': t.anyKey }}
          data={(data?.apiKeys ?? []).map(({ keyId, name, kind }) => ({
            value: keyId,
            label: `${name} (${kind})`,
          }))}
          value={given.keyId}
          onChange={(value) => change('keyId', value)}
        />
        <AppliedInput
          label={t.operation}
          placeholder={t.operationExample}
          value={given.operation}
          maxLength={LIMITS.filterCharsMax}
          onChange={(value) => change('operation', value)}
        />
        <AppliedInput
          label={t.whatWasRead}
          placeholder={t.readExample}
          value={given.search}
          maxLength={LIMITS.filterCharsMax}
          onChange={(value) => change('search', value)}
        />
        <NativeSelect
          label={t.outcome}
          w={140}
          data={[{ value: '', label: t.any }, { value: 'refused', label: t.refusedOrFailed }, ...OUTCOMES]}
          value={given.outcome ?? ''}
          onChange={(event) => change('outcome', event.currentTarget.value)}
        />
        {(['from', 'to'] as const).map((name) => (
          <TextInput
            key={name}
            label={(name === 'from' ? t.fromIn : t.toIn)(zoneName(zone))}
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
      ) : !page ? (
        <Loading what={common.theList} />
      ) : (
        <DataTable
          {...LIST_TABLE}
          highlightOnHover
          minHeight={160}
          idAccessor="entryId"
          records={page.entries}
          fetching={fetching}
          noRecordsText={page.hasNextPage ? t.noneOfNewest : t.noEntry}
          onRowClick={onRow(setOpened)}
          columns={[
            {
              accessor: 'at',
              title: t.time,
              noWrap: true,
              render: (entry) => (
                <Opener onOpen={() => setOpened(entry)}>{formatTime(entry.at, zone, 3)}</Opener>
              ),
            },
            { accessor: 'who', title: t.who, render: (entry) => <NameCell name={whoOf(entry)} /> },
            { accessor: 'operation', title: t.operation },
            { accessor: 'entrance', title: t.through },
            {
              accessor: 'tenantIds',
              title: t.tenants,
              render: (entry) => <NameCell name={namesOf(tenants, entry.tenantIds, common)} />,
            },
            {
              accessor: 'rows',
              title: t.rows,
              textAlign: 'right',
              render: ({ rows }) => (rows === null ? '–' : formatCount(rows)),
            },
            { accessor: 'outcome', title: t.outcome },
          ]}
        />
      )}
      {page && (
        <Group justify="space-between">
          <Button variant="default" disabled={!given.after} onClick={() => change('after', null)}>
            {t.newest}
          </Button>
          <Button
            variant="default"
            disabled={!page.hasNextPage}
            onClick={() => change('after', page.endCursor ?? null)}
          >
            {t.older}
          </Button>
        </Group>
      )}
      <AccessEntry entry={opened} tenants={tenants} onClose={() => setOpened(null)} />
    </Stack>
  );
}
