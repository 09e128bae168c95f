import type { Client } from 'urql';
import type { NumberField } from '../../../../src/event/fields';
import { GroupsDocument, type GroupsQuery } from '../../../generated/operations';
import { noAnswer } from '../../api/errors';
import type { ExploreFilter } from '../explore-filter';
import type { FacetField } from '../facets/facet-field';
import { before } from '../time-range';

/** Events that have the same values of the fields they are grouped by. */
export interface GroupRow {
  /** In the order of the fields; null: absent. */
  readonly values: readonly (string | null)[];
  readonly count: number;
  readonly failed: number;
  /** Its events in the period before; null: the range has none. */
  readonly before: number | null;
  /** The sum of the chosen numbers, a decimal text; null: none is asked for, or no event states one. */
  readonly sum: string | null;
  readonly firstTime: string;
  readonly lastTime: string;
}

export interface Groups {
  readonly totalCount: number;
  /** All groups, also those that are not among the rows. */
  readonly groupCount: number;
  readonly rows: readonly GroupRow[];
}

export interface GroupOrder {
  readonly sortBy: 'count' | 'failed' | 'before' | 'sum' | 'firstTime' | 'lastTime' | FacetField;
  readonly descending: boolean;
}

export interface GroupQuestion extends GroupOrder {
  readonly fields: readonly FacetField[];
  readonly sumOf: NumberField | null;
  readonly limit: number;
}

/** The first groups in an order, beside the period before, in one question. @throws CombinedError */
export async function loadGroups(
  client: Client,
  filter: ExploreFilter,
  { fields, sumOf, sortBy, descending, limit }: GroupQuestion,
): Promise<Groups> {
  const earlier = before(filter);
  const variables = {
    ...filter,
    fields: [...fields],
    sortBy,
    sortDirection: descending ? 'desc' : 'asc',
    limit,
    ...(sumOf && { sumOf }),
    ...(earlier && { beforeStartTime: earlier.startTime, beforeEndTime: earlier.endTime }),
  };
  const { data, error } = await client.query(GroupsDocument, variables).toPromise();
  if (error || !data) throw error ?? noAnswer();
  return groupsOf(data.auditGroups);
}

/** The lists of an answer as rows. */
export function groupsOf(answer: GroupsQuery['auditGroups']): Groups {
  const { totalCount, groupCount, first, second } = answer;
  const rows = first.map((value, i) => ({
    values: (second ? [value, second[i]] : [value]).map((text) => text || null),
    count: (answer.succeeded[i] ?? 0) + (answer.failed[i] ?? 0),
    failed: answer.failed[i] ?? 0,
    before: answer.before?.[i] ?? null,
    sum: answer.sum?.[i] || null,
    firstTime: answer.firstTime[i] ?? '',
    lastTime: answer.lastTime[i] ?? '',
  }));
  return { totalCount, groupCount, rows };
}

/** The order after a click on a heading: largest or latest first; texts from A; a second click turns it round. */
export function orderBy(sortBy: GroupOrder['sortBy'], now: GroupOrder): GroupOrder {
  if (now.sortBy === sortBy) return { sortBy, descending: !now.descending };
  return { sortBy, descending: ['count', 'failed', 'before', 'sum', 'lastTime'].includes(sortBy) };
}
