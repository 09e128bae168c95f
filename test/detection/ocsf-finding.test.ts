import { toOcsfFinding } from '../../src/modules/detection/notices/ocsf-finding';

const ALERT = {
  ...{
    alertId: 'a1',
    tenantId: '7',
    ruleId: 'r1',
    title: 'Brute force',
    summary: 'It tried.',
    severity: 'high',
  },
  ...{
    status: 'new',
    verdict: null,
    assignee: null,
    eventCount: 12,
    findingCount: 2,
    group: { clientIp: '10.0.0.1' },
  },
  ...{ createdAt: '2026-01-05T08:00:03Z', updatedAt: '2026-01-05T08:00:04Z', didIt: ['ana'], gotIt: ['bob'] },
  ...{ firstEventTime: '2026-01-05T08:00:01Z', lastEventTime: '2026-01-05T08:00:02Z' },
};
const AT = Date.parse('2026-01-05T08:00:00Z');
type Given = Parameters<typeof toOcsfFinding>;
const findingOf = (change: object = {}, state: Given[1] = 'new') =>
  toOcsfFinding({ ...ALERT, ...change } as unknown as Given[0], state);

describe('an alert as a finding of OCSF', () => {
  it('has what the alert states, each in its place', () => {
    expect(findingOf()).toEqual({
      ...{ activity_id: 1, category_uid: 2, class_uid: 2004, type_uid: 200_401, severity_id: 4 },
      ...{ status_id: 1, status: 'New', time: AT + 4_000, message: 'Brute force', count: 12 },
      finding_info: {
        ...{ uid: 'a1', title: 'Brute force', desc: 'It tried.', types: ['Audit rule'] },
        analytic: { uid: 'r1', name: 'Brute force', type_id: 1, type: 'Rule' },
        ...{ created_time: AT + 3_000, modified_time: AT + 4_000 },
        ...{ first_seen_time: AT + 1_000, last_seen_time: AT + 2_000 },
      },
      metadata: {
        ...{ version: '1.8.0', uid: 'a1', tenant_uid: '7', profiles: ['incident'] },
        product: { name: 'Audit Activity', vendor_name: 'Audit Activity' },
      },
      unmapped: { group: ALERT.group, findingCount: 2, didIt: ['ana'], gotIt: ['bob'] },
    });
  });

  it.each([
    ['new', 1, 1, 'New'],
    ['acknowledged', 2, 2, 'In Progress'],
    ['suppressed', 2, 3, 'Suppressed'],
    ['resolved', 3, 4, 'Resolved'],
  ] as const)('that is %s has the activity %s and the status %s', (state, activity_id, status_id, status) => {
    const type_uid = 200_400 + activity_id;
    expect(findingOf({}, state)).toMatchObject({ activity_id, type_uid, status_id, status });
  });

  it.each([
    ['low', 2],
    ['medium', 3],
    ['high', 4],
    ['critical', 5],
  ])('of the severity %s has the number %s', (severity, severity_id) => {
    expect(findingOf({ severity })).toMatchObject({ severity_id });
  });

  it.each([
    ['false_positive', 1, 'False Positive'],
    ['true_positive', 2, 'True Positive'],
    ['expected', 5, 'Benign'],
  ])('with the verdict %s has the number %s', (verdict, verdict_id, name) => {
    const found = findingOf({ verdict, assignee: 'ada' }, 'resolved');
    expect(found).toMatchObject({ verdict_id, verdict: name, assignee: { name: 'ada' } });
  });
});
