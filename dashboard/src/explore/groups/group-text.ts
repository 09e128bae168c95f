import { actionNameOf } from '../../../../src/event/action-names';
import type { NumberField } from '../../../../src/event/fields';
import { csvLine } from '../../lib/csv';
import { counted, formatCount } from '../../lib/numbers';
import { showValue } from '../event/marks';
import type { FacetField } from '../facets/facet-field';
import { OUTCOMES } from '../outcomes';
import type { Groups } from './group-rows';

export function valueText(field: FacetField, value: string | null): string {
  if (value === null) return '(none)';
  if (field === 'succeeded') return OUTCOMES[value] ?? value;
  const name = field === 'actionId' ? actionNameOf(value) : null;
  return name ? `${name} ${value}` : showValue(value);
}

/** Which part of all groups the rows are: `38 groups`, or `The first 50 of 1,234 groups`. */
export function extentOf({ rows, groupCount }: Groups): string {
  const all = counted(groupCount, 'group');
  return rows.length < groupCount ? `The first ${formatCount(rows.length)} of ${all}` : all;
}

/** Groups as CSV, whose name states their extent. Absent values are empty. */
export function csvOf(
  fields: readonly FacetField[],
  sumOf: NumberField | null,
  { rows, groupCount }: Groups,
) {
  const hasBefore = rows.some((row) => row.before !== null);
  const lines = [
    [
      ...fields,
      'events',
      'failed',
      ...(hasBefore ? ['before'] : []),
      ...(sumOf ? [sumOf] : []),
      'firstTime',
      'lastTime',
    ],
    ...rows.map((row) => [
      ...row.values.map((value) => value ?? ''),
      ...[row.count, row.failed].map(String),
      ...(hasBefore ? [String(row.before ?? '')] : []),
      ...(sumOf ? [row.sum ?? ''] : []),
      ...[row.firstTime, row.lastTime],
    ]),
  ];
  const extent = rows.length < groupCount ? `${rows.length}-of-${groupCount}` : 'all';
  return {
    name: `audit-activity-by-${fields.join('-')}-${extent}-groups.csv`,
    content: new Blob([lines.map(csvLine).join('')], { type: 'text/csv' }),
  };
}
