import { actionNameOf } from '../../../../src/event/action-names';
import { csvLine } from '../../lib/csv';
import type { FacetField } from '../facets/facet-field';
import { OUTCOMES } from '../outcome';
import type { GroupRow, Groups } from './group-rows';

export const keyOf = ({ values }: GroupRow): string => JSON.stringify(values);

export function valueText(field: FacetField, value: string | null): string {
  if (value === null) return '(none)';
  if (field === 'succeeded') return OUTCOMES[value] ?? value;
  const name = field === 'actionId' ? actionNameOf(value) : null;
  return name ? `${name} ${value}` : value;
}

/** As the table has it; absent values are empty. */
export function csvOf(fields: readonly (FacetField | null)[], now: Groups, then: Groups | null) {
  const names = fields.filter((field) => field !== null);
  const former = new Map(then?.rows.map((row) => [keyOf(row), row.count]));
  const lines = [
    [...names, 'events', 'failed', ...(then ? ['before'] : []), 'firstTime', 'lastTime'],
    ...now.rows.map((row) => [
      ...row.values.map((value) => value ?? ''),
      ...[row.count, row.failed].map(String),
      ...(then ? [String(former.get(keyOf(row)) ?? 0)] : []),
      row.firstTime ?? '',
      row.lastTime ?? '',
    ]),
  ];
  const text = lines.map(csvLine).join('');
  return {
    name: `audit-activity-by-${names.join('-')}.csv`,
    content: new Blob([text], { type: 'text/csv' }),
  };
}
