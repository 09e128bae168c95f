import type { ColumnCounter } from '../../store/columns/counter';
import { type EventGroup, groupsByColumns } from '../../store/columns/groups';
import type { EventGrid, FacetField, GridQuestion } from './explorer';

export async function gridByColumns(
  counter: ColumnCounter,
  { fields, valuesMax }: GridQuestion,
): Promise<EventGrid> {
  const groups = await groupsByColumns(counter, null, { fields, sumOf: null });
  const named = fields.filter((field) => field !== undefined);
  return gridOf(groups, { fields: named, valuesMax }, () => counter.clock.turn());
}

const GROUPS_AT_ONCE = 5_000;

/** @param turn is called between two pieces of work, so that other requests are served */
export async function gridOf(
  groups: readonly EventGroup[],
  { fields, valuesMax }: { readonly fields: readonly FacetField[]; readonly valuesMax: number },
  turn: () => Promise<void>,
): Promise<EventGrid> {
  const counts = fields.map(() => new Map<string, number>());
  for (const [i, { values, n }] of groups.entries()) {
    for (const [k, count] of counts.entries()) {
      const value = values[k] ?? '';
      count.set(value, (count.get(value) ?? 0) + n);
    }
    if (i % GROUPS_AT_ONCE === 0) await turn();
  }
  const axes = fields.map((field, k) => {
    const count = counts[k] ?? new Map<string, number>();
    const sorted = [...count].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
    return { field, values: sorted.slice(0, valuesMax).map(([value]) => value), distinct: count.size };
  });
  const placesOf = axes.map(({ values }) => new Map(values.map((value, place) => [value, place])));
  const cells = new Map<string, { places: number[]; n: number; failed: number }>();
  for (const [i, { values, n, failed }] of groups.entries()) {
    const places = axes.map(({ values: own }, k) => placesOf[k]?.get(values[k] ?? '') ?? own.length);
    const key = places.join();
    const known = cells.get(key) ?? { places, n: 0, failed: 0 };
    cells.set(key, { places, n: known.n + n, failed: known.failed + failed });
    if (i % GROUPS_AT_ONCE === 0) await turn();
  }
  return {
    totalCount: groups.reduce((sum, { n }) => sum + n, 0),
    groupCount: groups.length,
    axes,
    cells: [...cells.values()].sort((a, b) => comparePlaces(a.places, b.places)),
  };
}

const comparePlaces = (a: readonly number[], b: readonly number[]) =>
  a.map((place, k) => place - (b[k] ?? 0)).find((sign) => sign !== 0) ?? 0;
