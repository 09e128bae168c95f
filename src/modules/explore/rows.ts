import type { ServiceDoor } from '../../database/clients';
import { guarded } from '../../database/limited';
import type { AuditEventFilter } from '../../event/query';
import { inSnapshot } from '../../store/columns/counter';
import { sumByColumns } from '../../store/columns/sum';
import type { TenantSet } from '../../tenant-set';

/** The exact sums of rows that the events of a filter returned and changed, from one snapshot. */
export const rowsOf = (service: ServiceDoor, tenants: TenantSet, filter: AuditEventFilter) =>
  guarded(() =>
    inSnapshot(service, tenants, filter, async (counter) => ({
      responseRows: String((await sumByColumns(counter, 'responseRows')).sum),
      affectedRows: String((await sumByColumns(counter, 'affectedRows')).sum),
    })),
  );
