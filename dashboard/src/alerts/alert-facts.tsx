import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { Session } from '../api/session';
import { showHidden } from '../explore/event/marks';
import { COMMON } from '../lib/common';
import { Facts } from '../lib/facts';
import { FIELD_LABELS } from '../lib/field-labels';
import { useTexts } from '../lib/language';
import { formatCount } from '../lib/numbers';
import { useTimeZone } from '../lib/preferences';
import { serviceNowMs } from '../lib/service-clock';
import { nameOf } from '../lib/tenant-name';
import { formatSpan, formatTime, zoneName } from '../lib/time';
import { Entity } from './entity';
import { fieldLabel, groupOf } from './group-text';
import { ALERTS } from './texts';
import type { Alert } from './use-queue';

/** The facts of an alert. The values of its group link to the events with these values. */
export function AlertFacts({ alert, session }: { readonly alert: Alert; readonly session: Session }) {
  const common = useTexts(COMMON);
  const labels = useTexts(FIELD_LABELS);
  const t = useTexts(ALERTS);
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
          [
            t.whatHappened,
            <span key="summary" lang="en">
              {showHidden(alert.summary)}
            </span>,
          ],
          [t.didIt, names(alert.didIt, 'serverPrincipalName')],
          [t.gotIt, names(alert.gotIt, 'roleMember')],
        ] as const)
      : []),
    ...Object.entries(groupOf(alert.group)).map(
      ([name, value]) =>
        [fieldLabel(name, labels), <Entity key={name} field={name} value={value} span={alert} />] as const,
    ),
    [t.firstEventIn(zoneName(zone)), formatTime(alert.firstEventTime, zone, 3)],
    [t.lastEventIn(zoneName(zone)), formatTime(alert.lastEventTime, zone, 3)],
    [common.findings, formatCount(alert.findingCount)],
    [common.events, formatCount(alert.eventCount)],
    [common.tenant, showHidden(nameOf(session.tenants, alert.tenantId))],
    [t.told, formatTime(alert.createdAt, zone)],
    [t.age, formatSpan(Math.max(0, serviceNowMs() - Date.parse(alert.createdAt)))],
    [
      t.timeToAcknowledge,
      alert.secondsToAcknowledge === null ? '–' : formatSpan(alert.secondsToAcknowledge * 1_000),
    ],
    [t.changed, formatTime(alert.updatedAt, zone)],
    ...(alert.incidentId
      ? ([
          [
            t.incident,
            <Anchor key="incident" component={Link} size="sm" href={`/incidents/${alert.incidentId}`}>
              {t.showWithOthers}
            </Anchor>,
          ],
        ] as const)
      : []),
    [
      t.ofSameRule,
      <Anchor key="rule" component={Link} size="sm" href={`/alerts?ruleId=${alert.ruleId}`}>
        {t.showNew}
      </Anchor>,
    ],
  ];
  return (
    <section aria-label={t.aboutAlert}>
      <Facts facts={facts} />
    </section>
  );
}
