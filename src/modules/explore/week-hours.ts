import { DomainError } from '../../errors';
import { HOUR_MS } from '../../event/event-time';
import type { Zone } from '../../event/zone';
import { LIMITS } from '../../limits';
import type { HistogramBucket, WeekHour, WeekHours } from './explorer';

type Outcomes = Pick<HistogramBucket, 'succeeded' | 'failed'>;

const HOURS = 7 * 24;
/** 1970 began on a Thursday. */
const FIRST_WEEKDAY = 3;
const NOTHING: WeekHour = { succeeded: 0, failed: 0, busiestMs: null, busiest: 0 };
export const NO_WEEK_HOURS: WeekHours = { from: null, to: null, hours: Array(HOURS).fill(NOTHING) };

export const tooManyHours = () =>
  new DomainError('invalid_parameter', {
    public: `The range has more than ${LIMITS.histogramPartsMax} hours, or hours of the time zone cannot be counted: narrow the range.`,
  });

/** Adds parts of hours up by the hours that the clock of a zone shows. @param counted by the number of the part */
export function weekHoursOf(
  counted: ReadonlyMap<number, Outcomes>,
  partMs: number,
  zone: Zone,
): Pick<WeekHours, 'hours'> {
  /** By the beginning of the hour. An hour that the clock shows twice is two hours. */
  const single = new Map<number, { place: number; succeeded: number; failed: number }>();
  for (const [part, { succeeded, failed }] of counted) {
    const ms = part * partMs;
    const local = ms + zone.offsetMs(ms);
    const start = ms - modulo(local, HOUR_MS);
    const place = modulo(Math.floor(local / HOUR_MS) + FIRST_WEEKDAY * 24, HOURS);
    const known = single.get(start) ?? { place, succeeded: 0, failed: 0 };
    single.set(start, { place, succeeded: known.succeeded + succeeded, failed: known.failed + failed });
  }
  const hours: WeekHour[] = Array(HOURS).fill(NOTHING);
  for (const [start, { place, succeeded, failed }] of single) {
    const all = hours[place] as WeekHour;
    const own = succeeded + failed;
    if (own === 0) continue;
    const isMore = own > all.busiest || (own === all.busiest && start > (all.busiestMs ?? 0));
    hours[place] = {
      succeeded: all.succeeded + succeeded,
      failed: all.failed + failed,
      busiestMs: isMore ? start : all.busiestMs,
      busiest: isMore ? own : all.busiest,
    };
  }
  return { hours };
}

const modulo = (n: number, by: number) => ((n % by) + by) % by;
