import type { ServiceDoor } from '../../database/clients';
import { type AuditEventFilter, onlyFilters } from '../../event/query';
import { fold } from '../../event/search';
import { sealedIn, snapshotOf } from '../../store/archive/archive';
import { countInFiles, partsOf } from '../../store/archive/in-parts';
import { type ColumnCounter, inSnapshot } from '../../store/columns/counter';
import { groupsByColumns } from '../../store/columns/groups';
import { addAt, type Count } from '../../store/columns/tally';
import { planOf } from '../../store/plan';
import { toStored } from '../../store/rows/stored-text';
import type { TenantSet } from '../../tenant-set';
import type { ClosedRange } from './buckets';
import type { EventGroups, Facet, FacetField, FacetQuestion, Facets, GroupQuestion } from './explorer';
import { histogramStatement } from './histogram.statement';
import { firstGroups } from './sort-groups';

/**
 * The succeeded and failed events by the number of their window, where counts or words know those of the rows: files and
 * rows are read at the same time, in one snapshot. Null: they do not, or both have events of the same time.
 */
export async function windowsInParts(
  service: ServiceDoor,
  tenants: TenantSet,
  filter: AuditEventFilter & ClosedRange,
  windowMs: number,
) {
  const { by } = planOf({ kind: 'histogram', filter, widthMs: windowMs });
  if (by !== 'counts' && by !== 'words') return null;
  return snapshotOf(service, tenants, async (ask) => {
    const sealed = sealedIn(service, ask);
    const parts = sealed && (await partsOf(sealed, tenants, filter));
    if (!sealed || !parts) return null;
    const { inFiles, inRows } = parts;
    const [counted, found] = await Promise.all([
      inFiles ? countInFiles(sealed, tenants, { ...filter, ...inFiles }, windowMs) : [],
      inRows ? ask(histogramStatement(service.each(tenants), { ...filter, ...inRows }, windowMs)) : [],
    ]);
    const windows = new Map<number, Count>();
    for (const { w, n, ok } of counted) addAt(windows, w, { n, ok });
    for (const { bucket, n, ok } of found) addAt(windows, Number(bucket), { n: Number(n), ok: Number(ok) });
    return byWindow(windows);
  });
}

export const byWindow = (windows: ReadonlyMap<number, Count>) =>
  new Map([...windows].map(([window, count]) => [window, outcomes(count)]));

/** @returns the succeeded and failed events by the number of their window */
export async function windowsByColumns(
  service: ServiceDoor,
  tenants: TenantSet,
  filter: AuditEventFilter,
  windowMs: number,
) {
  const { windows } = await inSnapshot(service, tenants, filter, (counter) =>
    counter.count({ windowMs, fields: [], hasOutcomes: true }),
  );
  return byWindow(windows);
}

/** Counts all values of all facets in one snapshot. */
export async function facetsByColumns(
  service: ServiceDoor,
  tenants: TenantSet,
  filter: AuditEventFilter,
  asked: FacetQuestion,
): Promise<Facets> {
  return inSnapshot(service, tenants, filter, async (counter) => {
    const { total, values } = await counter.count({
      windowMs: null,
      fields: asked.fields,
      hasOutcomes: true,
    });
    const facets = asked.fields.map((field) => facetOf(field, values.get(field) ?? new Map(), asked));
    return { totalCount: total.n, facets };
  });
}

/** Counts all groups, with those of the period before. @param counter of the filter */
export async function eventGroups(
  counter: ColumnCounter,
  filter: AuditEventFilter,
  asked: GroupQuestion,
): Promise<EventGroups> {
  const { before, by } = asked;
  const then = before && {
    events: counter.with({ ...filter, ...before }),
    recorded: counter.with({ ...onServers(filter), ...before }),
    isListed: by === 'change' || by === 'before',
  };
  const groups = await groupsByColumns(counter, then, asked);
  return {
    totalCount: groups.reduce((sum, { n }) => sum + n, 0),
    groupCount: groups.length,
    groups: await firstGroups(groups, asked, () => counter.clock.take()),
  };
}

/** The same filter with only its condition on the server instance. */
const onServers = (filter: AuditEventFilter): AuditEventFilter => ({
  ...onlyFilters(filter, (name) => name === 'serverInstanceName'),
  search: [],
  expression: null,
});

function facetOf(
  field: FacetField,
  counts: ReadonlyMap<string, Count>,
  { limit, contains }: FacetQuestion,
): Facet {
  const wanted = contains === null ? null : fold(contains);
  const all = [...counts].filter(
    ([value]) => wanted === null || (value !== '' && fold(value).includes(wanted)),
  );
  const sorted = all.sort(([a, { n }], [b, { n: m }]) => m - n || compareStored(a, b));
  const values = sorted
    .slice(0, limit)
    .map(([value, count]) => ({ value: value === '' ? null : value, ...outcomes(count) }));
  return { field, distinct: all.length, values };
}

const outcomes = ({ n, ok }: Count) => ({ succeeded: ok, failed: n - ok });

const compareStored = (a: string, b: string) =>
  Buffer.compare(Buffer.from(toStored(a), 'utf8'), Buffer.from(toStored(b), 'utf8'));
