import type { AuditEventFilter } from '../../event/query';
import type { EventGroup } from '../../store/columns/groups';
import type { AuditEventReader, StoredAuditEvent } from '../../store/rows/audit-event-reader';
import type { TenantSet } from '../../tenant-set';

/** What is asked of other modules. */
export interface Questions {
  /** Groups of several filters, all from one snapshot. */
  readonly groupsOfEach: (
    tenants: TenantSet,
    questions: readonly {
      readonly filter: AuditEventFilter;
      readonly fields: GroupedFields;
      readonly before: null;
      readonly sumOf: null;
      readonly by: 'count';
      readonly descending: boolean;
      readonly limit: number;
      readonly mayBeMany: boolean;
    }[],
  ) => Promise<readonly ({ readonly groups: readonly EventGroup[] } | null)[]>;
  /** The values of a field by the number of their events, the most first. Null: a field may be left out. */
  readonly facets: (
    tenants: TenantSet,
    filter: AuditEventFilter,
    asked: {
      readonly fields: readonly ['serverInstanceName'];
      readonly limit: number;
      readonly contains: null;
    },
  ) => Promise<{
    readonly totalCount: number;
    readonly facets: readonly {
      readonly values:
        | readonly { readonly value: string | null; readonly succeeded: number; readonly failed: number }[]
        | null;
    }[];
  }>;
  readonly page: AuditEventReader['page'];
  /** With the gaps that may lie in a time. */
  readonly sources: (
    tenants: TenantSet,
    within: { readonly from: string; readonly to: string },
  ) => Promise<readonly Source[]>;
  /** How far sources were behind over a period, in milliseconds since 1970, by whole hours. */
  readonly lags: (tenants: TenantSet, fromMs: number, toMs: number) => Promise<readonly Lag[]>;
  /** The verifications of the evidence log that ended in a period, the newest first. */
  readonly verifications: (tenantId: number, from: Date, to: Date) => Promise<readonly Verification[]>;
  /** The sources that may have the events of an instance, whose newest has a time; null: all of them. */
  readonly sourcesOf: (
    instance: string,
    sources: readonly Source[],
    newestMs: number,
  ) => readonly Source[] | null;
}
export type GroupedBy =
  | 'serverInstanceName'
  | 'actionId'
  | 'classType'
  | 'databaseName'
  | 'schemaName'
  | 'objectName'
  | 'applicationName'
  | 'serverPrincipalName';
export type GroupedFields = readonly [GroupedBy, GroupedBy?, GroupedBy?];

/** What an agent reports of a database that it reads. */
export interface Source {
  readonly tenantId: string;
  readonly hostName: string;
  readonly lastEventTime: string | null;
  readonly completeThrough: string | null;
  /** Since everything in its files was published, as of now; null: never yet. */
  readonly lagSeconds: number | null;
  readonly state: string;
  readonly lastReported: string;
  readonly gaps: readonly {
    readonly fileName: string;
    readonly afterTime: string | null;
    readonly beforeTime: string | null;
    /** By the service's clock. */
    readonly firstReported: string;
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
export type Group = (fields: GroupedFields, values: GroupValues) => Promise<readonly EventGroup[]>;
/** The same for several questions, from one snapshot. Null: `mayBeMany`, and there are. */
export type GroupEach = (questions: GroupQuestions) => Promise<readonly (readonly EventGroup[] | null)[]>;
export type GroupQuestions = readonly (readonly [GroupedFields, GroupValues])[];
interface GroupValues {
  readonly filter?: string;
  readonly startTime?: string;
  readonly endTime?: string;
  /** There may be more groups than can be counted. Not given: the assessment is refused then. */
  readonly mayBeMany?: true;
}

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
