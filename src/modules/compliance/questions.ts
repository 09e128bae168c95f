import type { AuditEventFilter } from '../../event/query';
import type { EventGroup } from '../../store/columns/groups';
import type { AuditEventReader, StoredAuditEvent } from '../../store/rows/audit-event-reader';
import type { TenantSet } from '../../tenant-set';

/** What is asked of other modules. */
export interface Questions {
  readonly groups: (
    tenants: TenantSet,
    filter: AuditEventFilter,
    asked: {
      readonly fields: readonly [GroupedBy, GroupedBy?];
      readonly before: null;
      readonly sumOf: null;
      readonly by: 'count';
      readonly descending: boolean;
      readonly limit: number;
    },
  ) => Promise<{ readonly groups: readonly EventGroup[] }>;
  readonly page: AuditEventReader['page'];
  readonly sources: (tenants: TenantSet) => Promise<readonly Source[]>;
  /** How far sources were behind over a period, in milliseconds since 1970, by whole hours. */
  readonly lags: (tenants: TenantSet, fromMs: number, toMs: number) => Promise<readonly Lag[]>;
  /** The verifications of the evidence log that ended in a period, the newest first. */
  readonly verifications: (tenantId: number, from: Date, to: Date) => Promise<readonly Verification[]>;
  /** The sources that may have the events of an instance; null: all of them. */
  readonly sourcesOf: (instance: string, sources: readonly Source[]) => readonly Source[] | null;
}
export type GroupedBy =
  | 'serverInstanceName'
  | 'actionId'
  | 'classType'
  | 'databaseName'
  | 'objectName'
  | 'applicationName'
  | 'serverPrincipalName';

/** What an agent reports of a database that it reads. */
export interface Source {
  readonly tenantId: string;
  readonly hostName: string;
  readonly completeThrough: string | null;
  /** Since everything in its files was published, as of now; null: never yet. */
  readonly lagSeconds: number | null;
  readonly state: string;
  readonly lastReported: string;
  readonly gaps: readonly {
    readonly fileName: string;
    readonly afterTime: string | null;
    readonly beforeTime: string | null;
  }[];
}

/** How far a source was behind. Null: nothing was noted. */
export interface Lag {
  readonly tenantId: string;
  readonly hostName: string;
  readonly databaseName: string;
  readonly minutes: number;
  readonly p50Seconds: number | null;
  readonly p99Seconds: number | null;
  readonly worstSeconds: number | null;
}

/** A comparison of the whole evidence log with the stored events. */
export interface Verification {
  readonly endedAt: Date;
  /** The number of entries that it compared. */
  readonly entries: number;
  /** The number of events that were altered or missing. */
  readonly wrong: number;
  /** The first problem that it found; null: none. */
  readonly problem: string | null;
}

/** Counts events up to the moment of an assessment. */
export type Group = (
  fields: readonly [GroupedBy, GroupedBy?],
  values: { filter?: string; startTime?: string; endTime?: string },
) => Promise<readonly EventGroup[]>;

/** When something happened, and its record. */
export interface Moment {
  readonly at: string;
  readonly recordId: string;
}

export const toMoment = ({
  eventTime,
  recordId,
}: Pick<StoredAuditEvent, 'eventTime' | 'recordId'>): Moment => ({
  at: eventTime,
  recordId,
});
