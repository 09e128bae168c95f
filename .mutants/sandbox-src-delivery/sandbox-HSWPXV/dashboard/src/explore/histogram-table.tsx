import { Button, ScrollArea, Table } from '@mantine/core';
import { formatCount } from '../lib/numbers';
import { formatTime, type TimeZone } from '../lib/time';
import type { Bucket } from './histogram';

interface Props {
  readonly buckets: readonly Bucket[];
  readonly zone: TimeZone;
  readonly onZoom: (fromMs: number, toMs: number) => void;
}

/** The numbers of the chart, without intervals that have no events. */
export function HistogramTable({ buckets, zone, onZoom }: Props) {
  return (
    <ScrollArea.Autosize
      mah={260}
      mt="xs"
      viewportProps={{ tabIndex: 0, 'aria-label': 'Events over time, as a table' }}
    >
      <Table withTableBorder striped fz="sm">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>From</Table.Th>
            <Table.Th>To</Table.Th>
            <Table.Th ta="right">Succeeded</Table.Th>
            <Table.Th ta="right">Failed</Table.Th>
            <Table.Th>Zoom</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {buckets
            .filter(({ succeeded, failed }) => succeeded + failed > 0)
            .map(({ start, end, succeeded, failed }) => (
              <Table.Tr key={start}>
                <Table.Td>{formatTime(start, zone)}</Table.Td>
                <Table.Td>{formatTime(end, zone)}</Table.Td>
                <Table.Td ta="right">{formatCount(succeeded)}</Table.Td>
                <Table.Td ta="right">{formatCount(failed)}</Table.Td>
                <Table.Td>
                  <Button
                    size="compact-xs"
                    variant="default"
                    aria-label={`Zoom to ${formatTime(start, zone)}`}
                    onClick={() => onZoom(Date.parse(start), Date.parse(end))}
                  >
                    Zoom
                  </Button>
                </Table.Td>
              </Table.Tr>
            ))}
        </Table.Tbody>
      </Table>
    </ScrollArea.Autosize>
  );
}
