import type { Logger } from 'pino';
import type { TenantWithRetention } from '../../caller/tenant.store';
import { DAY_MS } from '../../event/event-time';
import { oneTenant } from '../../tenant-set';
import type { AuditSourceStore } from './audit-source.store';
import type { ReadHolds } from './coverage.resolver';

/**
 * Removes gaps for as long known as their tenant keeps its events: what is missing would be removed by now too.
 * Their age is counted from the first report, since an agent's clock may be wrong. While a legal hold of the tenant is in
 * force they stay: the held events would look complete without them.
 */
export async function expireGaps(parts: {
  readonly sources: Pick<AuditSourceStore, 'removeGaps'>;
  readonly retention: { tenantsWithRetention(): Promise<readonly TenantWithRetention[]> };
  readonly holds: ReadHolds;
  readonly nowMs: () => number;
  readonly log: Logger;
}): Promise<void> {
  const { sources, retention, holds, nowMs, log } = parts;
  for (const { tenantId, retentionDays } of await retention.tenantsWithRetention()) {
    const at = nowMs();
    const before = new Date(at - retentionDays * DAY_MS);
    try {
      if ((await holds.inForce(oneTenant(tenantId), new Date(at))).length > 0) continue;
      const removed = await sources.removeGaps(tenantId, retentionDays, before);
      if (removed > 0) log.info({ tenantId, removed }, 'retention removed gaps');
    } catch (err) {
      log.warn({ err, tenantId }, 'retention of gaps failed; the next run retries');
    }
  }
}
