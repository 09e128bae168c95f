import { Alert, Code, Stack, Text } from '@mantine/core';
import { DataTable } from 'mantine-datatable';
import { useQuery } from 'urql';
import { SealedWeeksDocument, TenantsDocument } from '../../generated/operations';
import { ListHead, ListPages, useListed } from '../lib/listed';
import { NameCell } from '../lib/name-cell';
import { formatBytes, formatCount } from '../lib/numbers';
import { useTimeZone } from '../lib/preferences';
import { nameOf } from '../lib/tenant-name';
import { formatTime } from '../lib/time';
import { PageHead } from '../shell/page-head';
import { Failed } from '../shell/states';

const DAY_CHARS = 10;
const SHA_CHARS = 12;
const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

/** The weeks whose events lie in files. */
export default function Archive() {
  const [zone] = useTimeZone();
  const [{ data, error, fetching }, ask] = useQuery({ query: SealedWeeksDocument });
  const [tenants] = useQuery({ query: TenantsDocument });
  const nameOfTenant = (tenantId: string) => nameOf(tenants.data?.tenants ?? [], tenantId);
  const weeks = data?.sealedWeeks ?? [];
  const unsealed = data?.unsealedWeeks ?? [];
  const listed = useListed(weeks, ({ tenantId, week, sha256 }) =>
    [nameOfTenant(tenantId), tenantId, week, sha256].join(' '),
  );
  return (
    <Stack gap="xs">
      <PageHead title="Archive" />
      <Text size="sm">
        Weeks that are over, and whose events lie in files. All answers are the same. The command{' '}
        <Code>audit-activity archive</Code> puts a week into a file or brings it back into rows.
      </Text>
      {error ? (
        <Failed error={error} retry={ask} />
      ) : (
        <>
          {unsealed.length > 0 && (
            <Alert color="red" title="Weeks that could not be put into a file">
              {unsealed.map(({ tenantId, week, problem, at }) => (
                <Text size="sm" key={tenantId}>
                  {nameOfTenant(tenantId)}, week of {week.slice(0, DAY_CHARS)}: {problem} (
                  {formatTime(at, zone)})
                </Text>
              ))}
            </Alert>
          )}
          <ListHead
            listed={listed}
            label="Search weeks"
            summary={`${formatCount(weeks.length)} weeks, ${formatCount(sum(weeks.map(({ events }) => events)))} events, ${formatBytes(sum(weeks.map(({ bytes }) => bytes)))}`}
          />
          <DataTable
            mt="xs"
            withTableBorder
            striped
            minHeight={120}
            // On a narrow screen it scrolls, and has nothing else that a keyboard could reach.
            scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}
            idAccessor={({ tenantId, week }) => `${tenantId} ${week}`}
            fetching={fetching}
            records={[...listed.rows]}
            noRecordsText="No week lies in a file: ARCHIVE_AFTER_DAYS says when one does"
            columns={[
              {
                accessor: 'week',
                title: 'Week of',
                noWrap: true,
                render: ({ week }) => week.slice(0, DAY_CHARS),
              },
              {
                accessor: 'tenantId',
                title: 'Tenant',
                render: ({ tenantId }) => <NameCell name={nameOfTenant(tenantId)} />,
              },
              {
                accessor: 'events',
                title: 'Events',
                textAlign: 'right',
                render: ({ events }) => formatCount(events),
              },
              {
                accessor: 'bytes',
                title: 'Size',
                textAlign: 'right',
                noWrap: true,
                render: ({ bytes }) => formatBytes(bytes),
              },
              {
                accessor: 'sealedAt',
                title: 'Written',
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
