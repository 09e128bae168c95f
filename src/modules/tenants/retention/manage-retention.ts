import type { Attempt } from '../../../caller/access-log';
import type { Tenant } from '../../../caller/tenant.store';
import { DAY_MS } from '../../../event/event-time';
import { noSuchTenant, parseTenantId } from '../../../tenant-set';
import type { RetentionPreview } from './preview';
import type { RetentionRun, RetentionStore } from './retention-store';

/** The operations on retention for operators. */
export class RetentionManager {
  constructor(
    private readonly store: RetentionStore,
    private readonly nowMs: () => number = Date.now,
  ) {}

  /** @param days null: events are kept for ever @throws DomainError `not_found` */
  async setDays(tenantId: string, days: number | null, attempt: Attempt): Promise<Tenant> {
    const tenant = await this.store.setDays(tenantNumber(tenantId), days, attempt);
    if (!tenant) throw noSuchTenant();
    return tenant;
  }

  /**
   * The number of events that a retention would remove now.
   * @throws DomainError `not_found`
   */
  async preview(tenantId: string, days: number): Promise<RetentionPreview> {
    const preview = await this.store.preview(tenantNumber(tenantId), this.nowMs() - days * DAY_MS);
    if (!preview) throw noSuchTenant();
    return preview;
  }

  /** Newest first. @param tenantId null: of every tenant */
  runs(tenantId: string | null, first: number): Promise<readonly RetentionRun[]> {
    return this.store.runs(tenantId === null ? null : tenantNumber(tenantId), first);
  }
}

function tenantNumber(text: string): number {
  const tenantId = parseTenantId(text);
  if (tenantId === null) throw noSuchTenant();
  return tenantId;
}
