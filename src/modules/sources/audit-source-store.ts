import type { AuditSource, SourceId, SourceReport, StoredGap } from './audit-source';

/** Port: where sources and their gaps are kept. */
export interface AuditSourceStore {
  /**
   * Resolves after the commit of everything a report says; of a report that is refused nothing is stored. In whatever
   * order and however often reports come, times only move forward and a gap stays one: of several accounts of it the
   * widest is kept. Not so what counts or is momentary: `publishedCount` adds up; version, waiting bytes and problem
   * are those of the report that came last.
   * @throws DomainError `service_unavailable` when the source would have more than `LIMITS.sourceGapsMax` gaps:
   * dropping one would hide a loss, so its agent keeps them all and reports them again, and its lag grows meanwhile
   */
  report(tenantId: number, report: SourceReport, at: Date): Promise<void>;
  /** By tenant, host and database. @param tenantId null: of every tenant */
  sources(tenantId: number | null): Promise<readonly AuditSource[]>;
  /** Newest first. */
  gaps(tenantId: number, source: SourceId, limit: number): Promise<readonly StoredGap[]>;
  /**
   * Removes gaps first reported before `before`, unless the tenant's retention is another than `retentionDays` by
   * now. @returns how many
   */
  removeGaps(tenantId: number, retentionDays: number, before: Date): Promise<number>;
}
