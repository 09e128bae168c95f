import { Table, Title } from '@mantine/core';
import { useQuery } from 'urql';
import { RetentionRunsDocument } from '../../generated/operations';
import { COMMON } from '../lib/common';
import { useTexts } from '../lib/language';
import { NameCell } from '../lib/name-cell';
import { formatCount } from '../lib/numbers';
import { type NamedTenant, nameOf } from '../lib/tenant-name';
import { formatTime, type TimeZone } from '../lib/time';
import { OPERATE } from './texts';

/** What retention removed recently; nothing if it removed no events. */
export function RetentionRuns({
  tenants,
  zone,
}: {
  readonly tenants: readonly NamedTenant[];
  readonly zone: TimeZone;
}) {
  const common = useTexts(COMMON);
  const t = useTexts(OPERATE);
  const [{ data }] = useQuery({ query: RetentionRunsDocument });
  if (!data || data.retentionRuns.length === 0) return null;
  return (
    <section>
      <Title order={2} size="h5" mb="xs">
        {t.removedByRetention}
      </Title>
      <Table.ScrollContainer minWidth={600}>
        <Table withTableBorder fz="sm">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t.ended}</Table.Th>
              <Table.Th>{common.tenant}</Table.Th>
              <Table.Th ta="right">{common.events}</Table.Th>
              <Table.Th>{t.ofTheTime}</Table.Th>
              <Table.Th>{t.keptFor}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {data.retentionRuns.map((run) => (
              <Table.Tr key={`${run.runId} ${run.tenantId}`}>
                <Table.Td>{formatTime(run.endedAt, zone)}</Table.Td>
                <Table.Td>
                  <NameCell name={nameOf(tenants, run.tenantId)} />
                </Table.Td>
                <Table.Td ta="right">{formatCount(run.events)}</Table.Td>
                <Table.Td>
                  {formatTime(run.fromTime, zone)} – {formatTime(run.toTime, zone)}
                </Table.Td>
                <Table.Td>{common.days(run.retentionDays)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </section>
  );
}
