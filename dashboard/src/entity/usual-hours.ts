import type { EntityQuery } from '../../generated/operations';
import { HOUR_MS, hourOf, type TimeZone } from '../lib/time';

type Counted = Pick<NonNullable<EntityQuery['entity']>, 'startTime' | 'recentTime' | 'hours'>;

/** The events of an hour of the clock, in the last 7 days and in the 30 days before. */
export interface ClockHour {
  readonly known: number;
  readonly recent: number;
}

/** The 24 hours of the clock in the zone. */
export function clockHours({ startTime, recentTime, hours }: Counted, zone: TimeZone): readonly ClockHour[] {
  const clock = Array.from({ length: 24 }, () => ({ known: 0, recent: 0 }));
  const [startMs, recentMs] = [Date.parse(startTime), Date.parse(recentTime)];
  for (const [place, events] of hours.entries()) {
    const at = startMs + place * HOUR_MS;
    const of = clock[hourOf(at, zone)];
    if (of) of[at < recentMs ? 'known' : 'recent'] += events;
  }
  return clock;
}
