import type { FIELD_LABELS } from '../../lib/field-labels';
import type { In } from '../../lib/texts';
import { COLUMNS_DEFAULT, parseState } from '../explore-state';
import { SHAPE_TEXTS } from '../groups/shape-texts';
import type { EXPLORE } from '../texts';
import { rangeLabel, type TimeRange } from '../time-range';

interface Kept {
  readonly filter: string;
  readonly view?: string | null;
}

/** What a saved search or view shows, in a line: `objectName:Payroll · last 7 days · by Host · 4 columns`. */
export function savedText(
  { filter, view }: Kept,
  t: In<typeof EXPLORE>,
  labels: In<typeof FIELD_LABELS>,
): string {
  if (view === null || view === undefined) return filter;
  const { range, groupBy, shape, columns, chart } = parseState(view);
  return [
    filter || t.allEvents,
    nameOf(range, t),
    ...(groupBy.length > 0 ? [`${t.by} ${groupBy.map((field) => labels[field]).join(', ')}`] : []),
    ...(groupBy.length > 0 && shape !== 'table' ? [t[SHAPE_TEXTS[shape]]] : []),
    ...(columns.join() === COLUMNS_DEFAULT.join() ? [] : [t.columnCount(columns.length)]),
    ...(chart === 'table' ? [t.chartNumbers] : []),
  ].join(' · ');
}

const nameOf = (range: TimeRange, t: In<typeof EXPLORE>): string =>
  rangeLabel(range, t) ??
  (range.kind === 'fixed' ? `${range.from.slice(0, 16)} – ${range.to.slice(0, 16)}` : '');
