import type { ServiceDoor } from '../../database/clients';
import { toSummaryFilter } from '../../event/query';
import { LIMITS } from '../../limits';
import { eventsByIds } from '../../store/archive/rows-by-id';
import type { StoredAuditEvent } from '../../store/rows/audit-event-reader';
import type { TenantSet } from '../../tenant-set';
import type { Questions } from './questions';

/** Hands over the newest or the oldest events that satisfy a filter, oldest first, at most `LIMITS.complianceRecordsMax`. */
export async function eachEvent(
  service: ServiceDoor,
  ask: Pick<Questions, 'page'>,
  tenants: TenantSet,
  {
    filter,
    startTime,
    endTime,
    areOldest = false,
  }: { filter: string; startTime: string | null; endTime: string; areOldest?: boolean },
  take: (event: StoredAuditEvent) => void,
): Promise<void> {
  const { items } = await ask.page(tenants, {
    filter: toSummaryFilter({ filter, startTime: startTime ?? undefined, endTime }),
    sort: 'recordId',
    descending: !areOldest,
    page: 1,
    pageSize: LIMITS.complianceRecordsMax,
  });
  const ids = items.map(({ recordId }) => recordId);
  if (!areOldest) ids.reverse();
  for await (const event of eventsByIds(service, tenants, ids)) take(event);
}
