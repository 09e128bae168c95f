import { randomUUID } from 'node:crypto';
import type { GivenGap, GivenReport } from '../../src/modules/sources/audit-source.report';

export const REPORT =
  'mutation($report: AuditSourceReport!) { reportAuditSource(report: $report) { gapsKept } }';

/** A valid gap with a new id, with the changes that a test needs. */
export const aGap = (change: object = {}): GivenGap => ({
  gapId: randomUUID(),
  reason: 'BLOCKS_MISSING',
  fileName: 'Payroll_Audit.sqlaudit',
  fileGuid: null,
  detail: 'event blocks 5 to 9 are missing',
  afterTime: null,
  beforeTime: null,
  detectedAt: '2026-01-05T08:00:00.0000000Z',
  ...change,
});

/** A valid report of an agent that has just started, with the changes that a test needs. */
export const aReport = (change: object = {}): GivenReport => ({
  tenantId: '1',
  hostName: 'SQLPROD01',
  databaseName: 'Payroll',
  agentVersion: '1.0.0',
  publishedCount: 0,
  lastEventTime: null,
  caughtUpAt: null,
  waitingBytes: 0,
  problem: null,
  gaps: [],
  ...change,
});

/** The service's answer to a report; throws if the service refuses it. */
export function reportOf(body: { data?: { reportAuditSource?: { gapsKept: number } }; errors?: unknown }): {
  gapsKept: number;
} {
  if (!body.data?.reportAuditSource) throw new Error(JSON.stringify(body.errors));
  return body.data.reportAuditSource;
}
