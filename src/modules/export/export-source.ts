import type { TenantSet } from '../../caller/tenant-set';
import type { AuditEventFilter } from '../../event/query';
import type { StoredAuditEvent } from '../../trail/audit-event-reader';

/** A stretch of record ids: the first is not of it, the last is. */
export interface IdSpan {
  readonly after: string;
  readonly upTo: string;
}

export interface ExportPlan {
  /** Events that match; null: they can't be counted in the time that a statement may take. */
  readonly totalCount: number | null;
  /** Stretches with matching events, in order. */
  readonly spans: readonly IdSpan[];
}

export interface ExportPage {
  readonly events: readonly StoredAuditEvent[];
  /** Where the stretch goes on; null: that was all of it. */
  readonly after: string | null;
}

/** Port: events in full, by and by, in the order of their ids, which is that of their times. */
export interface ExportSource {
  plan(tenants: TenantSet, filter: AuditEventFilter): Promise<ExportPlan>;
  /** The next events of a stretch: bounded in number and size, and perhaps none. */
  page(tenants: TenantSet, filter: AuditEventFilter, span: IdSpan): Promise<ExportPage>;
}

/** A right to export that others of the same holder have not got meanwhile. */
export interface ExportLease {
  /** False: the lease has ended, and another may have it. */
  renew(): Promise<boolean>;
  release(): Promise<void>;
}

/** Port: sees to it, over all instances, that a holder exports once at a time. */
export interface ExportLeases {
  /** Null: somebody has it. */
  take(holder: string): Promise<ExportLease | null>;
}
