import type { ServiceDoor } from '../../database/clients';
import type { LiftedName } from '../../event/fields';
import type { AuditEventFilter } from '../../event/query';
import { idBefore, nextId } from '../../event/record-id';
import { sealedIn } from '../../store/archive/archive';
import { askBy } from '../../store/columns/counter';
import type { Row } from '../../store/rows/event-rows';
import type { TenantSet } from '../../tenant-set';
import { exportPageStatement, isRead, sliceEndStatement } from './export.statements';
import type { ExportPage, IdSpan, PageLimits } from './export-source';

/** The rows of a page of an export from rows and files, read in one snapshot. It ends with a sealed week at the latest. */
export function pageAcross(
  service: ServiceDoor,
  tenants: TenantSet,
  filter: AuditEventFilter,
  span: IdSpan,
  limits: PageLimits,
  lifted?: readonly LiftedName[],
): Promise<ExportPage<readonly Row[]>> {
  return service.snapshot(tenants, async (step) => {
    const ask = askBy(step);
    const sealed = sealedIn(service, ask);
    const whole = { from: nextId(span.after), to: nextId(span.upTo) };
    let end: string | null = null;
    for (const tenantId of tenants) {
      const weekEnd = (await sealed?.endOfFirstWeek(tenantId, whole)) ?? null;
      if (weekEnd !== null && weekEnd < whole.to && (end === null || weekEnd < end)) end = weekEnd;
    }
    const slice = { after: span.after, upTo: end === null ? span.upTo : idBefore(end) };
    const each = service.each(tenants);
    const [readEnd] = isRead(filter) ? await ask(sliceEndStatement(each, slice, limits.read)) : [];
    const readTo = idOf(readEnd);
    const read = { ...slice, upTo: readTo ?? slice.upTo };
    const rows = await ask(exportPageStatement(each, filter, read, limits, lifted));
    const matched = Number(rows[0]?.matched ?? 0);
    // From a source that was cut, nothing is known behind its last event.
    let bound = rows.length < matched || matched >= limits.events ? idOf(rows.at(-1)) : readTo;
    const all = [...rows];
    const stretches = [{ from: whole.from, to: nextId(slice.upTo) }];
    const how = { value: null, descending: false, limit: limits.events };
    for (const tenantId of tenants) {
      const ids = (await sealed?.ids(tenantId, filter, stretches, how)) ?? [];
      const last = ids.length >= limits.events ? (ids.at(-1) ?? null) : null;
      if (last !== null && (bound === null || last < bound)) bound = last;
      const sizes = (await sealed?.sizes(tenantId, ids)) ?? [];
      all.push(...sizes.map(({ recordId, size }) => ({ record_id: recordId, size, tenantId })));
    }
    const known = all.filter((row) => bound === null || String(row.record_id) <= bound).sort(compareIds);
    const { kept, isCut } = cut(known, limits);
    const inFiles = new Map<string, Row>();
    for (const tenantId of tenants) {
      const ids = kept.filter((row) => row.tenantId === tenantId).map((row) => String(row.record_id));
      for (const row of (await sealed?.wholeRows(tenantId, ids)) ?? [])
        inFiles.set(String(row.record_id), row);
    }
    const events = kept.map((row) => inFiles.get(String(row.record_id)) ?? row);
    if (isCut) return { events, after: idOf(events.at(-1)) };
    return { events, after: bound ?? (end === null ? null : slice.upTo) };
  });
}

const idOf = (row: Row | undefined): string | null => (row ? String(row.record_id) : null);
const compareIds = (a: Row, b: Row) => (String(a.record_id) < String(b.record_id) ? -1 : 1);

/** The first rows, up to a number of events, and of bytes without the last event. */
function cut(rows: readonly Row[], { events, bytes }: PageLimits): { kept: readonly Row[]; isCut: boolean } {
  let before = 0;
  let count = 0;
  for (const { size } of rows) {
    if (count >= events || before > bytes) break;
    before += Number(size);
    count += 1;
  }
  return { kept: rows.slice(0, count), isCut: count < rows.length };
}
