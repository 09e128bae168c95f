import type { Answer } from '../../../event/shape';
import type { ALERT } from '../base/answers';

const SEVERITY_IDS = { low: 2, medium: 3, high: 4, critical: 5 } as const;
const STATUS_IDS = { new: 1, acknowledged: 2, suppressed: 3, resolved: 4 } as const;
const STATUS_NAMES = {
  new: 'New',
  acknowledged: 'In Progress',
  suppressed: 'Suppressed',
  resolved: 'Resolved',
} as const;
const VERDICTS = {
  false_positive: { verdict_id: 1, verdict: 'False Positive' },
  true_positive: { verdict_id: 2, verdict: 'True Positive' },
  expected: { verdict_id: 5, verdict: 'Benign' },
} as const;
const CREATE = 1;
const UPDATE = 2;
const CLOSE = 3;
const CLASS_UID = 2004;
const CATEGORY_UID = 2;

/** An alert as a Detection Finding (2004) of OCSF 1.8.0. */
export function toOcsfFinding(alert: Answer<typeof ALERT>, state: keyof typeof STATUS_IDS): object {
  const activity = state === 'new' ? CREATE : state === 'resolved' ? CLOSE : UPDATE;
  return {
    activity_id: activity,
    category_uid: CATEGORY_UID,
    class_uid: CLASS_UID,
    type_uid: CLASS_UID * 100 + activity,
    severity_id: SEVERITY_IDS[alert.severity],
    status_id: STATUS_IDS[state],
    status: STATUS_NAMES[state],
    time: Date.parse(alert.updatedAt),
    message: alert.title,
    count: alert.eventCount,
    finding_info: {
      uid: alert.alertId,
      title: alert.title,
      ...(alert.summary !== null && { desc: alert.summary }),
      types: ['Audit rule'],
      analytic: { uid: alert.ruleId, name: alert.title, type_id: 1, type: 'Rule' },
      created_time: Date.parse(alert.createdAt),
      modified_time: Date.parse(alert.updatedAt),
      first_seen_time: Date.parse(alert.firstEventTime),
      last_seen_time: Date.parse(alert.lastEventTime),
    },
    ...(alert.assignee !== null && { assignee: { name: alert.assignee } }),
    ...(alert.verdict !== null && VERDICTS[alert.verdict]),
    metadata: {
      version: '1.8.0',
      uid: alert.alertId,
      tenant_uid: alert.tenantId,
      profiles: ['incident'],
      product: { name: 'Audit Activity', vendor_name: 'Audit Activity' },
    },
    unmapped: {
      group: alert.group,
      findingCount: alert.findingCount,
      didIt: alert.didIt,
      gotIt: alert.gotIt,
    },
  };
}
