import type { TenantSet } from '../../caller/tenant-set';
import type { RunSteps } from '../../database/clients';
import type { AuditEventFilter } from '../../event/query';
import { fold } from '../../event/search';
import { inSnapshot } from '../../trail/columns/counter';
import { type Count } from '../../trail/columns/tally';
import type { TenantForm } from '../../trail/counts/scope';
import { toStored } from '../../trail/stored-text';
import type { Facet, FacetField, FacetQuestion, Facets } from './explorer';
import { withTimes } from './seen';

/** @returns the succeeded and failed events by the number of their window */
export async function windowsByColumns(
  snapshot: RunSteps,
  form: TenantForm,
  tenants: TenantSet,
  filter: AuditEventFilter,
  windowMs: number,
) {
  const { windows } = await inSnapshot(snapshot, tenants, { filter, form }, (counter) =>
    counter.count({ windowMs, fields: [], hasOutcomes: true }),
  );
  return new Map([...windows].map(([window, count]) => [window, outcomes(count)]));
}

/** Counts all values of all facets in one snapshot. */
export async function facetsByColumns(
  snapshot: RunSteps,
  form: TenantForm,
  tenants: TenantSet,
  filter: AuditEventFilter,
  asked: FacetQuestion,
): Promise<Facets> {
  return inSnapshot(snapshot, tenants, { filter, form }, async (counter) => {
    const { total, values } = await counter.count({
      ...{ windowMs: null, fields: asked.fields, hasOutcomes: true },
    });
    const facets: Facet[] = [];
    for (const field of asked.fields) {
      const facet = facetOf(field, values.get(field) ?? new Map(), asked);
      facets.push(asked.hasTimes ? await withTimes(counter, { tenants, filter }, facet) : facet);
    }
    return { totalCount: total.n, facets };
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
