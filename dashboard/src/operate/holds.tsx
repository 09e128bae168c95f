import { Table, Title } from '@mantine/core';
import { useQuery } from 'urql';
import { HoldsDocument } from '../../generated/operations';
import { NameCell } from '../lib/name-cell';
import { type NamedTenant, nameOf } from '../lib/tenant-name';
import { formatTime, type TimeZone } from '../lib/time';

/** The legal holds in force; nothing if there is none. */
export function Holds({
  tenants,
  zone,
}: {
  readonly tenants: readonly NamedTenant[];
  readonly zone: TimeZone;
}) {
  const [{ data }] = useQuery({ query: HoldsDocument });
  const inForce = data?.holds.filter(({ isInForce }) => isInForce) ?? [];
  if (inForce.length === 0) return null;
  return (
    <section>
      <Title order={2} size="h5" mb="xs">
        Legal holds
      </Title>
      <Table.ScrollContainer minWidth={600}>
        <Table withTableBorder striped fz="sm">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Tenant</Table.Th>
              <Table.Th>Events held</Table.Th>
              <Table.Th>Reason</Table.Th>
              <Table.Th>Since</Table.Th>
              <Table.Th>Until</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {inForce.map((hold) => (
              <Table.Tr key={hold.holdId}>
                <Table.Td>
                  <NameCell name={nameOf(tenants, hold.tenantId)} />
                </Table.Td>
                <Table.Td>{hold.filter ?? 'every event'}</Table.Td>
                <Table.Td>{hold.reason}</Table.Td>
                <Table.Td>
                  {formatTime(hold.createdAt, zone)} by {hold.createdBy}
                </Table.Td>
                <Table.Td>
                  {hold.until === null ? 'an operator ends it' : formatTime(hold.until, zone)}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </section>
  );
}
