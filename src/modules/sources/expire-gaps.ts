import type { Logger } from 'pino';
import type { TenantWithRetention } from '../../caller/tenant.store';
import { DAY_MS } from '../../event/event-time';
import type { AuditSourceStore } from './audit-source.store';

/**
 * Removes gaps for as long known as their tenant keeps its events: what is missing would be removed by now too.
 * Their age is counted from the first report, since an agent's clock may be wrong. While a legal hold of the tenant is in
 * force they stay: the held events would look complete without them.
 */
export async function expireGaps(parts: {
  readonly sources: Pick<AuditSourceStore, 'removeGaps'>;
  readonly retention: { tenantsWithRetention(): Promise<readonly TenantWithRetention[]> };
  readonly nowMs: () => number;
  readonly log: Logger;
}): Promise<void> {
  const { sources, retention, nowMs, log } = parts;
  for (const { tenantId, retentionDays } of await retention.tenantsWithRetention()) {
    const at = new Date(nowMs());
    const before = new Date(at.getTime() - retentionDays * DAY_MS);
    try {
      const removed = await sources.removeGaps(tenantId, retentionDays, before, at);
      if (removed > 0) log.info({ tenantId, removed }, 'retention removed gaps');
    } catch (err) {
      log.warn({ err, tenantId }, 'retention of gaps failed; the next run retries');
    }
  }
}
