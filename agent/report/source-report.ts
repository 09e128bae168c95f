import type { ReportedPackage } from '../../src/event/agent-package';
import type { RunningSettings } from '../../src/event/agent-settings';
import { REPORT_CHARS_MAX, REPORT_PUBLISHED_MAX } from '../../src/event/source-report';
import type { Gap } from '../gaps/gap';
import type { DatabaseStatus } from '../status/database-status';

/** `AuditSourceReport` of the service: what an agent tells it about one database. */
export interface SourceReport {
  readonly tenantId: string;
  readonly hostName: string;
  readonly databaseName: string;
  readonly agentVersion: string;
  readonly runId?: string;
  readonly publishedCount: number;
  readonly lastEventTime: string | null;
  readonly caughtUpAt: string | null;
  readonly waitingBytes: number;
  readonly problem: string | null;
  readonly gaps: readonly Gap[];
  /** The settings that the agent works with. */
  readonly running?: RunningSettings;
  /** How far the agent has come with a package that it is offered. */
  readonly package?: ReportedPackage;
  /** Of a folder that several hosts share. */
  readonly shared?: Shared;
}

/** Whether the folder is away here, and the GUIDs of files that this agent published whole. */
export interface Shared {
  readonly isStandby: boolean;
  readonly wholeFiles: readonly string[];
}

export interface Reporter {
  readonly hostName: string;
  readonly agentVersion: string;
  /** UUID of this run of the agent. */
  readonly runId: string;
  readonly running: RunningSettings;
  /** Null or absent: none is offered. */
  readonly ofPackage?: ReportedPackage | null;
}

export function toSourceReport(
  { hostName, agentVersion, runId, running, ofPackage = null }: Reporter,
  status: DatabaseStatus,
  gaps: readonly Gap[],
  wholeFiles: readonly string[] | null = null,
): SourceReport {
  const { name, tenantId, unreportedCount, lastEventTime, caughtUpAt, waitingBytes, problem } = status;
  return {
    tenantId,
    hostName: hostName.slice(0, REPORT_CHARS_MAX.hostName) || 'unknown',
    databaseName: name,
    agentVersion,
    runId,
    publishedCount: Math.min(unreportedCount, REPORT_PUBLISHED_MAX),
    lastEventTime,
    caughtUpAt,
    waitingBytes,
    problem: problem?.slice(0, REPORT_CHARS_MAX.problem) ?? null,
    gaps,
    running,
    ...(ofPackage !== null && { package: ofPackage }),
    ...(wholeFiles !== null && { shared: { isStandby: status.state === 'standby', wholeFiles } }),
  };
}
