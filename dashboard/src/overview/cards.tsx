import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { formatCount, formatDigits } from '../lib/numbers';
import { formatDate, formatSpan, type TimeZone } from '../lib/time';
import { beforeText, changeText } from './change';
import classes from './overview.module.css';
import { type Overview, weekHref } from './week';

/** The numbers of the week, each beside that of the week before. */
export function Cards({ overview }: { readonly overview: Overview }) {
  const { all, failedLogins, privilegeChanges, rowsRead } = overview;
  return (
    <ul className={classes.cards}>
      <Card title="Failed logins" now={failedLogins.events} before={failedLogins.before ?? null}>
        <Link href={weekHref(overview, failedLogins.filter)}>{formatCount(failedLogins.events)}</Link>
      </Card>
      <Card
        title={rowsRead && rowsRead.objects > 0 ? 'Rows read from sensitive tables' : 'Rows read'}
        now={rowsRead?.rows ?? '0'}
        before={rowsRead?.before ?? null}
        note={rowsRead ? rowsNote(rowsRead) : 'Adding them up took too long.'}
      >
        {rowsRead ? (
          <Link
            href={weekHref(overview, rowsRead.filter, undefined, {
              groupBy: ['serverPrincipalName'],
              sumOf: 'responseRows',
            })}
          >
            {formatDigits(rowsRead.rows)}
          </Link>
        ) : (
          '–'
        )}
      </Card>
      <Card title="Privilege changes" now={privilegeChanges.events} before={privilegeChanges.before ?? null}>
        <Link href={weekHref(overview, privilegeChanges.filter)}>{formatCount(privilegeChanges.events)}</Link>
      </Card>
      <Card title="Events" now={all.events} before={all.before ?? null}>
        <Link href={weekHref(overview, all.filter)}>{formatCount(all.events)}</Link>
      </Card>
    </ul>
  );
}

type Rows = NonNullable<Overview['rowsRead']>;

function rowsNote({ events, objects, otherObjects }: Rows): string {
  const by = `by ${formatCount(events)} ${events === 1 ? 'event' : 'events'}`;
  if (objects === 0) return `${by}; no table is declared sensitive`;
  return otherObjects > 0 ? `${by}; ${formatCount(otherObjects)} further tables are left out` : by;
}

function Card(props: {
  readonly title: string;
  readonly now: number | string;
  readonly before: number | string | null;
  readonly note?: string;
  readonly children: ReactNode;
}) {
  const { title, now, before, note, children } = props;
  const change = changeText(now, before);
  return (
    <li className={classes.card}>
      <h2 className={classes.title}>{title}</h2>
      <p className={classes.number}>
        {children}
        {change && <span className={classes.change}>{change}</span>}
      </p>
      <Text size="xs" c="dimmed">
        {beforeText(before)}
      </Text>
      {note && (
        <Text size="xs" c="dimmed">
          {note}
        </Text>
      )}
    </li>
  );
}

/** How many sources have delivered everything. */
export function Completeness({ overview }: { readonly overview: Overview }) {
  const { sources, complete, gaps, gapsStartTime } = overview.completeness;
  const href = weekHref({ startTime: gapsStartTime, endTime: overview.endTime }, '');
  return (
    <Link
      href={href}
      className={classes.line}
      data-state={sources === 0 || complete < sources || gaps > 0 ? 'lacks' : 'whole'}
    >
      {sources === 0
        ? 'No source has reported yet'
        : `${formatCount(complete)} of ${formatCount(sources)} ${sources === 1 ? 'source' : 'sources'} complete; ${gapsText(gaps)}`}
    </Link>
  );
}

const gapsText = (gaps: number) =>
  `${gaps === 0 ? 'no gap' : gaps === 1 ? '1 gap' : `${formatCount(gaps)} gaps`} in 30 days`;

/** Incidents that are not resolved, by severity, with the age of the oldest. */
export function Incidents({
  incidents,
  nowMs,
}: {
  readonly incidents: NonNullable<Overview['incidents']>;
  readonly nowMs: number;
}) {
  if (incidents.length === 0) return <Text size="sm">No incident is open.</Text>;
  return (
    <ul className={classes.incidents}>
      {incidents.map(({ severity, incidents: open, unacknowledged, oldestTime }) => (
        <li key={severity} data-severity={severity}>
          <Link
            href={`/incidents?severity=${severity}&status=${unacknowledged > 0 ? 'new' : 'acknowledged'}`}
          >
            <b>{formatCount(open)}</b> {severity}
          </Link>
          <Text span size="xs" c="dimmed">
            oldest {formatSpan(Math.max(0, nowMs - Date.parse(oldestTime)))}
            {unacknowledged < open && `; ${formatCount(open - unacknowledged)} in work`}
          </Text>
        </li>
      ))}
    </ul>
  );
}

/** The days of the week as a heading says them. */
export const weekText = ({ startTime, endTime }: Pick<Overview, 'startTime' | 'endTime'>, zone: TimeZone) =>
  `${formatDate(startTime, zone)} – ${formatDate(Date.parse(endTime) - 1, zone)}`;
