import type { Attempt } from '../../../caller/access-log';
import type { Tenant, TenantWithRetention } from '../../../caller/tenant.store';
import type { RetentionPreview } from './preview';

/** A weekly partition of the events: half-open, in milliseconds since 1970. */
export interface StoredWeek {
  readonly name: string;
  readonly startMs: number;
  readonly endMs: number;
}

/** The run that removes, for the record it leaves. */
export interface RunningRetention {
  readonly runId: string;
  readonly startedAt: Date;
  readonly now: () => Date;
}

/** What one run removed of one tenant. */
export interface RetentionRun extends TenantWithRetention {
  readonly runId: string;
  readonly events: number;
  /** Whole hours around the events removed, half-open. */
  readonly fromTime: Date;
  readonly toTime: Date;
  /** Partitions dropped whole, for every tenant that had events in them. */
  readonly partitions: readonly string[];
  readonly startedAt: Date;
  readonly endedAt: Date;
}

/** One small step of removal. */
export interface RemovalStep {
  readonly removed: number;
  /** Where the next step begins; null: nothing is left. */
  readonly next: string | null;
}

/**
 * Port: where events are removed. Whatever removes events takes them out of the counts and the search index and
 * writes its record in the same transaction.
 */
export interface RetentionStore {
  /** The tenant as changed, or null. @param retentionDays null: for ever */
  setDays(tenantId: number, retentionDays: number | null, attempt: Attempt): Promise<Tenant | null>;
  /** What would go if a tenant's events were kept from `beforeMs` on; null: there is no such tenant. */
  preview(tenantId: number, beforeMs: number): Promise<RetentionPreview | null>;
  tenantsWithRetention(): Promise<readonly TenantWithRetention[]>;
  /** Oldest first. */
  weeks(): Promise<readonly StoredWeek[]>;
  /**
   * Drops a week, unless a tenant that keeps its events for more than `daysMax` days has any in it.
   * @returns the tenants that had events in it; null: it is still needed
   */
  dropWeek(
    week: StoredWeek,
    daysMax: number,
    run: RunningRetention,
  ): Promise<readonly TenantWithRetention[] | null>;
  /** Removes some events from record id `from` on and before `beforeMs`, oldest first. */
  removeStep(
    tenant: TenantWithRetention,
    range: { readonly from: string; readonly beforeMs: number },
    run: RunningRetention,
  ): Promise<RemovalStep>;
  /** Forgets counted values (databases, principals) that no event of the tenant has any more. */
  forgetValues(tenantId: number): Promise<void>;
  /** Newest first. @param tenantId null: of every tenant */
  runs(tenantId: number | null, limit: number): Promise<readonly RetentionRun[]>;
}
