import { plus } from '../../store/columns/codec';
import type { ColumnCounter } from '../../store/columns/counter';
import { type EventGroup, groupsByColumns } from '../../store/columns/groups';
import type { EventGrid, FacetField, GridCell, GridQuestion } from './explorer';

export async function gridByColumns(
  counter: ColumnCounter,
  { fields, sumOf, valuesMax }: GridQuestion,
): Promise<EventGrid> {
  const groups = await groupsByColumns(counter, null, { fields, sumOf });
  const named = fields.filter((field) => field !== undefined);
  return gridOf(groups, { fields: named, sumOf, valuesMax }, () => counter.clock.take());
}

const GROUPS_AT_ONCE = 5_000;

/** @param turn is called between two pieces of work, so that other requests are served */
export async function gridOf(
  groups: readonly EventGroup[],
  {
    fields,
    sumOf,
    valuesMax,
  }: Pick<GridQuestion, 'sumOf' | 'valuesMax'> & { readonly fields: readonly FacetField[] },
  turn: () => Promise<void>,
): Promise<EventGrid> {
  const counts = fields.map(() => new Map<string, number | bigint>());
  for (const [i, { values, n, sum }] of groups.entries()) {
    for (const [k, count] of counts.entries()) {
      const value = values[k] ?? '';
      count.set(value, plus(count.get(value) ?? null, sumOf ? (sum ?? 0) : n));
    }
    if (i % GROUPS_AT_ONCE === 0) await turn();
  }
  const axes = fields.map((field, k) => {
    const count = counts[k] ?? new Map<string, number | bigint>();
    const sorted = [...count].sort(([a, n], [b, m]) => (m > n ? 1 : m < n || a < b ? -1 : 1));
    return { field, values: sorted.slice(0, valuesMax).map(([value]) => value), distinct: count.size };
  });
  const placesOf = axes.map(({ values }) => new Map(values.map((value, place) => [value, place])));
  const cells = new Map<string, GridCell>();
  for (const [i, { values, n, failed, sum }] of groups.entries()) {
    const places = axes.map(({ values: own }, k) => placesOf[k]?.get(values[k] ?? '') ?? own.length);
    const key = places.join();
    const known = cells.get(key) ?? { places, n: 0, failed: 0, sum: null };
    cells.set(key, {
      places,
      n: known.n + n,
      failed: known.failed + failed,
      sum: sum === null ? known.sum : plus(known.sum, sum),
    });
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
