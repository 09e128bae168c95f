import { useElementSize } from '@mantine/hooks';
import { useEffect, useRef } from 'react';
import UPlot from 'uplot';
import { formatCount } from '../lib/numbers';
import type { TimeZone } from '../lib/time';
import type { Stretch } from './coverage/missing';
import classes from './explore.module.css';
import { GapLane } from './gap-lane';
import type { Bucket, Histogram } from './histogram';
import { type HistogramColors, useHistogramColors } from './histogram-colors';
import { ticksOf } from './histogram-ticks';

const HEIGHT = 96;
/** Room for the label of a tick: `2025-04-15`, or a time with seconds. */
const LABEL_PX = 80;
/** Room for the axis of counts. */
const COUNTS_PX = 52;
/** Room for the axis of times: two lines. */
const TIMES_PX = 32;
const AXIS_FONT = '11px Geist, system-ui, sans-serif';

interface Props {
  readonly histogram: Histogram;
  readonly missing: readonly Stretch[];
  readonly zone: TimeZone;
  readonly onZoom: (fromMs: number, toMs: number) => void;
  readonly onHover: (bucket: Bucket | null) => void;
}

export function HistogramChart({ histogram, missing, zone, onZoom, onHover }: Props) {
  const { ref: sizeRef, width } = useElementSize();
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<UPlot | null>(null);
  const colors = useHistogramColors();
  const events = useRef({ onZoom, onHover });
  events.current = { onZoom, onHover };

  useEffect(() => {
    if (width === 0) return;
    // It measures the page, which may take long where rows came with it: not in the task that draws them.
    const timer = setTimeout(() => {
      if (!place.current) return;
      chart.current?.destroy();
      chart.current = new UPlot(
        {
          ...optionsOf(histogram, zone, colors, width),
          hooks: {
            draw: [(self) => hatch(self, missing, colors.text)],
            setSelect: [
              (self) => {
                const { left, width: wide } = self.select;
                if (wide === 0) return;
                events.current.onZoom(
                  Math.floor(self.posToVal(left, 'x') * 1000),
                  Math.ceil(self.posToVal(left + wide, 'x') * 1000),
                );
              },
            ],
            setCursor: [
              (self) => {
                const index = bucketAt(histogram, self.cursor.left ?? -1, (at) => self.posToVal(at, 'x'));
                events.current.onHover(index);
              },
            ],
          },
        },
        dataOf(histogram),
        place.current,
      );
    });
    return () => clearTimeout(timer);
  }, [histogram, missing, zone, colors, width]);
  useEffect(() => () => chart.current?.destroy(), []);

  const range = { fromMs: Date.parse(histogram.startTime ?? ''), toMs: Date.parse(histogram.endTime ?? '') };
  return (
    <>
      <div ref={sizeRef} className={classes.chart} aria-hidden data-testid="histogram">
        <div ref={place} />
      </div>
      <GapLane missing={missing} {...range} zone={zone} beside={[COUNTS_PX, LABEL_PX / 2]} />
    </>
  );
}

function optionsOf(
  histogram: Histogram,
  zone: TimeZone,
  colors: HistogramColors,
  width: number,
): UPlot.Options {
  const { startTime, endTime } = histogram;
  const bars = UPlot.paths.bars?.({ size: [0.92], align: 1 });
  const axis = {
    stroke: colors.text,
    font: AXIS_FONT,
    gap: 2,
    grid: { stroke: colors.grid, width: 1 },
    ticks: { stroke: colors.grid, size: 4 },
  };
  const series = (color: string) => ({
    fill: color,
    stroke: color,
    width: 0,
    points: { show: false },
    ...(bars ? { paths: bars } : {}),
  });
  const range: [number, number] = [Date.parse(startTime ?? '') / 1000, Date.parse(endTime ?? '') / 1000];
  const plotPx = Math.max(LABEL_PX, width - COUNTS_PX - LABEL_PX / 2);
  const ticks = ticksOf(histogram, zone, ((range[1] - range[0]) * 1000 * LABEL_PX) / plotPx);
  return {
    width,
    height: HEIGHT,
    legend: { show: false },
    // Half of a label extends beyond the last tick.
    padding: [6, LABEL_PX / 2, null, null],
    cursor: { y: false, points: { show: false }, drag: { x: true, y: false, setScale: false } },
    scales: {
      x: { time: true, range: () => range },
      y: { range: (_self, _min, max) => [0, Math.max(1, max)] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: TIMES_PX,
        splits: () => ticks.map(({ ms }) => ms / 1000),
        values: () => ticks.map(({ label }) => label),
      },
      {
        ...axis,
        size: COUNTS_PX,
        incrs: WHOLE,
        space: 24,
        values: (_self, counts) => counts.map(formatCount),
      },
    ],
    series: [{}, series(colors.failed), series(colors.succeeded)],
  };
}

/** The steps of an axis of counts. */
const WHOLE = Array.from({ length: 10 }, (_, power) => [1, 2, 5].map((step) => step * 10 ** power)).flat();

/** Stacks the bars: the sum is drawn first and the successes over it, so that the visible rest are the failures. */
function dataOf({ buckets, bucketSeconds }: Histogram): UPlot.AlignedData {
  return [
    // The first bucket is cut to the range; its bar begins where the whole one would, so that all are equally wide.
    buckets.map(({ start }) => Math.floor(Date.parse(start) / 1000 / bucketSeconds) * bucketSeconds),
    buckets.map(({ succeeded, failed }) => succeeded + failed),
    buckets.map(({ succeeded }) => succeeded),
  ];
}

function bucketAt({ buckets }: Histogram, left: number, toSeconds: (left: number) => number): Bucket | null {
  if (left < 0) return null;
  const ms = toSeconds(left) * 1000;
  return buckets.find(({ start, end }) => Date.parse(start) <= ms && ms < Date.parse(end)) ?? null;
}

const HATCH_PX = 6;
const HATCHED_PX_MIN = 4;

/** Slanted lines over the bars where events may be missing. */
function hatch(self: UPlot, missing: readonly Stretch[], color: string): void {
  const { ctx } = self;
  const { left, top, width, height } = self.bbox;
  const at = (ms: number) => Math.min(left + width, Math.max(left, self.valToPos(ms / 1000, 'x', true)));
  ctx.save();
  ctx.strokeStyle = color;
  ctx.globalAlpha = 0.6;
  for (const { fromMs, toMs } of missing) {
    const start = at(fromMs);
    const wide = Math.max(HATCHED_PX_MIN, at(toMs) - start);
    ctx.save();
    ctx.beginPath();
    ctx.rect(start, top, wide, height);
    ctx.clip();
    ctx.beginPath();
    for (let x = start - height; x < start + wide; x += HATCH_PX) {
      ctx.moveTo(x, top + height);
      ctx.lineTo(x + height, top);
    }
    ctx.stroke();
    ctx.restore();
  }
  ctx.restore();
}
