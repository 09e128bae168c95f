import { FIELD_LABELS } from '../../lib/field-labels';
import { COLUMNS_DEFAULT, parseState } from '../explore-state';
import { rangeLabel, type TimeRange } from '../time-range';

interface Kept {
  readonly filter: string;
  readonly view?: string | null;
}

/** What a saved search or view shows, in a line: `objectName:Payroll · last 7 days · by Host · 4 columns`. */
export function savedText({ filter, view }: Kept): string {
  if (view === null || view === undefined) return filter;
  const { range, groupBy, columns, chart } = parseState(view);
  return [
    filter || 'all events',
    nameOf(range),
    ...(groupBy.length > 0 ? [`by ${groupBy.map((field) => FIELD_LABELS[field]).join(', ')}`] : []),
    ...(columns.join() === COLUMNS_DEFAULT.join() ? [] : [`${columns.length} columns`]),
    ...(chart === 'table' ? ['numbers of the chart'] : []),
  ].join(' · ');
}

const nameOf = (range: TimeRange): string =>
  rangeLabel(range) ??
  (range.kind === 'fixed' ? `${range.from.slice(0, 16)} – ${range.to.slice(0, 16)}` : '');
