import { Table } from '@mantine/core';
import { useQuery } from 'urql';
import { SetAsideDocument } from '../../generated/operations';
import { useTexts } from '../lib/language';
import { useTimeZone } from '../lib/preferences';
import { formatTime } from '../lib/time';
import { Failed, Loading } from '../shell/states';
import { OPERATE } from './texts';

/** Events that a receiver refused while it accepted their neighbours, newest first. */
export function SetAsideList({ destinationId }: { readonly destinationId: string }) {
  const t = useTexts(OPERATE);
  const [zone] = useTimeZone();
  const [{ data, error }] = useQuery({
    query: SetAsideDocument,
    variables: { destinationId },
  });
  if (error) return <Failed error={error} />;
  if (!data) return <Loading what={t.whatIsSetAside} />;
  return (
    <Table.ScrollContainer minWidth={600}>
      <Table fz="sm" mt="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t.when}</Table.Th>
            <Table.Th>{t.position}</Table.Th>
            <Table.Th>{t.record}</Table.Th>
            <Table.Th>{t.receiverSaid}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {data.destinationSetAside.map(({ position, recordId, message, at }) => (
            <Table.Tr key={position}>
              <Table.Td>{formatTime(at, zone)}</Table.Td>
              <Table.Td>{position}</Table.Td>
              <Table.Td>
                <code>{recordId}</code>
              </Table.Td>
              <Table.Td style={{ overflowWrap: 'anywhere' }} lang="en">
                {message}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
