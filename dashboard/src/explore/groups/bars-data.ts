import type { GroupsOverTimeQuery } from '../../../generated/operations';
import { csvLine } from '../../lib/csv';
import type { FacetField } from '../facets/facet-field';

export type OverTime = GroupsOverTimeQuery['auditGroupsOverTime'];

/** A group, or all others, over time. */
export interface Series {
  /** In the order of the fields; null: all other groups. */
  readonly values: readonly (string | null)[] | null;
  readonly events: readonly number[];
  readonly total: number;
}

const sum = (numbers: readonly number[]) => numbers.reduce((all, n) => all + n, 0);

/** The groups in their order, then all others together if there are some. */
export function seriesOf({ groups, events }: Pick<OverTime, 'groups' | 'events'>): readonly Series[] {
  const named = groups.map(
    (group): Series => ({
      values: group.values.map((text) => text || null),
      events: group.events,
      total: sum(group.events),
    }),
  );
  const others = events.map((all, i) => all - sum(groups.map((group) => group.events[i] ?? 0)));
  return sum(others) > 0 ? [...named, { values: null, events: others, total: sum(others) }] : named;
}

/** The end of a bar: the start of the next one. */
export const endOf = ({ starts, endTime }: Pick<OverTime, 'starts' | 'endTime'>, i: number): string =>
  starts[i + 1] ?? endTime ?? '';

/** Bars as CSV, whose name states their extent. A row is a group, or all others, in one bar. */
export function barsCsv(fields: readonly FacetField[], answer: OverTime) {
  const all = seriesOf(answer);
  const lines = [
    ['startTime', 'endTime', 'group', ...fields, 'events'],
    ...answer.starts.flatMap((start, i) =>
      all.map(({ values, events }, place) => [
        start,
        endOf(answer, i),
        values ? String(place + 1) : 'others',
        ...fields.map((_, k) => values?.[k] ?? ''),
        String(events[i] ?? 0),
      ]),
    ),
  ];
  const { groups, groupCount } = answer;
  const extent =
    groups.length < groupCount ? `${groups.length}-of-${groupCount}-groups-and-others` : 'all-groups';
  return {
    name: `audit-activity-over-time-by-${fields.join('-')}-${extent}.csv`,
    content: new Blob([lines.map(csvLine).join('')], { type: 'text/csv' }),
  };
}
