import { Table, Title } from '@mantine/core';
import { useQuery } from 'urql';
import { HoldsDocument } from '../../generated/operations';
import { COMMON } from '../lib/common';
import { useTexts } from '../lib/language';
import { NameCell } from '../lib/name-cell';
import { type NamedTenant, nameOf } from '../lib/tenant-name';
import { formatTime, type TimeZone } from '../lib/time';
import { OPERATE } from './texts';

/** The legal holds in force; nothing if there is none. */
export function Holds({
  tenants,
  zone,
}: {
  readonly tenants: readonly NamedTenant[];
  readonly zone: TimeZone;
}) {
  const common = useTexts(COMMON);
  const t = useTexts(OPERATE);
  const [{ data }] = useQuery({ query: HoldsDocument });
  const inForce = data?.holds.filter(({ isInForce }) => isInForce) ?? [];
  if (inForce.length === 0) return null;
  return (
    <section>
      <Title order={2} size="h5" mb="xs">
        {t.legalHolds}
      </Title>
      <Table.ScrollContainer minWidth={600}>
        <Table withTableBorder fz="sm">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{common.tenant}</Table.Th>
              <Table.Th>{t.eventsHeld}</Table.Th>
              <Table.Th>{common.reason}</Table.Th>
              <Table.Th>{common.since}</Table.Th>
              <Table.Th>{common.until}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {inForce.map((hold) => (
              <Table.Tr key={hold.holdId}>
                <Table.Td>
                  <NameCell name={nameOf(tenants, hold.tenantId)} />
                </Table.Td>
                <Table.Td>{hold.filter ?? t.everyEvent}</Table.Td>
                <Table.Td>{hold.reason}</Table.Td>
                <Table.Td>{common.by(formatTime(hold.createdAt, zone), hold.createdBy)}</Table.Td>
                <Table.Td>{hold.until === null ? t.operatorEnds : formatTime(hold.until, zone)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </section>
  );
}
