import { actionNameOf } from '../../../../src/event/action-names';
import { csvLine } from '../../lib/csv';
import { showValue } from '../event/marks';
import type { FacetField } from '../facets/facet-field';
import { OUTCOMES } from '../outcome';
import { keyOf } from './former';
import type { Former, Groups } from './group-rows';

export function valueText(field: FacetField, value: string | null): string {
  if (value === null) return '(none)';
  if (field === 'succeeded') return OUTCOMES[value] ?? value;
  const name = field === 'actionId' ? actionNameOf(value) : null;
  return name ? `${name} ${value}` : showValue(value);
}

/** The table as CSV. Absent and unknown values are empty. */
export function csvOf(fields: readonly (FacetField | null)[], now: Groups, then: Former | null) {
  const names = fields.filter((field) => field !== null);
  const lines = [
    [...names, 'events', 'failed', ...(then ? ['before'] : []), 'firstTime', 'lastTime'],
    ...now.rows.map((row) => [
      ...row.values.map((value) => value ?? ''),
      ...[row.count, row.failed].map(String),
      ...(then ? [String(then.get(keyOf(row)) ?? '')] : []),
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
