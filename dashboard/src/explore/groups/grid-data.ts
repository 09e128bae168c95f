import type { NumberField } from '../../../../src/event/fields';
import type { GroupGridQuery } from '../../../generated/operations';
import { csvLine } from '../../lib/csv';
import { type FacetField, isFacetField } from '../facets/facet-field';
import type { Mark } from './group-links';

export type Grid = GroupGridQuery['auditGroupGrid'];

export interface GridCell {
  /** Places among the values of each field; as many as there are values: the others. */
  readonly places: readonly number[];
  readonly events: number;
  readonly failed: number;
  /** The sum of the chosen numbers, a decimal text; null: none is asked for, or no event states one. */
  readonly sum: string | null;
  /** What it counts for in a chart: the sum where one is asked for, or else the events. */
  readonly weight: number;
}

export function cellsOf({ first, second, third, succeeded, failed, sum }: Grid): readonly GridCell[] {
  const lists = [first, second, third].filter((list) => list !== null && list !== undefined);
  return first.map((_, i) => {
    const events = (succeeded[i] ?? 0) + (failed[i] ?? 0);
    return {
      places: lists.map((list) => list[i] ?? 0),
      events,
      failed: failed[i] ?? 0,
      sum: sum?.[i] || null,
      weight: sum ? Math.max(0, Number(sum[i])) : events,
    };
  });
}

export const fieldAt = ({ axes }: Pick<Grid, 'axes'>, axis: number): FacetField => {
  const name = axes[axis]?.field ?? '';
  return isFacetField(name) ? name : 'actionId';
};

/** The value at a place; undefined: the others. */
export const valueAt = (
  { axes }: Pick<Grid, 'axes'>,
  axis: number,
  place: number,
): string | null | undefined => {
  const value = axes[axis]?.values[place];
  return value === undefined ? undefined : value || null;
};

/** The number of places of a field: its values, and the others if there are some. */
export const placesOf = ({ axes }: Pick<Grid, 'axes'>, axis: number): number => {
  const { values = [], distinct = 0 } = axes[axis] ?? {};
  return values.length + (distinct > values.length ? 1 : 0);
};

/** The events at some places. @param places undefined: any place of the field */
export function markAt(grid: Pick<Grid, 'axes'>, places: readonly (number | undefined)[]): Mark {
  const only: [FacetField, string | null][] = [];
  const not: [FacetField, string | null][][] = [];
  for (const [axis, place] of places.entries()) {
    if (place === undefined) continue;
    const field = fieldAt(grid, axis);
    const value = valueAt(grid, axis, place);
    if (value !== undefined) only.push([field, value]);
    else for (const text of grid.axes[axis]?.values ?? []) not.push([[field, text || null]]);
  }
  return { only, not };
}

/** A grid as CSV, whose name states its extent. The column `others` names the fields whose other values a row adds up. */
export function gridCsv(kind: 'heat-map' | 'flow', grid: Grid, sumOf: NumberField | null) {
  const names = grid.axes.map(({ field }) => field);
  const lines = [
    [...names, 'others', 'events', 'failed', ...(sumOf ? [sumOf] : [])],
    ...cellsOf(grid).map(({ places, events, failed, sum }) => [
      ...places.map((place, axis) => valueAt(grid, axis, place) ?? ''),
      names.filter((_, axis) => valueAt(grid, axis, places[axis] ?? 0) === undefined).join(' '),
      String(events),
      String(failed),
      ...(sumOf ? [sum ?? ''] : []),
    ]),
  ];
  const extent = grid.axes.map(({ field, values, distinct }) =>
    values.length < distinct ? `${values.length}-of-${distinct}-${field}-and-others` : `all-${field}`,
  );
  return {
    name: `audit-activity-${kind}-${extent.join('-')}.csv`,
    content: new Blob([lines.map(csvLine).join('')], { type: 'text/csv' }),
  };
}
