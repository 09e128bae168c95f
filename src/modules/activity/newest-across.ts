import type { ServiceDoor } from '../../database/clients';
import { DAY_MS, TICKS_PER_MS } from '../../event/event-time';
import { SORTS } from '../../event/parameters';
import type { AuditEventFilter, AuditEventQuery } from '../../event/query';
import { type SealedWeeks, sealedIn, snapshotOf } from '../../store/archive/archive';
import { stretchOf } from '../../store/archive/cut-week';
import { countInFiles, partsOf } from '../../store/archive/in-parts';
import type { Stretch, TallyRow } from '../../store/archive/questions';
import { planOf } from '../../store/plan';
import type { Row } from '../../store/rows/event-rows';
import type { TenantSet } from '../../tenant-set';
import { pageStatement } from './page.statement';

/** So many ids of a file are sorted. A page that lies further from the newest event is found by the counts of hours. */
const NEWEST_MAX = 1_000;
const TICKS_PER_DAY = BigInt(DAY_MS) * TICKS_PER_MS;

/**
 * A page of the newest events, or any page about times that no file reaches: the rows by their own plan, and of the files
 * their total, and the page's events only as far as rows do not fill it; all in one snapshot. Null: it is another page.
 */
export async function newestAcross(
  service: ServiceDoor,
  tenants: TenantSet,
  query: AuditEventQuery,
): Promise<{ readonly rows: readonly Row[]; readonly total: number } | null> {
  const each = service.each(tenants);
  const end = query.page * query.pageSize;
  const isNewest = query.sort === SORTS.Timestamp && query.descending && end <= NEWEST_MAX;
  if (each.isScattered || planOf({ kind: 'page', filter: query.filter }).by === 'columns') return null;
  return snapshotOf(service, tenants, async (ask) => {
    const sealed = sealedIn(service, ask);
    const parts = sealed && (await partsOf(sealed, tenants, query.filter));
    if (!sealed || !parts?.inRows || (parts.inFiles && !isNewest)) return null;
    const { inFiles, inRows } = parts;
    const filter = { ...query.filter, ...inRows };
    const { by, planning } = planOf({ kind: 'page', filter });
    // Files and rows are read at the same time.
    const [counted, found] = await Promise.all([
      inFiles ? countInFiles(sealed, tenants, { ...query.filter, ...inFiles }, DAY_MS) : [],
      ask(pageStatement(each, { ...query, filter }, by), planning),
    ]);
    const ofFiles = counted.reduce((sum, { n }) => sum + n, 0);
    const ofRows = Number(found[0]?.total ?? 0);
    const rows = found.filter((row) => row.record_id !== null);
    if (inFiles && ofFiles > 0 && end > ofRows) {
      const span = { first: Math.max(0, end - query.pageSize - ofRows), end: end - ofRows };
      const days = newestDays(counted, span.end);
      rows.push(...(await newestInFiles(sealed, tenants, { ...query.filter, ...inFiles }, days, span)));
    }
    return { rows, total: ofRows + ofFiles };
  });
}

/** The newest days, in order of time, that have so many events together. */
function newestDays(counted: readonly TallyRow[], events: number): Stretch[] {
  const byDay = new Map<number, number>();
  for (const { w, n } of counted) byDay.set(w, (byDay.get(w) ?? 0) + n);
  const days: Stretch[] = [];
  let sum = 0;
  for (const [day, n] of [...byDay].sort(([a], [b]) => b - a)) {
    if (sum >= events) break;
    days.push(stretchOf({ from: BigInt(day) * TICKS_PER_DAY, to: BigInt(day + 1) * TICKS_PER_DAY }));
    sum += n;
  }
  return days.reverse();
}

/** Rows of events in files, from a place to before another one, the newest first. */
async function newestInFiles(
  sealed: SealedWeeks,
  tenants: TenantSet,
  filter: AuditEventFilter,
  days: readonly Stretch[],
  { first, end }: { readonly first: number; readonly end: number },
): Promise<readonly Row[]> {
  const how = { value: null, descending: true, limit: end };
  const ids: string[] = [];
  for (const tenantId of tenants) ids.push(...(await sealed.ids(tenantId, filter, days, how)));
  const wanted = ids.sort().reverse().slice(first, end);
  const rows: Row[] = [];
  for (const tenantId of tenants) rows.push(...(await sealed.listRows(tenantId, wanted)));
  return rows.sort((a, b) => (String(a.record_id) < String(b.record_id) ? 1 : -1));
}
