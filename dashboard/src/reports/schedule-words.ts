import type { ReportSchedulesQuery } from '../../generated/operations';

export type Schedule = ReportSchedulesQuery['reportSchedules'][number];

export const TIMES = [
  { value: 'hourly', label: 'each hour, 15 minutes past' },
  { value: 'daily', label: 'each day at 6:00' },
  { value: 'weekly', label: 'each Monday at 6:00' },
  { value: 'monthly', label: 'on the first of each month at 6:00' },
];

export const timesInWords = ({ every, cron, timeZone }: Pick<Schedule, 'every' | 'cron' | 'timeZone'>) =>
  `${TIMES.find(({ value }) => value === every)?.label ?? cron}, ${timeZone}`;

export const recipientsOf = ({ emails, destinationId, formats }: Schedule) =>
  `${formats.join(' and ')} to ${emails.length > 0 ? emails.join(', ') : `destination ${destinationId}`}`;
