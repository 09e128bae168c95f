import type { AnyField, LiftedName } from '../../event/fields';
import type { AuditEventFilter } from '../../event/query';
import type { StoredAuditEvent } from '../../store/rows/audit-event-reader';
import type { EventValues } from '../../store/rows/event-values';
import type { TenantSet } from '../../tenant-set';

/** A span of record ids: `after` is excluded, `upTo` is included. */
export interface IdSpan {
  readonly after: string;
  readonly upTo: string;
  /** The end of the stretch that the page before read a part of, as that page says it. */
  readonly readTo?: string | null;
}

export interface ExportPlan {
  /** The number of matching events; null if counting exceeds the time of a statement. */
  readonly totalCount: number | null;
  /** The spans with matching events, in order. */
  readonly spans: readonly IdSpan[];
}

/** How large a page may be; the first event may exceed the bytes. */
export interface PageLimits {
  readonly events: number;
  readonly bytes: number;
  /** Events that one statement examines to find matching ones. */
  readonly read: number;
}

export interface ExportPage<Events = readonly StoredAuditEvent[]> {
  readonly events: Events;
  /** Where the span continues; null at its end. */
  readonly after: string | null;
  /** Of the next page's span. */
  readonly readTo?: string | null;
}

/** Port: reads whole events in pages, in the order of their ids, which is the order of their times. */
export interface ExportSource {
  plan(tenants: TenantSet, filter: AuditEventFilter): Promise<ExportPlan>;
  /**
   * Reads the next events of a span. A page is bounded in number and size, and may be empty.
   * @param lifted the fields that are read from `additional`, of which more may be left out; not given: all of it is read
   */
  page(
    tenants: TenantSet,
    filter: AuditEventFilter,
    span: IdSpan,
    lifted?: readonly LiftedName[],
  ): Promise<ExportPage>;
  /** The same of the values of some fields. */
  values(
    tenants: TenantSet,
    filter: AuditEventFilter,
    span: IdSpan,
    fields: readonly AnyField[],
  ): Promise<ExportPage<EventValues>>;
}

/** The right to export, which one export of a holder has at a time. */
export interface ExportLease {
  /** False: the lease has ended, and another export may have it. */
  renew(): Promise<boolean>;
  release(): Promise<void>;
}

/** Port: limits a holder to one export at a time over all instances. */
export interface ExportLeases {
  /** Null: another export of the holder has it. */
  take(holder: string): Promise<ExportLease | null>;
}
