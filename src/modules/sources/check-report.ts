import { DomainError } from '../../errors';
import { formatTicks, parseTicks, TICKS_PER_MS } from '../../event/event-time';
import { parseParameters } from '../../event/parse-parameters';
import type { Answer } from '../../event/shape';
import { parseTenantId } from '../../tenant-set';
import type { REPORT_RECEIPT } from './answers';
import type { SourceReport } from './audit-source';
import { AUDIT_SOURCE_REPORT, type GivenReport } from './audit-source.report';
import type { AuditSourceStore } from './audit-source.store';
import { groupOf } from './groups/agent-group';
import type { AgentGroupStore } from './groups/agent-group.store';
import { packageOf } from './packages/agent-package';
import type { AgentPackageStore } from './packages/agent-package.store';

/**
 * The report with its times in one form.
 * @param nowMs an agent that claims to catch up later than this has a clock that is ahead: it is caught up now
 * @throws DomainError `invalid_parameter` naming every problem
 */
export function checkReport(given: GivenReport, nowMs: number): SourceReport {
  const report = parseParameters(AUDIT_SOURCE_REPORT.fields, given);
  const caughtUpAt = inOneForm(report.caughtUpAt);
  const now = formatTicks(BigInt(nowMs) * TICKS_PER_MS);
  return {
    hostName: report.hostName,
    databaseName: report.databaseName,
    agentVersion: report.agentVersion,
    runId: report.runId ?? null,
    publishedCount: report.publishedCount,
    waitingBytes: report.waitingBytes,
    problem: report.problem ?? null,
    lastEventTime: inOneForm(report.lastEventTime),
    caughtUpAt: caughtUpAt !== null && caughtUpAt > now ? now : caughtUpAt,
    clockAheadMs: clockAheadOf(caughtUpAt, given, nowMs),
    shared: report.shared
      ? { ...report.shared, wholeFiles: report.shared.wholeFiles.map((guid) => guid.toLowerCase()) }
      : null,
    running: report.running ? { ...report.running, version: report.running.version ?? null } : null,
    package: report.package ? { ...report.package, reason: report.package.reason ?? null } : null,
    gaps: report.gaps.map((gap) => ({
      gapId: gap.gapId,
      reason: gap.reason,
      fileName: gap.fileName,
      detail: gap.detail,
      fileGuid: gap.fileGuid ?? null,
      afterTime: inOneForm(gap.afterTime),
      beforeTime: inOneForm(gap.beforeTime),
      detectedAt: inOneForm(gap.detectedAt) ?? '',
    })),
  };
}

/** @param text a time that was checked */
function inOneForm(text: string | undefined): string | null {
  const ticks = text === undefined ? null : parseTicks(text);
  return ticks === null ? null : formatTicks(ticks);
}

/** An agent without waiting events is caught up at its own present time. No agent can be caught up later than now. */
function clockAheadOf(caughtUpAt: string | null, given: GivenReport, nowMs: number): number | null {
  const ticks = caughtUpAt === null ? null : parseTicks(caughtUpAt);
  if (ticks === null || given.shared?.isStandby) return null;
  const ahead = Number(ticks / TICKS_PER_MS) - nowMs;
  return ahead > 0 || (given.waitingBytes === 0 && given.problem == null) ? ahead : null;
}

/** What operators want of agents. */
export interface WantedOfAgents {
  readonly groups: Pick<AgentGroupStore, 'list'>;
  readonly packages: Pick<AgentPackageStore, 'list'>;
}

/** Sent after the commit. */
export type ReportReceipt = Answer<typeof REPORT_RECEIPT>;

/**
 * Stores what an agent says of one of its sources, for the tenant of the agent's key, and says what it is to run.
 * @throws DomainError `forbidden`, `invalid_parameter` naming every problem, and what the store throws
 */
export async function receiveReport(
  keyTenantId: number,
  given: GivenReport,
  store: AuditSourceStore,
  { groups, packages }: WantedOfAgents,
  nowMs: number,
): Promise<ReportReceipt> {
  if (parseTenantId(given.tenantId) !== keyTenantId) {
    throw new DomainError('forbidden', {
      public: 'The agent key is bound to another tenant than the report names.',
    });
  }
  const report = checkReport(given, nowMs);
  await store.report(keyTenantId, report, new Date(nowMs));
  const group = groupOf(await groups.list(keyTenantId), report.hostName);
  return {
    gapsKept: report.gaps.length,
    settingsVersion: group?.version ?? null,
    settings: group?.settings ?? null,
    package: group && packageOf(await packages.list(keyTenantId), group),
  };
}
