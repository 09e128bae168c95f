import { ScrollArea, Text } from '@mantine/core';
import { Link } from 'wouter';
import { showHidden } from '../explore/event/marks';
import { only } from '../explore/filter/edit';
import { useTexts } from '../lib/language';
import { formatCount } from '../lib/numbers';
import type { TimeZone } from '../lib/time';
import classes from './overview.module.css';
import { OVERVIEW } from './texts';
import { type Day, daysOf, eventsIn, type Overview, sumOf, weekdayIn, weekdayOf, weekHref } from './week';

const HEIGHT = 120;

interface Series {
  /** Null: all other servers, and events that name none. */
  readonly name: string | null;
  readonly hours: readonly number[];
  readonly filter: string;
}

/** Events of each day, one part of a bar for each server. The table below has the same numbers for the keyboard. */
export function ServersChart({ overview, zone }: { readonly overview: Overview; readonly zone: TimeZone }) {
  const t = useTexts(OVERVIEW);
  const days = daysOf(overview, zone);
  const dayText = (date: string) => `${weekdayIn(t.weekdays, weekdayOf(date))} ${date.slice(8)}`;
  const labelOf = ({ name }: Series) => (name === null ? t.others : showHidden(name));
  const series = seriesOf(overview);
  const most = Math.max(1, ...days.map((day) => eventsIn(overview.hours, day)));
  const href = (of: Series, day?: Day) => weekHref(overview, of.filter, day);
  return (
    <>
      <div className={classes.bars} aria-hidden>
        {days.map((day) => (
          <div key={day.date} className={classes.bar}>
            <div className={classes.stack} style={{ height: HEIGHT }}>
              {series.map((one, place) => {
                const events = eventsIn(one.hours, day);
                const height = Math.max(events > 0 ? 1 : 0, (HEIGHT * events) / most);
                return (
                  <Link
                    key={one.name ?? ''}
                    data-series={place}
                    style={{ height }}
                    title={`${labelOf(one)}, ${day.date}: ${formatCount(events)}`}
                    href={href(one, day)}
                    tabIndex={-1}
                  />
                );
              })}
            </div>
            <span>{dayText(day.date)}</span>
          </div>
        ))}
      </div>
      <ScrollArea viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': t.byServerAndDay }}>
        <table className={classes.servers}>
          <thead>
            <tr>
              <th scope="col">{t.server}</th>
              <th scope="col">{t.week}</th>
              {days.map(({ date }) => (
                <th key={date} scope="col">
                  {dayText(date)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {series.map((one, place) => (
              <tr key={one.name ?? ''}>
                <th scope="row">
                  <span className={classes.swatch} data-series={place} aria-hidden />
                  {labelOf(one)}
                </th>
                <td>
                  <Link href={href(one)}>{formatCount(sumOf(one.hours))}</Link>
                </td>
                {days.map((day) => {
                  const events = eventsIn(one.hours, day);
                  return (
                    <td key={day.date}>
                      {events > 0 && <Link href={href(one, day)}>{formatCount(events)}</Link>}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollArea>
      {overview.serverCount > overview.servers.length && (
        <Text size="xs" c="dimmed">
          {t.serverCount(overview.serverCount)}
        </Text>
      )}
    </>
  );
}

function seriesOf({ servers, hours }: Overview): Series[] {
  const named = servers.map(
    ({ serverInstanceName, hours: own }): Series => ({
      name: serverInstanceName,
      hours: own,
      filter: only('', 'serverInstanceName', serverInstanceName),
    }),
  );
  const others = hours.map((all, hour) => all - sumOf(servers.map((one) => one.hours[hour] ?? 0)));
  if (sumOf(others) <= 0) return named;
  const names = servers.map(({ serverInstanceName }) => only('', 'serverInstanceName', serverInstanceName));
  const filter = names.map((each) => `NOT ${each}`).join(' AND ');
  return [...named, { name: null, hours: others, filter }];
}
