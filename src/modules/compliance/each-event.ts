import { setImmediate } from 'node:timers/promises';
import type { ServiceDoor } from '../../database/clients';
import { toSummaryFilter } from '../../event/query';
import { LIMITS } from '../../limits';
import { rowsByIds } from '../../store/archive/rows-by-id';
import type { StoredAuditEvent } from '../../store/rows/audit-event-reader';
import { type Row, toStoredEvent } from '../../store/rows/event-rows';
import type { TenantSet } from '../../tenant-set';
import type { Questions } from './questions';

/** Rows that are read at once: a statement below the size of a mark may take 256 KB. */
const ROWS_AT_ONCE = 50;

/** Hands over the newest events that satisfy a filter, oldest first, at most `LIMITS.complianceRecordsMax`. */
export async function eachEvent(
  service: ServiceDoor,
  ask: Pick<Questions, 'page'>,
  tenants: TenantSet,
  { filter, startTime, endTime }: { filter: string; startTime: string | null; endTime: string },
  take: (event: StoredAuditEvent) => void,
): Promise<void> {
  const { items } = await ask.page(tenants, {
    filter: toSummaryFilter({ filter, startTime: startTime ?? undefined, endTime }),
    sort: 'recordId',
    descending: true,
    page: 1,
    pageSize: LIMITS.complianceRecordsMax,
  });
  const ids = items.map(({ recordId }) => recordId).reverse();
  for (let at = 0; at < ids.length; at += ROWS_AT_ONCE) {
    const some = ids.slice(at, at + ROWS_AT_ONCE);
    const rows = new Map<string, Row>();
    for (const row of await rowsByIds(service, tenants, some)) rows.set(String(row.record_id), row);
    for (const id of some) {
      const row = rows.get(id);
      if (row) take(toStoredEvent(row));
      // To read a long statement takes a while: other callers are served before the next one.
      await setImmediate();
    }
  }
}
