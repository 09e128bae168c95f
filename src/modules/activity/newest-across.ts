import type { ServiceDoor } from '../../database/clients';
import { SORTS } from '../../event/parameters';
import type { AuditEventQuery } from '../../event/query';
import { sealedIn, snapshotOf } from '../../store/archive/archive';
import { countInFiles, partsOf } from '../../store/archive/in-parts';
import { planOf } from '../../store/plan';
import type { Row } from '../../store/rows/event-rows';
import type { TenantSet } from '../../tenant-set';
import { pageStatement } from './page.statement';

/** Of a page that lies further from the newest event, rows hold less often all events. */
const NEWEST_MAX = 1_000;

/**
 * A page of the newest events, where rows have all of its events: the rows by their own plan, and of the files their
 * total alone, both in one snapshot. Null: the question is not such a one.
 */
export async function newestAcross(
  service: ServiceDoor,
  tenants: TenantSet,
  query: AuditEventQuery,
): Promise<{ readonly rows: readonly Row[]; readonly total: number } | null> {
  const each = service.each(tenants);
  const end = query.page * query.pageSize;
  if (query.sort !== SORTS.Timestamp || !query.descending || end > NEWEST_MAX || each.isScattered)
    return null;
  if (planOf({ kind: 'page', filter: query.filter }).by === 'columns') return null;
  return snapshotOf(service, tenants, async (ask) => {
    const sealed = sealedIn(service, ask);
    const parts = sealed && (await partsOf(sealed, tenants, query.filter));
    if (!sealed || !parts?.inRows) return null;
    const { inFiles, inRows } = parts;
    const filter = { ...query.filter, ...inRows };
    const { by } = planOf({ kind: 'page', filter });
    // Files and rows are read at the same time.
    const [counted, found] = await Promise.all([
      inFiles ? countInFiles(sealed, tenants, { ...query.filter, ...inFiles }, null) : [],
      ask(pageStatement(each, { ...query, filter }, by)),
    ]);
    const ofFiles = counted.reduce((sum, { n }) => sum + n, 0);
    const ofRows = Number(found[0]?.total ?? 0);
    if (ofFiles > 0 && end > ofRows) return null;
    return { rows: found.filter((row) => row.record_id !== null), total: ofRows + ofFiles };
  });
}
