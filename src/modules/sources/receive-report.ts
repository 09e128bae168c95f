import { parseTenantId } from '../../caller/tenant-set';
import { DomainError } from '../../errors';
import type { Answer } from '../../event/shape';
import type { REPORT_RECEIPT } from './answers';
import type { AuditSourceStore } from './audit-source.store';
import { checkReport, type GivenReport } from './check-report';

/** Sent after the commit. */
export type ReportReceipt = Answer<typeof REPORT_RECEIPT>;

/**
 * Stores what an agent says of one of its sources, for the tenant of the agent's key.
 * @throws DomainError `forbidden`, `invalid_parameter` naming every problem, and what the store throws
 */
export async function receiveReport(
  keyTenantId: number,
  given: GivenReport,
  store: AuditSourceStore,
  nowMs: number,
): Promise<ReportReceipt> {
  if (parseTenantId(given.tenantId) !== keyTenantId) {
    throw new DomainError('forbidden', {
      public: 'The agent key is bound to another tenant than the report names.',
    });
  }
  const report = checkReport(given, nowMs);
  await store.report(keyTenantId, report, new Date(nowMs));
  return { gapsKept: report.gaps.length };
}
