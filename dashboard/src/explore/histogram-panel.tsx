import { Button, ColorSwatch, Group, Paper, Text, VisuallyHidden } from '@mantine/core';
import { memo, useState } from 'react';
import type { UseQueryState } from 'urql';
import type { HistogramQuery } from '../../generated/operations';
import { useTexts } from '../lib/language';
import { DAY_MS, formatSpan, formatTime, type TimeZone } from '../lib/time';
import { Toolbar } from '../lib/toolbar';
import { Failed, Loading } from '../shell/states';
import type { Stretch } from './coverage/missing';
import type { Bucket } from './histogram';
import { HistogramChart } from './histogram-chart';
import { useHistogramColors } from './histogram-colors';
import { HistogramTable } from './histogram-table';
import { EXPLORE } from './texts';
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

/** As high as the panel is where its head is one line, so that nothing below it moves when it comes. */
const PLACE_PX = 124;

/** Events over time. The buttons and the table do for a keyboard what dragging does for a mouse. */
export const HistogramPanel = memo(function HistogramPanel(props: Props) {
  const t = useTexts(EXPLORE);
  const { result, missing, zone, change, retry, isTable } = props;
  const [hovered, setHovered] = useState<Bucket | null>(null);
  if (result.error) return <Failed error={result.error} retry={retry} />;
  const histogram = result.data?.auditHistogram;
  if (!histogram)
    return (
      <Paper withBorder>
        <Loading what={t.theHistogram} rows={1} height={PLACE_PX - 2} />
      </Paper>
    );
  const { startTime, endTime, buckets, bucketSeconds, timeZone } = histogram;
  if (!startTime || !endTime) return null;

  const [from, to] = [Date.parse(startTime), Date.parse(endTime)];
  const go = (range: TimeRange) => change({ range });
  const zoom = (fromMs: number, toMs: number) => go(fixedRange(fromMs, toMs));
  const buttons = [
    { label: t.earlier, range: shiftRange(from, to, -1) },
    { label: t.later, range: shiftRange(from, to, 1) },
    { label: t.zoomIn, range: scaleRange(from, to, 0.5) },
    { label: t.zoomOut, range: scaleRange(from, to, 2) },
  ];
  return (
    <Paper withBorder px={6} py={2} component="section" aria-label={t.overTime}>
      <Group justify="space-between" gap="xs">
        <Group gap="xs" aria-hidden>
          <LegendItem of="succeeded" label={t.succeeded} />
          <LegendItem of="failed" label={t.failed} />
          <Text size="xs" c="dimmed">
            {hovered
              ? t.bar(
                  formatTime(hovered.start, zone),
                  formatTime(hovered.end, zone),
                  hovered.succeeded,
                  hovered.failed,
                )
              : t.bars(
                  formatSpan(bucketSeconds * 1000),
                  zone !== 'UTC' && !timeZone && bucketSeconds * 1000 >= DAY_MS,
                )}
          </Text>
        </Group>
        <Toolbar label={t.moveOverTime} gap={4}>
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
            {isTable ? t.hideTable : t.asTable}
          </Button>
        </Toolbar>
      </Group>
      <VisuallyHidden>{t.chart(sum(buckets, 'succeeded'), sum(buckets, 'failed'))}</VisuallyHidden>
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

const sum = (buckets: readonly Bucket[], of: 'succeeded' | 'failed'): number =>
  buckets.reduce((total, each) => total + each[of], 0);
