import type { WeekHoursQuery } from '../../../generated/operations';
import { csvLine } from '../../lib/csv';

export type WeekHoursAnswer = WeekHoursQuery['auditWeekHours'];

export interface WeekHour {
  /** 0: Monday. */
  readonly weekday: number;
  readonly clock: number;
  readonly events: number;
  readonly failed: number;
  /** The start of the hour of the range with the most of these events, and their number; empty: there are none. */
  readonly busiestTime: string;
  readonly busiest: number;
}

/** The 168 hours of a week. */
export const weekHoursOf = (answer: WeekHoursAnswer): readonly WeekHour[] =>
  answer.succeeded.map((succeeded, i) => ({
    weekday: Math.floor(i / 24),
    clock: i % 24,
    events: succeeded + (answer.failed[i] ?? 0),
    failed: answer.failed[i] ?? 0,
    busiestTime: answer.busiestTime[i] ?? '',
    busiest: answer.busiest[i] ?? 0,
  }));

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

/** The hours of a week as CSV, whose name states the time zone and the range. */
export function weekHoursCsv(answer: WeekHoursAnswer, zone: string) {
  const lines = [
    ['weekday', 'hour', 'events', 'failed', 'busiestTime', 'busiestEvents'],
    ...weekHoursOf(answer).map((hour) => [
      WEEKDAYS[hour.weekday] ?? '',
      ...[hour.clock, hour.events, hour.failed].map(String),
      hour.busiestTime,
      String(hour.busiest),
    ]),
  ];
  const days = [answer.startTime, answer.endTime].map((time) => (time ?? '').slice(0, 10)).join('-to-');
  return {
    name: `audit-activity-week-hours-${zone.replaceAll('/', '-')}-${days}.csv`,
    content: new Blob([lines.map(csvLine).join('')], { type: 'text/csv' }),
  };
}
