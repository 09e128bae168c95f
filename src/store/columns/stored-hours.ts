import type { Row } from '../../database/clients';
import { HOURS_PER_DAY } from '../counts/dimensions';

/** An hour of a tenant that has events. */
export interface StoredHour {
  readonly hour: number;
  /** The number of its events. */
  readonly n: number;
  /** Whether its columns hold. */
  readonly has: boolean;
  /** The version of its columns. Null: they do not hold, or a release before made them. */
  readonly version: string | null;
}

/** The hours of `hoursStatement`. */
export function hoursOf([row]: readonly Row[]): readonly StoredHour[] {
  if (typeof row?.hours !== 'string') return [];
  return row.hours.split(',').map((text) => {
    const [hour, n, version] = text.split(' ');
    return { hour: Number(hour), n: Number(n), has: version !== undefined, version: version || null };
  });
}

/** Hours of a day whose columns have versions. */
export interface DayOfHours {
  readonly hours: readonly number[];
  /** Other hours, and other columns of these hours, have another name. */
  readonly name: string;
}

/**
 * Puts hours together by their days, in order.
 * @param apart hours that are left out
 * @returns hours that are left out too, because they have no version, stand in `others`
 */
export function byDay(
  hours: readonly StoredHour[],
  apart: readonly number[],
): { readonly days: readonly DayOfHours[]; readonly others: readonly number[] } {
  const days: { day: number; hours: number[]; name: string }[] = [];
  const others: number[] = [];
  for (const { hour, version } of hours) {
    if (version === null || apart.includes(hour)) {
      others.push(hour);
      continue;
    }
    const day = Math.floor(hour / HOURS_PER_DAY);
    const last = days.at(-1);
    if (last?.day === day) {
      last.hours.push(hour);
      last.name += ` ${hour} ${version}`;
    } else days.push({ day, hours: [hour], name: `${hour} ${version}` });
  }
  return { days, others };
}
