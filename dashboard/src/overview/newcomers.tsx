import { Text } from '@mantine/core';
import { Link } from 'wouter';
import { showHidden } from '../explore/event/marks';
import { only } from '../explore/filter/edit';
import { counted, formatCount } from '../lib/numbers';
import { formatTime, type TimeZone } from '../lib/time';
import classes from './overview.module.css';
import { type Overview, weekHref } from './week';

const TITLES = { serverPrincipalName: 'Logins', hostName: 'Hosts', applicationName: 'Programs' } as const;

/** Logins, hosts and programs that the 30 days before the week lack. */
export function Newcomers({ overview, zone }: { readonly overview: Overview; readonly zone: TimeZone }) {
  const { newcomers } = overview;
  if (!newcomers)
    return (
      <Text size="sm" c="dimmed">
        The 30 days before have no events to compare with, or comparing them took too long.
      </Text>
    );
  return (
    <div className={classes.newcomers}>
      {newcomers.map(({ field, count, values, events, firstTimes }) => (
        <div key={field}>
          <h3 className={classes.title}>
            {TITLES[field]} {formatCount(count)}
          </h3>
          <ul>
            {values.map((value, place) => (
              <li key={value}>
                <Link href={weekHref(overview, only('', field, value))}>{showHidden(value)}</Link>
                <Text span size="xs" c="dimmed">
                  {counted(events[place] ?? 0, 'event')}, first {formatTime(firstTimes[place] ?? '', zone)}
                </Text>
              </li>
            ))}
            {count > values.length && <li>and {formatCount(count - values.length)} more</li>}
            {count === 0 && <li>none</li>}
          </ul>
        </div>
      ))}
    </div>
  );
}
