import { Button, ColorSwatch, Group, Paper, Text, VisuallyHidden } from '@mantine/core';
import { memo, useState } from 'react';
import type { UseQueryState } from 'urql';
import type { HistogramQuery } from '../../generated/operations';
import { formatCount } from '../lib/numbers';
import { DAY_MS, formatSpan, formatTime, type TimeZone } from '../lib/time';
import { Toolbar } from '../lib/toolbar';
import { Failed, Loading } from '../shell/states';
import type { Stretch } from './coverage/missing';
import type { Bucket } from './histogram';
import { HistogramChart } from './histogram-chart';
import { useHistogramColors } from './histogram-colors';
import { HistogramTable } from './histogram-table';
import { fixedRange, scaleRange, shiftRange, type TimeRange } from './time-range';
import type { Change } from './use-explore-state';

interface Props {
  readonly result: UseQueryState<HistogramQuery>;
  /** Stretches in which events may be missing. */
  readonly missing: readonly Stretch[];
  readonly zone: TimeZone;
  readonly change: (change: Change) => void;
  readonly retry: () => void;
  readonly isTable: boolean;
}

/** Events over time. The buttons and the table do for a keyboard what dragging does for a mouse. */
export const HistogramPanel = memo(function HistogramPanel(props: Props) {
  const { result, missing, zone, change, retry, isTable } = props;
  const [hovered, setHovered] = useState<Bucket | null>(null);
  if (result.error) return <Failed error={result.error} retry={retry} />;
  const histogram = result.data?.auditHistogram;
  if (!histogram) return <Loading what="the histogram" />;
  const { startTime, endTime, buckets, bucketSeconds, timeZone } = histogram;
  if (!startTime || !endTime) return null;

  const [from, to] = [Date.parse(startTime), Date.parse(endTime)];
  const go = (range: TimeRange) => change({ range });
  const zoom = (fromMs: number, toMs: number) => go(fixedRange(fromMs, toMs));
  const buttons = [
    { label: 'Earlier', range: shiftRange(from, to, -1) },
    { label: 'Later', range: shiftRange(from, to, 1) },
    { label: 'Zoom in', range: scaleRange(from, to, 0.5) },
    { label: 'Zoom out', range: scaleRange(from, to, 2) },
  ];
  return (
    <Paper withBorder px={6} py={2} component="section" aria-label="Events over time">
      <Group justify="space-between" gap="xs">
        <Group gap="xs" aria-hidden>
          <LegendItem of="succeeded" label="Succeeded" />
          <LegendItem of="failed" label="Failed" />
          <Text size="xs" c="dimmed">
            {hovered
              ? describe(hovered, zone)
              : `Bars of ${formatSpan(bucketSeconds * 1000)}${zone !== 'UTC' && !timeZone && bucketSeconds * 1000 >= DAY_MS ? ' of UTC' : ''}. Drag to zoom.`}
          </Text>
        </Group>
        <Toolbar label="Move over time" gap={4}>
          {buttons.map(({ label, range }) => (
            <Button
              key={label}
              size="compact-xs"
              variant="subtle"
              color="gray"
              c="inherit"
              onClick={() => go(range)}
            >
              {label}
            </Button>
          ))}
          <Button
            size="compact-xs"
            variant="subtle"
            color="gray"
            c="inherit"
            aria-expanded={isTable}
            onClick={() => change({ chart: isTable ? 'bars' : 'table' })}
          >
            {isTable ? 'Hide table' : 'As a table'}
          </Button>
        </Toolbar>
      </Group>
      <VisuallyHidden>{summarize(buckets)}</VisuallyHidden>
      <HistogramChart
        histogram={histogram}
        missing={missing}
        zone={zone}
        onZoom={zoom}
        onHover={setHovered}
      />
      {isTable && <HistogramTable buckets={buckets} zone={zone} onZoom={zoom} />}
    </Paper>
  );
});

function LegendItem(props: { readonly of: 'succeeded' | 'failed'; readonly label: string }) {
  const colors = useHistogramColors();
  return (
    <Group gap={4}>
      <ColorSwatch color={colors[props.of]} size={12} radius={2} withShadow={false} />
      <Text size="xs">{props.label}</Text>
    </Group>
  );
}

const describe = ({ start, end, succeeded, failed }: Bucket, zone: TimeZone): string =>
  `${formatTime(start, zone)} – ${formatTime(end, zone)}: ${formatCount(succeeded)} succeeded, ${formatCount(failed)} failed`;

function summarize(buckets: readonly Bucket[]): string {
  const sum = (of: (bucket: Bucket) => number) =>
    formatCount(buckets.reduce((total, each) => total + of(each), 0));
  return `A chart of ${sum((b) => b.succeeded)} events that succeeded and ${sum((b) => b.failed)} that failed.`;
}
