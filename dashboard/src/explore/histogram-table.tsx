import { Button, ScrollArea, Table } from '@mantine/core';
import { COMMON } from '../lib/common';
import { useTexts } from '../lib/language';
import { formatCount } from '../lib/numbers';
import { formatTime, type TimeZone } from '../lib/time';
import type { Bucket } from './histogram';
import { EXPLORE } from './texts';

interface Props {
  readonly buckets: readonly Bucket[];
  readonly zone: TimeZone;
  readonly onZoom: (fromMs: number, toMs: number) => void;
}

/** The numbers of the chart, without intervals that have no events. */
export function HistogramTable({ buckets, zone, onZoom }: Props) {
  const common = useTexts(COMMON);
  const t = useTexts(EXPLORE);
  return (
    <ScrollArea.Autosize mah={260} mt="xs" viewportProps={{ tabIndex: 0, 'aria-label': t.overTimeTable }}>
      <Table withTableBorder fz="sm">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{common.from}</Table.Th>
            <Table.Th>{common.to}</Table.Th>
            <Table.Th ta="right">{t.succeeded}</Table.Th>
            <Table.Th ta="right">{t.failed}</Table.Th>
            <Table.Th>{t.zoom}</Table.Th>
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
                    aria-label={t.zoomTo(formatTime(start, zone))}
                    onClick={() => onZoom(Date.parse(start), Date.parse(end))}
                  >
                    {t.zoom}
                  </Button>
                </Table.Td>
              </Table.Tr>
            ))}
        </Table.Tbody>
      </Table>
    </ScrollArea.Autosize>
  );
}
