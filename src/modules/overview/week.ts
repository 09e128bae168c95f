import { clampTicks, formatTicks, HOUR_MS, TICKS_PER_MS } from '../../event/event-time';
import type { TimeRange } from '../../event/query';

export const WEEK_HOURS = 7 * 24;
const KNOWN_HOURS = 30 * 24;

/** Whole hours, so that counts answer without reading events. */
export interface Week {
  readonly week: TimeRange;
  readonly before: TimeRange;
  /** The 30 days before the week: what occurs in them is known. */
  readonly known: TimeRange;
  /** The 30 days before the end of the week. */
  readonly month: TimeRange;
}

/** @param atMs a moment in the last hour of the week */
export function weekOf(atMs: number): Week {
  const end = Math.floor(atMs / HOUR_MS) + 1;
  const hours = (from: number, to: number): TimeRange => ({ from: ticksOf(from), to: ticksOf(to) });
  const start = end - WEEK_HOURS;
  return {
    week: hours(start, end),
    before: hours(start - WEEK_HOURS, start),
    known: hours(start - KNOWN_HOURS, start),
    month: hours(end - KNOWN_HOURS, end),
  };
}

const ticksOf = (hour: number) => BigInt(hour * HOUR_MS) * TICKS_PER_MS;

/** An end of a range as the API writes it. */
export const textOf = (ticks: bigint | null): string => formatTicks(clampTicks(ticks ?? 0n));
