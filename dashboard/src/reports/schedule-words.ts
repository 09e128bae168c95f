import type { ReportSchedulesQuery } from '../../generated/operations';
import type { In } from '../lib/texts';
import type { REPORTS } from './texts';

export type Schedule = ReportSchedulesQuery['reportSchedules'][number];

type Texts = In<typeof REPORTS>;

/** Their words are in the catalogue. */
export const TIMES = ['hourly', 'daily', 'weekly', 'monthly'] as const;

export function timesInWords(of: Pick<Schedule, 'every' | 'cron' | 'timeZone'>, t: Texts): string {
  const known = TIMES.find((value) => value === of.every);
  return `${known ? t[known] : of.cron}, ${of.timeZone}`;
}

export const recipientsOf = ({ emails, destinationId, formats }: Schedule, t: Texts) =>
  t.sentTo(
    formats.join(` ${t.and} `),
    emails.length > 0 ? emails.join(', ') : t.destination(destinationId ?? ''),
  );
