import { equals } from '../../../event/expression/expression';
import { printed } from '../../../event/expression/printed';
import { toSummaryFilter } from '../../../event/query';
import type { AuditEventReader } from '../../../store/rows/audit-event-reader';
import { oneTenant } from '../../../tenant-set';

/** Finds events: counts tell where they are, so a server that stays silent costs no look at the events of others. */
export type FindEvents = AuditEventReader['page'];

/** The record id of the first event of a server instance between two times; null: there is none. */
export async function nextEventOf(
  find: FindEvents,
  { tenantId, instance }: { readonly tenantId: number; readonly instance: string },
  range: { readonly from: bigint; readonly to: bigint },
): Promise<string | null> {
  const filter = printed(equals('serverInstanceName', instance));
  const { items } = await find(oneTenant(tenantId), {
    filter: { ...toSummaryFilter({ filter, startTime: undefined, endTime: undefined }), ...range },
    sort: 'recordId',
    descending: false,
    page: 1,
    pageSize: 1,
  });
  return items[0]?.recordId ?? null;
}
