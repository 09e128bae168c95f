import { type TenantSet, tenantSet } from '../../caller/tenant-set';
import { HOUR_MS } from '../../event/event-time';
import type { AuditEventFilter } from '../../event/query';
import { ticksOfRecordId } from '../../event/record-id';
import { LIMITS } from '../../limits';
import { type ColumnCounter } from '../../trail/columns/counter';
import { findPlaces } from '../../trail/columns/find-rows';
import { type Tally } from '../../trail/columns/tally';
import type { Facet, FacetValue } from './explorer';

interface Scope {
  readonly tenants: TenantSet;
  readonly filter: AuditEventFilter;
}

/** Adds the times of the first and the last event to each listed value of a facet. */
export async function withTimes(counter: ColumnCounter, scope: Scope, facet: Facet): Promise<Facet> {
  const { values: listed } = facet;
  if (listed === null || listed.length * scope.tenants.length > LIMITS.facetTimesMax) return facet;
  const values =
    facet.field === 'tenantId' ? ofTenants(counter, scope, listed) : ofField(counter, scope, facet);
  return { ...facet, values: await values };
}

async function ofField(
  counter: ColumnCounter,
  scope: Scope,
  { field, values }: Facet,
): Promise<FacetValue[]> {
  if (field === 'tenantId' || values === null) return [];
  const texts = new Set(values.map(({ value }) => value ?? ''));
  const { windowsOfValues, read } = await counter.count({
    ...{ windowMs: HOUR_MS, fields: [], hasOutcomes: false },
    ofValues: { field, values: texts },
  });
  const seen: FacetValue[] = [];
  for (const value of values) {
    const text = value.value ?? '';
    const windows = windowsOfValues.get(text) ?? new Map();
    seen.push(await withSeen(counter, { ...scope, value: { field, text } }, { windows, read }, value));
  }
  return seen;
}

async function ofTenants(
  counter: ColumnCounter,
  { filter }: Scope,
  values: readonly FacetValue[],
): Promise<FacetValue[]> {
  const seen: FacetValue[] = [];
  for (const value of values) {
    const tenants = tenantSet([Number(value.value)]);
    const tally = await counter.of(tenants).count({ windowMs: HOUR_MS, fields: [], hasOutcomes: false });
    seen.push(await withSeen(counter, { tenants, filter, value: null }, tally, value));
  }
  return seen;
}

async function withSeen(
  counter: ColumnCounter,
  sought: Omit<Parameters<typeof findPlaces>[1], 'descending'>,
  { windows, read }: Pick<Tally, 'windows' | 'read'>,
  value: FacetValue,
): Promise<FacetValue> {
  const at = async (descending: boolean) => {
    const [id] = await findPlaces(counter, { ...sought, descending }, windows, read, { first: 0, count: 1 });
    return id === undefined ? null : ticksOfRecordId(id);
  };
  const [first, last] = [await at(false), await at(true)];
  return first === null || last === null ? value : { ...value, seen: { first, last } };
}
