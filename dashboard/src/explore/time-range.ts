import { DAY_MS, HOUR_MS, MINUTE_MS } from '../lib/time';

/** Ranges that end now, by their name in the URL. */
export const RANGES = {
  '15m': { label: 'Last 15 minutes', ms: 15 * MINUTE_MS },
  '1h': { label: 'Last hour', ms: HOUR_MS },
  '6h': { label: 'Last 6 hours', ms: 6 * HOUR_MS },
  '24h': { label: 'Last 24 hours', ms: DAY_MS },
  '7d': { label: 'Last 7 days', ms: 7 * DAY_MS },
  '30d': { label: 'Last 30 days', ms: 30 * DAY_MS },
  '90d': { label: 'Last 90 days', ms: 90 * DAY_MS },
  all: { label: 'All time', ms: null },
} as const;
export type RangeName = keyof typeof RANGES;
export const RANGE_NAMES = Object.keys(RANGES) as RangeName[];
export const isRangeName = (text: string | null): text is RangeName =>
  text !== null && Object.hasOwn(RANGES, text);

/** A range by its name, or fixed: ISO 8601 in UTC, from inclusive, to exclusive. */
export type TimeRange =
  | { readonly name: RangeName }
  | { readonly name: null; readonly from: string; readonly to: string };

export interface Bounds {
  readonly startTime?: string;
  readonly endTime?: string;
}

/** The range as the service's parameters, as seen from `nowMs`. */
export function boundsOf(range: TimeRange, nowMs: number): Bounds {
  if (range.name === null) return { startTime: range.from, endTime: range.to };
  const { ms } = RANGES[range.name];
  return ms === null
    ? {}
    : { startTime: new Date(nowMs - ms).toISOString(), endTime: new Date(nowMs).toISOString() };
}

export const fixedRange = (fromMs: number, toMs: number): TimeRange => ({
  name: null,
  from: new Date(fromMs).toISOString(),
  to: new Date(toMs).toISOString(),
});

/** The same middle, `factor` times as long, and never shorter than a second. */
export function scaleRange(fromMs: number, toMs: number, factor: number): TimeRange {
  const half = Math.max(500, ((toMs - fromMs) * factor) / 2);
  const middle = (fromMs + toMs) / 2;
  return fixedRange(Math.floor(middle - half), Math.ceil(middle + half));
}

/** As long, earlier (-1) or later (1) by half its length. */
export function shiftRange(fromMs: number, toMs: number, direction: -1 | 1): TimeRange {
  const by = ((toMs - fromMs) / 2) * direction;
  return fixedRange(fromMs + by, toMs + by);
}
