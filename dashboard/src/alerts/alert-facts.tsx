import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { Session } from '../api/session';
import { showHidden } from '../explore/event/marks';
import { formatCount } from '../lib/numbers';
import { useTimeZone } from '../lib/preferences';
import { nameOf } from '../lib/tenant-name';
import { formatSpan, formatTime, zoneName } from '../lib/time';
import classes from './alerts.module.css';
import { Entity } from './entity';
import { fieldLabel, groupOf } from './group-text';
import type { Alert } from './use-queue';

/** The facts of an alert. The values of its group link to the events with these values. */
export function AlertFacts({ alert, session }: { readonly alert: Alert; readonly session: Session }) {
  const [zone] = useTimeZone();
  const names = (all: readonly string[], field: string) =>
    all.map((value) => (
      <div key={value}>
        <Entity field={field} value={value} span={alert} />
      </div>
    ));
  const facts: (readonly [string, ReactNode])[] = [
    ...(alert.summary
      ? ([
          ['What happened', showHidden(alert.summary)],
          ['Did it', names(alert.didIt, 'serverPrincipalName')],
          ['Got it', names(alert.gotIt, 'roleMember')],
        ] as const)
      : []),
    ...Object.entries(groupOf(alert.group)).map(
      ([name, value]) =>
        [fieldLabel(name), <Entity key={name} field={name} value={value} span={alert} />] as const,
    ),
    [`First event (${zoneName(zone)})`, formatTime(alert.firstEventTime, zone, 3)],
    [`Last event (${zoneName(zone)})`, formatTime(alert.lastEventTime, zone, 3)],
    ['Findings', formatCount(alert.findingCount)],
    ['Events', formatCount(alert.eventCount)],
    ['Tenant', showHidden(nameOf(session.tenants, alert.tenantId))],
    ['Told', formatTime(alert.createdAt, zone)],
    ['Age', formatSpan(Math.max(0, Date.now() - Date.parse(alert.createdAt)))],
    [
      'Time to acknowledge',
      alert.secondsToAcknowledge === null ? '–' : formatSpan(alert.secondsToAcknowledge * 1_000),
    ],
    ['Changed', formatTime(alert.updatedAt, zone)],
    ...(alert.incidentId
      ? ([
          [
            'Incident',
            <Anchor key="incident" component={Link} size="sm" href={`/incidents/${alert.incidentId}`}>
              Show it with its other alerts
            </Anchor>,
          ],
        ] as const)
      : []),
    [
      'Alerts of the same rule',
      <Anchor key="rule" component={Link} size="sm" href={`/alerts?ruleId=${alert.ruleId}`}>
        Show those that are new
      </Anchor>,
    ],
  ];
  return (
    <section aria-label="About this alert">
      <dl className={classes.facts}>
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
