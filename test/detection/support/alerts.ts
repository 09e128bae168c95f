import { randomUUID } from 'node:crypto';
import type { Answer } from '../../../src/event/shape';
import type { ALERT } from '../../../src/modules/detection/base/answers';

/** An alert as the service answers it, changed as the test needs. */
export const anAlert = (change: object = {}): Answer<typeof ALERT> => ({
  alertId: randomUUID(),
  tenantId: '1',
  ruleId: randomUUID(),
  title: 'Brute force: many failed logins',
  severity: 'high',
  status: 'new',
  verdict: null,
  assignee: null,
  group: { clientIp: '203.0.113.9' },
  firstEventTime: '2026-02-03T08:00:00.0000000Z',
  lastEventTime: '2026-02-03T08:10:00.0000000Z',
  findingCount: 1,
  eventCount: 15,
  createdAt: '2026-02-03T08:10:01.000Z',
  updatedAt: '2026-02-03T08:10:01.000Z',
  incidentId: null,
  acknowledgedAt: null,
  secondsToAcknowledge: null,
  summary: null,
  didIt: [],
  gotIt: [],
  ...change,
});
