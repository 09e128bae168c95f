import type { ServiceDoor } from '../../database/clients';
import { HOUR_MS } from '../../event/event-time';
import type { AuditEventFilter } from '../../event/query';
import type { GroupField } from '../../store/columns/column-fields';
import { inSnapshot } from '../../store/columns/counter';
import { DIMENSIONS } from '../../store/counts/dimensions';
import type { Row } from '../../store/rows/event-rows';
import type { TenantSet } from '../../tenant-set';
import { latestRecord } from './page-by-columns';

const { database, principal } = DIMENSIONS;

/** The row of a summary (see `summaryStatement`) for the events that a filter selects. */
export function summaryByColumns(
  service: ServiceDoor,
  tenants: TenantSet,
  filter: AuditEventFilter,
): Promise<Row> {
  return inSnapshot(service, tenants, filter, async (counter) => {
    const asked = { windowMs: HOUR_MS, fields: [database.field, principal.field], hasOutcomes: true };
    const tally = await counter.count(asked);
    const distinct = (field: GroupField) =>
      [...(tally.values.get(field)?.keys() ?? [])].filter((value) => value !== '').length;
    return {
      total: tally.total.n,
      ok: tally.total.ok,
      latest: tally.total.n === 0 ? null : await latestRecord(counter, tenants, filter, tally),
      databases: distinct(database.field),
      principals: distinct(principal.field),
    };
  });
}
