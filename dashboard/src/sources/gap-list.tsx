import { Table, Text } from '@mantine/core';
import { GAP_REASONS } from '../../../src/event/source-report';
import { formatCount } from '../lib/numbers';
import { formatTime, type TimeZone } from '../lib/time';
import type { Source } from './source-state';

/** What could not be published, newest first. */
export function GapList({ source, zone }: { readonly source: Source; readonly zone: TimeZone }) {
  const time = (text: string | null) => (text ? formatTime(text, zone) : 'unknown');
  return (
    <>
      <Table.ScrollContainer minWidth={600}>
        <Table fz="sm" mt="xs">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Found</Table.Th>
              <Table.Th>What</Table.Th>
              <Table.Th>File</Table.Th>
              <Table.Th>Events missing between</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {source.gaps.map((gap) => (
              <Table.Tr key={gap.gapId}>
                <Table.Td>{time(gap.detectedAt)}</Table.Td>
                <Table.Td title={gap.detail}>{GAP_REASONS[gap.reason]}</Table.Td>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>{gap.fileName}</Table.Td>
                <Table.Td>
                  {time(gap.afterTime)} – {time(gap.beforeTime)}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {source.gapCount > source.gaps.length && (
        <Text size="xs" c="dimmed">
          The newest {formatCount(source.gaps.length)} of {formatCount(source.gapCount)}.
        </Text>
      )}
    </>
  );
}
