import type { Attempt } from '../../../caller/access-log';
import type { Tenant, TenantWithRetention } from '../../../caller/tenant.store';
import type { RetentionPreview } from './preview';

/** A partition of events: half-open, in milliseconds since 1970. */
export interface StoredWeek {
  readonly name: string;
  readonly startMs: number;
  readonly endMs: number;
}

/** The run of a removal, for its record. */
export interface RunningRetention {
  readonly runId: string;
  readonly startedAt: Date;
  readonly now: () => Date;
  /** Whether it counts the days of its events from their arrival, and not from their times. */
  readonly isByArrival?: boolean;
}

/** The events that one run removed of one tenant. */
export interface RetentionRun extends TenantWithRetention {
  readonly runId: string;
  readonly events: number;
  /** Whole hours around the removed events, half-open. */
  readonly fromTime: Date;
  readonly toTime: Date;
  /** The dropped partitions, for every tenant that had events in them. */
  readonly partitions: readonly string[];
  readonly startedAt: Date;
  readonly endedAt: Date;
}

/** One small step of removal. */
export interface RemovalStep {
  readonly removed: number;
  /** The start of the next step; null: nothing is left. */
  readonly next: string | null;
}

/**
 * Port: removes events. Each removal also takes the events out of the counts and the search index and writes its
 * record, in one transaction.
 */
export interface RetentionStore {
  /** @returns the changed tenant, or null @param retentionDays null: for ever */
  setDays(tenantId: number, retentionDays: number | null, attempt: Attempt): Promise<Tenant | null>;
  /**
   * Counts the events that would go if a tenant's events were kept from `beforeMs` on; null: there is no such tenant.
   */
  preview(tenantId: number, beforeMs: number): Promise<RetentionPreview | null>;
  tenantsWithRetention(): Promise<readonly TenantWithRetention[]>;
  /** Oldest first. */
  weeks(): Promise<readonly StoredWeek[]>;
  /**
   * Drops a week, unless a tenant that keeps its events for more than `daysMax` days has events in it.
   * @returns the tenants that had events in it; null if it is still needed
   */
  dropWeek(
    week: StoredWeek,
    daysMax: number,
    run: RunningRetention,
  ): Promise<readonly TenantWithRetention[] | null>;
  /** Weeks of a tenant that lie in files and have events before `beforeMs`. */
  expiredWeeks(tenantId: number, beforeMs: number): Promise<readonly number[]>;
  /** Removes such a week, or brings it back into rows for `removeStep`. @returns the number of removed events */
  removeSealedWeek(
    tenant: TenantWithRetention,
    week: number,
    beforeMs: number,
    run: RunningRetention,
  ): Promise<number>;
  /** Removes some events without a mark from record id `from` on and before `beforeMs`, oldest first. */
  removeStep(
    tenant: TenantWithRetention,
    range: { readonly from: string; readonly beforeMs: number },
    run: RunningRetention,
  ): Promise<RemovalStep>;
  /** Removes some marked events that came before `beforeMs`. @returns their number; 0: nothing is left */
  removeMarkedStep(tenant: TenantWithRetention, beforeMs: number, run: RunningRetention): Promise<number>;
  /** Removes counted values (databases, principals) that no event of the tenant has any more. */
  forgetValues(tenantId: number): Promise<void>;
  /** Newest first. @param tenantId null: of every tenant */
  runs(tenantId: number | null, limit: number): Promise<readonly RetentionRun[]>;
}
