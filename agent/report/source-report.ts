import type { Gap } from '../gaps/gap';
import type { DatabaseStatus } from '../status/database-status';

/** Bounds the service sets. */
export const REPORT_LIMITS = {
  gaps: 100,
  problemChars: 1_000,
  hostNameChars: 255,
  publishedCount: 2 ** 31 - 1,
};

/** `AuditSourceReport` of the service: what an agent tells about one database. */
export interface SourceReport {
  readonly tenantId: string;
  readonly hostName: string;
  readonly databaseName: string;
  readonly agentVersion: string;
  readonly publishedCount: number;
  readonly lastEventTime: string | null;
  readonly caughtUpAt: string | null;
  readonly waitingBytes: number;
  readonly problem: string | null;
  readonly gaps: readonly Gap[];
}

export interface Reporter {
  readonly hostName: string;
  readonly agentVersion: string;
}

export function toSourceReport(
  { hostName, agentVersion }: Reporter,
  status: DatabaseStatus,
  gaps: readonly Gap[],
): SourceReport {
  const { name, tenantId, unreportedCount, lastEventTime, caughtUpAt, waitingBytes, problem } = status;
  return {
    tenantId,
    hostName: hostName.slice(0, REPORT_LIMITS.hostNameChars) || 'unknown',
    databaseName: name,
    agentVersion,
    publishedCount: Math.min(unreportedCount, REPORT_LIMITS.publishedCount),
    ...{ lastEventTime, caughtUpAt, waitingBytes },
    problem: problem?.slice(0, REPORT_LIMITS.problemChars) ?? null,
    gaps,
  };
}
