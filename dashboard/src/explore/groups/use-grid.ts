import { useClient } from 'urql';
import type { NumberField } from '../../../../src/event/fields';
import { GroupGridDocument } from '../../../generated/operations';
import { noAnswer } from '../../api/errors';
import { FIELD_LABELS } from '../../lib/field-labels';
import { useTexts } from '../../lib/language';
import { formatCount } from '../../lib/numbers';
import { useAnswer } from '../../lib/use-answer';
import { EXPLORE } from '../texts';
import type { ChartProps } from './chart-props';
import { fieldAt, type Grid } from './grid-data';
import { valueText } from './group-text';

/** Asks for all events by few values of each field. */
export function useGrid({ filter, asked }: Pick<ChartProps, 'filter' | 'asked'>, values: number) {
  const client = useClient();
  return useAnswer({ ...filter, fields: [...asked.fields], sumOf: asked.sumOf, values }, async (of) => {
    const { data, error } = await client.query(GroupGridDocument, of).toPromise();
    if (error || !data) throw error ?? noAnswer();
    return data.auditGroupGrid;
  });
}

/** How a grid is told in words. @param sumOf what its cells weigh by; null: events */
export function useGridTexts(sumOf: NumberField | null) {
  const t = useTexts(EXPLORE);
  const labels = useTexts(FIELD_LABELS);
  const extent = (grid: Grid) =>
    t.gridExtent(
      grid.totalCount,
      [
        ...(sumOf ? [t.sumOf(labels[sumOf])] : []),
        ...grid.axes.map(({ values, distinct }, axis) =>
          t.axisExtent(values.length, distinct, labels[fieldAt(grid, axis)]),
        ),
      ].join('; '),
    );
  const markOf = (name: string, weight: number) =>
    sumOf ? `${name}: ${t.sumOf(labels[sumOf])} ${formatCount(weight)}` : t.markOf(name, weight);
  const nameOf = (grid: Grid, axis: number, place: number) => {
    const value = grid.axes[axis]?.values[place];
    return value === undefined ? t.others : valueText(fieldAt(grid, axis), value || null, t);
  };
  return { extent, markOf, nameOf };
}
