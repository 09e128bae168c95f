import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useTexts } from '../lib/language';
import { formatCount, formatDigits } from '../lib/numbers';
import type { In } from '../lib/texts';
import { formatDate, formatSpan, type TimeZone } from '../lib/time';
import { beforeText, changeText } from './change';
import classes from './overview.module.css';
import { OVERVIEW } from './texts';
import { type Overview, weekHref } from './week';

/** The numbers of the week, each beside that of the week before. */
export function Cards({ overview }: { readonly overview: Overview }) {
  const t = useTexts(OVERVIEW);
  const { all, failedLogins, privilegeChanges, rowsRead } = overview;
  return (
    <ul className={classes.cards}>
      <Card title={t.failedLogins} now={failedLogins.events} before={failedLogins.before ?? null}>
        <Link href={weekHref(overview, failedLogins.filter)}>{formatCount(failedLogins.events)}</Link>
      </Card>
      <Card
        title={rowsRead && rowsRead.objects > 0 ? t.sensitiveRowsRead : t.rowsRead}
        now={rowsRead?.rows ?? '0'}
        before={rowsRead?.before ?? null}
        note={rowsRead ? rowsNote(rowsRead, t) : t.tookTooLong}
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
      <Card title={t.privilegeChanges} now={privilegeChanges.events} before={privilegeChanges.before ?? null}>
        <Link href={weekHref(overview, privilegeChanges.filter)}>{formatCount(privilegeChanges.events)}</Link>
      </Card>
      <Card title={t.events} now={all.events} before={all.before ?? null}>
        <Link href={weekHref(overview, all.filter)}>{formatCount(all.events)}</Link>
      </Card>
    </ul>
  );
}

type Rows = NonNullable<Overview['rowsRead']>;

function rowsNote({ events, objects, otherObjects }: Rows, t: In<typeof OVERVIEW>): string {
  const by = t.byEvents(events);
  if (objects === 0) return `${by}; ${t.noneSensitive}`;
  return otherObjects > 0 ? `${by}; ${t.leftOut(otherObjects)}` : by;
}

function Card(props: {
  readonly title: string;
  readonly now: number | string;
  readonly before: number | string | null;
  readonly note?: string;
  readonly children: ReactNode;
}) {
  const { title, now, before, note, children } = props;
  const t = useTexts(OVERVIEW);
  const change = changeText(now, before, t);
  return (
    <li className={classes.card}>
      <h2 className={classes.title}>{title}</h2>
      <p className={classes.number}>
        {children}
        {change && <span className={classes.change}>{change}</span>}
      </p>
      <Text size="xs" c="dimmed">
        {beforeText(before, t)}
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
  const t = useTexts(OVERVIEW);
  const { sources, complete, gaps, gapsStartTime } = overview.completeness;
  const href = weekHref({ startTime: gapsStartTime, endTime: overview.endTime }, '');
  return (
    <Link
      href={href}
      className={classes.line}
      data-state={sources === 0 || complete < sources || gaps > 0 ? 'lacks' : 'whole'}
    >
      {sources === 0
        ? t.noSource
        : `${t.complete(complete, sources)}; ${gaps === 0 ? t.noGap : t.gaps(gaps)}`}
    </Link>
  );
}

/** Incidents that are not resolved, by severity, with the age of the oldest. */
export function Incidents({
  incidents,
  nowMs,
}: {
  readonly incidents: NonNullable<Overview['incidents']>;
  readonly nowMs: number;
}) {
  const t = useTexts(OVERVIEW);
  if (incidents.length === 0) return <Text size="sm">{t.noIncident}</Text>;
  return (
    <ul className={classes.incidents}>
      {incidents.map(({ severity, incidents: open, unacknowledged, oldestTime }) => (
        <li key={severity} data-severity={severity}>
          <Link
            href={`/incidents?severity=${severity}&status=${unacknowledged > 0 ? 'new' : 'acknowledged'}`}
          >
            <b>{formatCount(open)}</b> {severityIn(t, severity)}
          </Link>
          <Text span size="xs" c="dimmed">
            {t.oldest(formatSpan(Math.max(0, nowMs - Date.parse(oldestTime))))}
            {unacknowledged < open && `; ${t.inWork(open - unacknowledged)}`}
          </Text>
        </li>
      ))}
    </ul>
  );
}

const SEVERITIES = ['critical', 'high', 'medium', 'low'] as const;
/** A severity in the language of the page. */
function severityIn(t: In<typeof OVERVIEW>, severity: string): string {
  const known = SEVERITIES.find((name) => name === severity);
  return known ? t[known] : severity;
}

/** The days of the week as a heading says them. */
export const weekText = ({ startTime, endTime }: Pick<Overview, 'startTime' | 'endTime'>, zone: TimeZone) =>
  `${formatDate(startTime, zone)} – ${formatDate(Date.parse(endTime) - 1, zone)}`;
