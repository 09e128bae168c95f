import type { In } from '../lib/texts';
import { DAY_MS, dayStart, HOUR_MS, MINUTE_MS, quarterStart, type TimeZone } from '../lib/time';
import type { EXPLORE } from './texts';

export const UNITS = ['m', 'h', 'd'] as const;
export type Unit = (typeof UNITS)[number];
const UNIT_MS: Readonly<Record<Unit, number>> = { m: MINUTE_MS, h: HOUR_MS, d: DAY_MS };
const LAST = { m: 'lastM', h: 'lastH', d: 'lastD' } as const;

/** The time range of a view. All kinds except `fixed` move with the clock. */
export type TimeRange =
  | { readonly kind: 'last'; readonly amount: number; readonly unit: Unit }
  /** `quarter` is the last quarter of a year that ended. */
  | { readonly kind: 'today' | 'yesterday' | 'quarter' | 'all' }
  /** The most recent night that ended; hours of the clock, from 0 to 23. */
  | { readonly kind: 'night'; readonly from: number; readonly to: number }
  /** ISO 8601 in UTC, from inclusive, to exclusive. */
  | { readonly kind: 'fixed'; readonly from: string; readonly to: string };

export interface Bounds {
  readonly startTime?: string;
  readonly endTime?: string;
}

export const last = (amount: number, unit: Unit): TimeRange => ({ kind: 'last', amount, unit });
export const ALL: TimeRange = { kind: 'all' };
export const AMOUNT_MAX = 9_999;

/** The ranges that the menu offers. */
export const COMMON_RANGES: readonly TimeRange[] = [
  ...[last(15, 'm'), last(1, 'h'), last(6, 'h'), last(24, 'h')],
  ...[last(7, 'd'), last(30, 'd'), last(90, 'd'), { kind: 'quarter' } as const, ALL],
];

/** Whether the end of the range moves with the clock. */
export const endsNow = ({ kind }: TimeRange): boolean => kind === 'last' || kind === 'today';

/** The range as the service's parameters, as seen from `nowMs` in a zone. */
export function boundsOf(range: TimeRange, nowMs: number, zone: TimeZone): Bounds {
  const between = (fromMs: number, toMs: number): Bounds => ({
    startTime: new Date(fromMs).toISOString(),
    endTime: new Date(toMs).toISOString(),
  });
  switch (range.kind) {
    case 'all':
      return {};
    case 'fixed':
      return { startTime: range.from, endTime: range.to };
    case 'last':
      return between(nowMs - range.amount * UNIT_MS[range.unit], nowMs);
    case 'today':
      return between(dayStart(nowMs, zone), nowMs);
    case 'yesterday':
      return between(dayStart(nowMs, zone, -1), dayStart(nowMs, zone));
    case 'quarter':
      return between(quarterStart(nowMs, zone, -1), quarterStart(nowMs, zone));
    case 'night':
      return between(...nightBefore(range, nowMs, zone));
  }
}

function nightBefore(night: { from: number; to: number }, nowMs: number, zone: TimeZone): [number, number] {
  const endToday = dayStart(nowMs, zone, 0, night.to);
  const day = endToday <= nowMs ? 0 : -1;
  const startDay = night.from < night.to ? day : day - 1;
  return [dayStart(nowMs, zone, startDay, night.from), dayStart(nowMs, zone, day, night.to)];
}

/** The range in the URL, such as `7d`, `yesterday`, `night-20-6`; null: fixed. */
export function rangeText(range: TimeRange): string | null {
  if (range.kind === 'fixed') return null;
  if (range.kind === 'last') return `${range.amount}${range.unit}`;
  return range.kind === 'night' ? `night-${range.from}-${range.to}` : range.kind;
}

/** Null: the text names no range. */
export function parseRange(text: string | null): TimeRange | null {
  if (text === 'today' || text === 'yesterday' || text === 'quarter' || text === 'all') return { kind: text };
  const [, amount, unit] = /^([1-9]\d{0,3})([mhd])$/.exec(text ?? '') ?? [];
  if (amount && unit) return last(Number(amount), unit as Unit);
  const [, from, to] = /^night-(\d{1,2})-(\d{1,2})$/.exec(text ?? '') ?? [];
  const night = { from: Number(from), to: Number(to) };
  return from && to && night.from < 24 && night.to < 24 && night.from !== night.to
    ? { kind: 'night', ...night }
    : null;
}

/** The name of the range for a reader; null: fixed. */
export function rangeLabel(range: TimeRange, t: In<typeof EXPLORE>): string | null {
  if (range.kind === 'fixed') return null;
  if (range.kind === 'night') return t.lastNightOf(clock(range.from), clock(range.to));
  if (range.kind !== 'last') return t[range.kind];
  return t[LAST[range.unit]](range.amount);
}

const clock = (hour: number) => `${String(hour).padStart(2, '0')}:00`;

export const fixedRange = (fromMs: number, toMs: number): TimeRange => ({
  kind: 'fixed',
  from: new Date(fromMs).toISOString(),
  to: new Date(toMs).toISOString(),
});

/** The period of the same length before the range; null: the range is unbounded. */
export function before({ startTime, endTime }: Partial<Record<keyof Bounds, unknown>>): Bounds | null {
  const [fromMs, toMs] = [startTime, endTime].map((text) => Date.parse(String(text)));
  if (fromMs === undefined || toMs === undefined || !(fromMs < toMs)) return null;
  return { startTime: new Date(2 * fromMs - toMs).toISOString(), endTime: new Date(fromMs).toISOString() };
}

/** A range with the same middle that is `factor` times as long, and at least a second. */
export function scaleRange(fromMs: number, toMs: number, factor: number): TimeRange {
  const half = Math.max(500, ((toMs - fromMs) * factor) / 2);
  const middle = (fromMs + toMs) / 2;
  return fixedRange(Math.floor(middle - half), Math.ceil(middle + half));
}

/** A range of the same length that is earlier (-1) or later (1) by half its length. */
export function shiftRange(fromMs: number, toMs: number, direction: -1 | 1): TimeRange {
  const by = ((toMs - fromMs) / 2) * direction;
  return fixedRange(fromMs + by, toMs + by);
}
