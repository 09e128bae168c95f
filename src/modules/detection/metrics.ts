import type { DeclareMetrics } from '../../observe/open-metrics';
import { SEVERITIES } from '../../rules/rule';
import { CHANNEL_KINDS, type DetectionTally, OUTCOMES } from './base/tally';
import type { Lanes } from './detector/lanes';

/** The metrics of detection since the start, and its progress for the tenants that lag most. */
export const declareMetrics =
  (tally: DetectionTally, lanes: Pick<Lanes, 'slow'>): DeclareMetrics =>
  (metrics, figures) => {
    const count = (name: string, help: string, read: () => number) =>
      metrics.counters(name, help, [], () => [{ labels: {}, value: read() }]);
    count('detection_events_total', 'Events that rules looked at.', () => tally.events);
    count('detection_seconds_total', 'Time that looking at them took.', () => tally.seconds);
    count('detection_step_failures_total', 'Steps that failed and are done again.', () => tally.stepFailures);
    metrics.gauge(
      'detection_refused_rules',
      'Rules of tenants that this release does not take: they find nothing.',
      () => [...tally.refusedRules.values()].reduce((sum, { count: n }) => sum + n, 0),
    );
    metrics.gauge(
      'detection_slow_tenants',
      'Tenants whose rules take long, and go on beside those of the others.',
      () => lanes.slow.length,
    );
    const bySeverity = (name: string, help: string, counts: ReadonlyMap<string, number>) =>
      metrics.counters(name, help, ['severity'], () =>
        SEVERITIES.map((severity) => ({ labels: { severity }, value: counts.get(severity) ?? 0 })),
      );
    bySeverity('detection_findings_total', 'Findings written.', tally.findings);
    bySeverity('detection_alerts_total', 'Alerts that findings began.', tally.alerts);
    metrics.counters('alert_messages_total', 'Attempts to tell of alerts.', ['channel', 'outcome'], () =>
      CHANNEL_KINDS.flatMap((channel) =>
        OUTCOMES.map((outcome) => ({
          labels: { channel, outcome },
          value: tally.messages.get(`${channel} ${outcome}`) ?? 0,
        })),
      ),
    );
    const ofTenants = (name: string, help: string, read: (one: TenantDetection) => number) =>
      metrics.gauges(name, help, ['tenant'], () =>
        (figures()?.detection ?? []).map((one) => ({
          labels: { tenant: String(one.tenantId) },
          value: read(one),
        })),
      );
    ofTenants(
      'detection_position_entries',
      'Entries of the evidence log that rules have passed.',
      ({ position }) => position,
    );
    ofTenants('detection_lag_entries', 'Entries that they have not.', ({ waiting }) => waiting);
    metrics.gauges('alerts_open', 'Alerts that are new or acknowledged.', ['status', 'severity'], () =>
      (figures()?.openAlerts ?? []).map(({ status, severity, count: value }) => ({
        labels: { status, severity: SEVERITIES[severity - 1] ?? 'low' },
        value,
      })),
    );
    metrics.gauge('alert_notices_waiting', 'Not told yet.', () => figures()?.waitingNotices ?? null);
    metrics.gauge(
      'alert_notices_oldest_seconds',
      'Since the one that waits longest was noted.',
      () => figures() && (figures()?.noticeSeconds ?? 0),
    );
  };

interface TenantDetection {
  readonly tenantId: number;
  readonly position: number;
  readonly waiting: number;
}
