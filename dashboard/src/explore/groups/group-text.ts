import { actionNameOf } from '../../../../src/event/action-names';
import type { NumberField } from '../../../../src/event/fields';
import { csvLine } from '../../lib/csv';
import { formatCount } from '../../lib/numbers';
import type { In } from '../../lib/texts';
import { showValue } from '../event/marks';
import type { FacetField } from '../facets/facet-field';
import { outcomeText } from '../outcomes';
import type { EXPLORE } from '../texts';
import type { Groups } from './group-rows';

export function valueText(field: FacetField, value: string | null, t: In<typeof EXPLORE>): string {
  if (value === null) return t.absent;
  if (field === 'succeeded') return outcomeText(value, t);
  const name = field === 'actionId' ? actionNameOf(value) : null;
  return name ? `${name} ${value}` : showValue(value);
}

/** By how much a group grew or shrank: `+12`, `−3`, `0`; empty: there is nothing to compare with. */
export function changeText(count: number, before: number | null): string {
  if (before === null) return '';
  const change = count - before;
  return `${change > 0 ? '+' : change < 0 ? '−' : ''}${formatCount(Math.abs(change))}`;
}

/** Which part of all groups the rows are: `38 groups`, or `The first 50 of 1,234 groups`. */
export const extentOf = (
  { rows, groupCount }: Pick<Groups, 'rows' | 'groupCount'>,
  t: In<typeof EXPLORE>,
): string => t.groups(rows.length, groupCount);

const NOT_RECORDED = 'not recorded';

/** Groups as CSV, whose name states their extent. Absent values are empty. */
export function csvOf(
  fields: readonly FacetField[],
  sumOf: NumberField | null,
  { rows, groupCount, hasBefore }: Groups,
) {
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
      ...(hasBefore ? [String(row.before ?? NOT_RECORDED)] : []),
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
