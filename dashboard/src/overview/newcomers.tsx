import { Text } from '@mantine/core';
import { Link } from 'wouter';
import { showHidden } from '../explore/event/marks';
import { only } from '../explore/filter/edit';
import { useTexts } from '../lib/language';
import { formatCount } from '../lib/numbers';
import { formatTime, type TimeZone } from '../lib/time';
import classes from './overview.module.css';
import { OVERVIEW } from './texts';
import { type Overview, weekHref } from './week';

/** Logins, hosts and programs that the 30 days before the week lack. */
export function Newcomers({ overview, zone }: { readonly overview: Overview; readonly zone: TimeZone }) {
  const t = useTexts(OVERVIEW);
  const { newcomers } = overview;
  if (!newcomers)
    return (
      <Text size="sm" c="dimmed">
        {t.nothingToCompare}
      </Text>
    );
  return (
    <div className={classes.newcomers}>
      {newcomers.map(({ field, count, values, events, firstTimes }) => (
        <div key={field}>
          <h3 className={classes.title}>
            {t[field]} {formatCount(count)}
          </h3>
          <ul>
            {values.map((value, place) => (
              <li key={value}>
                <Link href={weekHref(overview, only('', field, value))}>{showHidden(value)}</Link>
                <Text span size="xs" c="dimmed">
                  {t.eventsFirst(events[place] ?? 0, formatTime(firstTimes[place] ?? '', zone))}
                </Text>
              </li>
            ))}
            {count > values.length && <li>{t.more(count - values.length)}</li>}
            {count === 0 && <li>{t.none}</li>}
          </ul>
        </div>
      ))}
    </div>
  );
}
