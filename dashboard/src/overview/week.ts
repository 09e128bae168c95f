import type { OverviewQuery } from '../../generated/operations';
import { exploreHref } from '../alerts/explore-links';
import { fixedRange } from '../explore/time-range';
import { DAY_MS, formatDate, HOUR_MS, hourOf, type TimeZone } from '../lib/time';

export type Overview = OverviewQuery['overview'];

/** Hours of the week by their place from its beginning. */
interface Hours {
  /** Inclusive. */
  readonly first: number;
  /** Exclusive. */
  readonly end: number;
}

/** A day of the week in the zone. The first and the last may be parts of days. */
export interface Day extends Hours {
  /** `2026-11-23` */
  readonly date: string;
}

const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const;

/** `Mon`, of a date. */
export const weekdayOf = (date: string): string => WEEKDAYS[new Date(`${date}T12:00:00Z`).getUTCDay()] ?? '';

/** A weekday of the function above in another language. @param names as `Sun Mon …` */
export const weekdayIn = (names: string, weekday: string): string =>
  names.split(' ')[(WEEKDAYS as readonly string[]).indexOf(weekday)] ?? weekday;

/** The days that the hours of a week lie in, in their order. */
export function daysOf({ startTime, hours }: Pick<Overview, 'startTime' | 'hours'>, zone: TimeZone): Day[] {
  const days: Day[] = [];
  for (let hour = 0; hour < hours.length; hour++) {
    const date = formatDate(startOf(startTime, hour), zone);
    const last = days.at(-1);
    if (last?.date === date) days[days.length - 1] = { ...last, end: hour + 1 };
    else days.push({ date, first: hour, end: hour + 1 });
  }
  return days;
}

/** A square of the heat map: the hours of the week that a clock shows as this hour of this weekday. */
export interface Square extends Hours {
  readonly weekday: string;
  readonly clock: number;
  readonly date: string;
  readonly events: number;
}

/**
 * The squares by weekday, the last one being that of the week's end, each with 24 places. Null: where a clock is set
 * forward, it does not show that hour. Where it is set back, a square has two hours.
 */
export function squaresOf(
  { startTime, hours }: Pick<Overview, 'startTime' | 'hours'>,
  zone: TimeZone,
): { readonly weekday: string; readonly squares: readonly (Square | null)[] }[] {
  const rows = new Map<string, (Square | null)[]>();
  const names = daysOf({ startTime, hours }, zone).map(({ date }) => weekdayOf(date));
  for (const weekday of names.slice(-7)) rows.set(weekday, new Array<Square | null>(24).fill(null));
  for (const [hour, events] of hours.entries()) {
    const at = startOf(startTime, hour);
    const date = formatDate(at, zone);
    const weekday = weekdayOf(date);
    const clock = hourOf(at, zone);
    const row = rows.get(weekday);
    const known = row?.[clock];
    if (row)
      row[clock] =
        known && known.end === hour
          ? { ...known, end: hour + 1, events: known.events + events }
          : { weekday, clock, date, first: hour, end: hour + 1, events };
  }
  return [...rows].map(([weekday, squares]) => ({ weekday, squares }));
}

export const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, n) => sum + n, 0);

/** The events of some hours. */
export const eventsIn = (hours: readonly number[], { first, end }: Hours): number =>
  sumOf(hours.slice(first, end));

const startOf = (startTime: string, hour: number): number => Date.parse(startTime) + hour * HOUR_MS;

/** Explore, with the events of the week, or of some hours of it, that a filter finds. */
export function weekHref(
  { startTime, endTime }: Pick<Overview, 'startTime' | 'endTime'>,
  filter: string,
  hours?: Hours,
  more: Pick<Parameters<typeof exploreHref>[0], 'groupBy' | 'sumOf'> = {},
): string {
  const [fromMs, toMs] = hours
    ? [startOf(startTime, hours.first), startOf(startTime, hours.end)]
    : [Date.parse(startTime), Date.parse(endTime)];
  return exploreHref({ filter, range: fixedRange(fromMs, toMs), ...more });
}

/** The moment that ends the week before, or the week after, as `end` of the address has it. Null: now. */
export function neighbour({ endTime }: Pick<Overview, 'endTime'>, by: -1 | 1, nowMs: number): string | null {
  // The end of a week is exclusive, so it lies in the hour after.
  const at = Date.parse(endTime) - 1 + by * 7 * DAY_MS;
  return at >= nowMs ? null : new Date(at).toISOString();
}
