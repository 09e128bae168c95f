import { toOcsfFinding } from '../../../src/modules/detection/notices/ocsf-finding';
import { anAlert } from '../../detection/support/alerts';
import { ocsfProblems } from './ocsf-1.8.0';

// biome-ignore lint/suspicious/noExplicitAny: a document of another's shape
const finding = (change: object, state: Parameters<typeof toOcsfFinding>[1]): any =>
  toOcsfFinding(anAlert(change), state);

describe('an alert as a Detection Finding', () => {
  it('conforms to OCSF 1.8.0 in every severity, state and verdict', () => {
    for (const severity of ['low', 'medium', 'high', 'critical'])
      for (const state of ['new', 'acknowledged', 'suppressed', 'resolved'] as const)
        for (const verdict of [null, 'true_positive', 'false_positive', 'expected'])
          for (const assignee of [null, 'ada'])
            expect(ocsfProblems(finding({ severity, verdict, assignee }, state))).toEqual([]);
  });

  it.each([
    ['new', 200401, 1],
    ['acknowledged', 200402, 2],
    ['suppressed', 200402, 3],
    ['resolved', 200403, 4],
  ] as const)('that is %s has type %i and status %i', (state, type, status) => {
    expect(finding({}, state)).toMatchObject({ type_uid: type, status_id: status });
  });

  it('has the ids, times and counts of the alert', () => {
    const alert = anAlert({ eventCount: 7, severity: 'critical' });
    expect(toOcsfFinding(alert, 'new')).toMatchObject({
      severity_id: 5,
      count: 7,
      time: Date.parse(alert.updatedAt),
      message: alert.title,
      finding_info: {
        uid: alert.alertId,
        analytic: { uid: alert.ruleId, type_id: 1 },
        first_seen_time: Date.parse('2026-02-03T08:00:00Z'),
        last_seen_time: Date.parse('2026-02-03T08:10:00Z'),
      },
      metadata: { tenant_uid: alert.tenantId, product: { name: 'Audit Activity' } },
    });
  });
});
