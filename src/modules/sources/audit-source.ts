import type { ReportedPackage } from '../../event/agent-package';
import type { RunningSettings } from '../../event/agent-settings';
import type { GapReason } from '../../event/source-report';

/**
 * A part of the audit trail that an agent could not publish. Times are UTC with seven decimals; event times are null
 * where unknown.
 */
export interface AuditGap {
  /** UUID the agent derives from the gap itself. */
  readonly gapId: string;
  readonly reason: GapReason;
  readonly fileName: string;
  /** Null: the file was never opened. */
  readonly fileGuid: string | null;
  /** A sentence for people. */
  readonly detail: string;
  /** Event time of the last record before the gap. */
  readonly afterTime: string | null;
  /** Event time of the first record after the gap. */
  readonly beforeTime: string | null;
  /** By the agent's clock. */
  readonly detectedAt: string;
}

/** A gap as it is stored; `firstReported` is by the service's clock. */
export type StoredGap = AuditGap & { readonly firstReported: Date };

/** One configured database of the machine an agent runs on. */
export interface SourceId {
  readonly hostName: string;
  /** Its label in the agent's configuration. */
  readonly databaseName: string;
}

/** The name of a source among those of all tenants. */
export const keyOfSource = ({
  tenantId,
  hostName,
  databaseName,
}: SourceId & { readonly tenantId: number }): string => JSON.stringify([tenantId, hostName, databaseName]);

/** The state of a source that an agent reports; times are UTC with seven decimals. */
interface ReportedState extends SourceId {
  readonly agentVersion: string;
  /** The event time of the newest acknowledged event; null: none. */
  readonly lastEventTime: string | null;
  /** When everything in the files was last acknowledged; null: never yet. */
  readonly caughtUpAt: string | null;
  /** Bytes in files that are not acknowledged yet. */
  readonly waitingBytes: number;
  /** The number of acknowledged events: in a report since the last report, in a stored source altogether. */
  readonly publishedCount: number;
  /** The reason why the agent does not publish, or in a stored source that several agents report it; null: all is well. */
  readonly problem: string | null;
}

/** A folder that several hosts share, as one of them sees it. */
export interface SharedFolder {
  /** Whether the folder is away there. */
  readonly isStandby: boolean;
  /** GUIDs of files that its agent published whole. */
  readonly wholeFiles: readonly string[];
}

/** A report that passed every check. */
export interface SourceReport extends ReportedState {
  readonly gaps: readonly AuditGap[];
  /** Made by the agent at its start; null: it tells none. */
  readonly runId: string | null;
  /** Null: the folder is of this host alone. */
  readonly shared: SharedFolder | null;
  /** Null: the agent tells none. */
  readonly running: RunningSettings | null;
  /** Null: the agent has none. */
  readonly package: ReportedPackage | null;
  /** Milliseconds by which the agent's clock is ahead of the service's; below zero: behind; null: not known. */
  readonly clockAheadMs: number | null;
}

/** A source as it is stored: its times of reports are by the service's clock. */
export interface AuditSource extends ReportedState {
  readonly tenantId: number;
  /** When a report with published events last came; null: never. */
  readonly lastReceived: Date | null;
  /** When any report last came. */
  readonly lastReported: Date;
  /** When an operator retired it; null: it is in use. */
  readonly retiredAt: Date | null;
  readonly retiredReason: string | null;
  /** Since when its shared folder is away there; null: it is there. */
  readonly standbySince: Date | null;
  /** Whether no source in use that shares a folder under this name has it. */
  readonly isUnread: boolean;
  /** At its last report. Null: its agent told none. */
  readonly running: RunningSettings | null;
  /** At its last report. Null: its agent had none. */
  readonly package: ReportedPackage | null;
  readonly gapCount: number;
}

/** Seconds since a source was caught up, as of `nowMs`; null: it never was. */
export function lagOf({ caughtUpAt }: ReportedState, nowMs: number): number | null {
  return caughtUpAt === null ? null : Math.max(0, nowMs - Date.parse(caughtUpAt)) / 1000;
}

/** An agent reports at least every minute. One that is silent for this long is down, or cannot reach the service. */
export const SILENT_MS = 5 * 60_000;
/** A lag of this length is no burst that the agent is about to send. */
const LAGGING_MS = 3_600_000;

/** The states of a source, worst first, because a silent source hides everything else. */
export const SOURCE_STATES = {
  stale: 'its agent has fallen silent',
  problem: 'its agent runs and cannot publish, or several agents report it',
  lagging: 'its agent has not published everything in the files for an hour',
  gaps: 'parts of its audit trail are missing and cannot be read again',
  current: 'all is well',
  standby: 'the folder is shared, and another host has it; nothing is missing',
  retired: 'an operator has retired it, as its server is gone; a report of its agent brings it back',
} as const;
export type SourceState = keyof typeof SOURCE_STATES;

/** A folder that nobody has for an hour is no matter of fail-over. */
const isStandby = ({ standbySince, isUnread }: AuditSource, nowMs: number): boolean =>
  standbySince !== null && !(isUnread && nowMs - standbySince.getTime() > LAGGING_MS);

export function stateOfSource(source: AuditSource, nowMs: number): SourceState {
  if (source.retiredAt !== null) return 'retired';
  if (nowMs - source.lastReported.getTime() > SILENT_MS) return 'stale';
  if (source.problem !== null) return 'problem';
  if (isStandby(source, nowMs)) return 'standby';
  const lag = lagOf(source, nowMs);
  if (lag === null || lag * 1_000 > LAGGING_MS) return 'lagging';
  return source.gapCount > 0 ? 'gaps' : 'current';
}
