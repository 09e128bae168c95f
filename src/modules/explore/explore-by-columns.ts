import type { ServiceDoor } from '../../database/clients';
import type { AuditEventFilter } from '../../event/query';
import { fold } from '../../event/search';
import { ColumnCounter, inSnapshot } from '../../store/columns/counter';
import { groupsByColumns } from '../../store/columns/groups';
import { type Count } from '../../store/columns/tally';
import { toStored } from '../../store/rows/stored-text';
import type { TenantSet } from '../../tenant-set';
import type { EventGroups, Facet, FacetField, FacetQuestion, Facets, GroupQuestion } from './explorer';
import { firstGroups } from './sort-groups';

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
  return new Map([...windows].map(([window, count]) => [window, outcomes(count)]));
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

/** Counts all groups in one snapshot, with those of the period before. */
export async function eventGroups(
  service: ServiceDoor,
  tenants: TenantSet,
  filter: AuditEventFilter,
  asked: GroupQuestion,
): Promise<EventGroups> {
  const { before } = asked;
  return inSnapshot(service, tenants, filter, async (counter) => {
    const earlier =
      before &&
      new ColumnCounter(
        counter.ask,
        tenants,
        { ...filter, ...before },
        counter.lookup,
        counter.sealed,
        counter.clock,
      );
    const groups = await groupsByColumns(counter, earlier, asked);
    return {
      totalCount: groups.reduce((sum, { n }) => sum + n, 0),
      groupCount: groups.length,
      groups: await firstGroups(groups, asked, () => counter.clock.turn()),
    };
  });
}

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
