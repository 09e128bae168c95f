import { Alert, Code, Stack, Text } from '@mantine/core';
import { DataTable } from 'mantine-datatable';
import { useQuery } from 'urql';
import { LIMITS } from '../../../src/limits';
import { SealedWeeksDocument, TenantsDocument } from '../../generated/operations';
import { COMMON } from '../lib/common';
import { useTexts } from '../lib/language';
import { LIST_TABLE, ListHead, ListPages, useListed, useListState } from '../lib/listed';
import { NameCell } from '../lib/name-cell';
import { formatBytes, formatCount } from '../lib/numbers';
import { useTimeZone } from '../lib/preferences';
import { nameOf } from '../lib/tenant-name';
import { formatTime } from '../lib/time';
import { PageHead } from '../shell/page-head';
import { Failed, Loading } from '../shell/states';
import { OPERATE } from './texts';

const DAY_CHARS = 10;
const SHA_CHARS = 12;
const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

/** The weeks whose events lie in files. */
export default function Archive() {
  const common = useTexts(COMMON);
  const t = useTexts(OPERATE);
  const [zone] = useTimeZone();
  const [{ data, error, fetching }, ask] = useQuery({ query: SealedWeeksDocument });
  const [tenants] = useQuery({ query: TenantsDocument });
  const nameOfTenant = (tenantId: string) => nameOf(tenants.data?.tenants ?? [], tenantId);
  const weeks = data?.sealedWeeks ?? [];
  const unsealed = data?.unsealedWeeks ?? [];
  const listed = useListed(useListState(), weeks, ({ tenantId, week, sha256 }) =>
    [nameOfTenant(tenantId), tenantId, week, sha256].join(' '),
  );
  return (
    <Stack gap="xs">
      <PageHead title={t.archive} />
      <Text size="sm">
        {t.aboutArchive} <Code>audit-activity archive</Code> {t.archiveDoes}
      </Text>
      {error ? (
        <Failed error={error} retry={ask} />
      ) : !data ? (
        <Loading what={common.theList} />
      ) : (
        <>
          {unsealed.length > 0 && (
            <Alert color="red" title={t.notIntoFile}>
              {unsealed.map(({ tenantId, week, problem, at }) => (
                <Text size="sm" key={`${tenantId} ${week}`}>
                  {t.weekOfTenant(nameOfTenant(tenantId), week.slice(0, DAY_CHARS))}{' '}
                  <span lang="en">{problem}</span> ({formatTime(at, zone)})
                </Text>
              ))}
            </Alert>
          )}
          <ListHead
            listed={listed}
            label={t.searchWeeks}
            summary={t.weeks(
              weeks.length,
              sum(weeks.map(({ events }) => events)),
              sum(weeks.map(({ bytes }) => bytes)),
              weeks.length >= LIMITS.sealedWeeksDefault,
            )}
          />
          <DataTable
            mt="xs"
            {...LIST_TABLE}
            minHeight={120}
            // On a narrow screen it scrolls, and has nothing else that a keyboard could reach.
            scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}
            idAccessor={({ tenantId, week }) => `${tenantId} ${week}`}
            fetching={fetching}
            records={[...listed.rows]}
            noRecordsText={t.noWeek}
            columns={[
              {
                accessor: 'week',
                title: t.weekOf,
                noWrap: true,
                render: ({ week }) => week.slice(0, DAY_CHARS),
              },
              {
                accessor: 'tenantId',
                title: common.tenant,
                render: ({ tenantId }) => <NameCell name={nameOfTenant(tenantId)} />,
              },
              {
                accessor: 'events',
                title: common.events,
                textAlign: 'right',
                render: ({ events }) => formatCount(events),
              },
              {
                accessor: 'bytes',
                title: t.size,
                textAlign: 'right',
                noWrap: true,
                render: ({ bytes }) => formatBytes(bytes),
              },
              {
                accessor: 'sealedAt',
                title: t.written,
                noWrap: true,
                render: ({ sealedAt }) => formatTime(sealedAt, zone),
              },
              {
                accessor: 'sha256',
                title: 'SHA-256',
                render: ({ sha256 }) => <Code title={sha256}>{sha256.slice(0, SHA_CHARS)}…</Code>,
              },
            ]}
          />
          <ListPages listed={listed} />
        </>
      )}
    </Stack>
  );
}
