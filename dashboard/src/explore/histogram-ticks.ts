import { DAY_MS, formatClock, formatDate, HOUR_MS, MINUTE_MS, offsetMs, type TimeZone } from '../lib/time';

interface Bars {
  /** ISO 8601 in UTC: the part of the range that the bar counts. */
  readonly buckets: readonly { readonly start: string }[];
  /** Every bar begins at a multiple of its width since 1970, but for the first, which may be cut. */
  readonly bucketSeconds: number;
  /** The zone in which that is so. Null: UTC. */
  readonly timeZone?: string | null;
}

export interface Tick {
  readonly ms: number;
  /** The time of day where it tells something, and the date below the first of each day. */
  readonly label: string;
}

const SECOND_MS = 1_000;
/** Distances between ticks that people read easily. */
const STEPS_MS: readonly number[] = [
  ...[1, 2, 5, 10, 15, 30].map((n) => n * SECOND_MS),
  ...[1, 2, 5, 10, 15, 30].map((n) => n * MINUTE_MS),
  ...[1, 2, 3, 6, 12].map((n) => n * HOUR_MS),
  ...[1, 2, 7, 14, 28, 91, 182, 364].map((n) => n * DAY_MS),
];

const modulo = (n: number, by: number) => ((n % by) + by) % by;

/**
 * The ticks of the time axis: starts of bars, at round times of the zone's clock where bars begin there.
 * @param atLeastMs the smallest distance of two ticks, so that their labels do not touch
 */
export function ticksOf(bars: Bars, zone: TimeZone, atLeastMs: number): readonly Tick[] {
  const widthMs = bars.bucketSeconds * 1000;
  const stepMs = stepOf(widthMs, atLeastMs);
  const starts = bars.buckets.map(({ start }) => Date.parse(start));
  const ofBars = bars.timeZone ?? 'UTC';
  const whole = starts.filter((ms) => modulo(ms + offsetMs(ms, ofBars), widthMs) === 0);
  const round = whole.filter((ms) => {
    const clockMs = ms + offsetMs(ms, zone);
    return modulo(clockMs, stepMs) === modulo(clockMs, widthMs);
  });
  const ticks: number[] = [];
  // Where the clock changes, two round times may be closer.
  for (const ms of round) if (ms - (ticks.at(-1) ?? Number.NEGATIVE_INFINITY) >= atLeastMs) ticks.push(ms);
  return labelled(ticks.length > 0 ? ticks : starts.slice(0, 1), stepMs, zone);
}

/** The smallest step of whole bars that leaves enough room. */
function stepOf(widthMs: number, atLeastMs: number): number {
  const step = STEPS_MS.find((ms) => ms >= atLeastMs && ms % widthMs === 0);
  return step ?? Math.max(1, Math.ceil(atLeastMs / widthMs)) * widthMs;
}

function labelled(ticks: readonly number[], stepMs: number, zone: TimeZone): readonly Tick[] {
  const clocks = ticks.map((ms) => formatClock(ms, zone));
  const areDays = stepMs >= DAY_MS && clocks.every((clock) => clock === '00:00:00');
  const dates = ticks.map((ms) => formatDate(ms, zone));
  return ticks.map((ms, i) => {
    const clock = clocks[i]?.slice(0, stepMs < MINUTE_MS ? 8 : 5);
    if (areDays) return { ms, label: dates[i] ?? '' };
    return { ms, label: dates[i] === dates[i - 1] ? `${clock}` : `${clock}\n${dates[i]}` };
  });
}
