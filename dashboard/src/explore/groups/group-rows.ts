import type { Client } from 'urql';
import type { NumberField } from '../../../../src/event/fields';
import { GroupsDocument, type GroupsQuery } from '../../../generated/operations';
import { noAnswer } from '../../api/errors';
import type { ExploreFilter } from '../explore-filter';
import type { FacetField } from '../facets/facet-field';
import { before } from '../time-range';
import type { GroupOrder } from './group-order';

/** Events that have the same values of the fields they are grouped by. */
export interface GroupRow {
  /** In the order of the fields; null: absent. */
  readonly values: readonly (string | null)[];
  readonly count: number;
  readonly failed: number;
  /** Its events in the period before; null: its servers recorded nothing then, or the range has no such period. */
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
  /** Whether there is a period before. */
  readonly hasBefore: boolean;
  readonly rows: readonly GroupRow[];
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
  { limit, ...asked }: GroupQuestion,
): Promise<Groups> {
  const variables = { ...groupVariables(filter, asked), limit };
  const { data, error } = await client.query(GroupsDocument, variables).toPromise();
  if (error || !data) throw error ?? noAnswer();
  return groupsOf(data.auditGroups);
}

/** What is asked of groups, with the period before. */
export function groupVariables(
  filter: ExploreFilter,
  { fields, sumOf, sortBy, descending }: Omit<GroupQuestion, 'limit'>,
) {
  const earlier = before(filter);
  return {
    ...filter,
    fields: [...fields],
    sortBy,
    sortDirection: descending ? 'desc' : 'asc',
    ...(sumOf && { sumOf }),
    ...(earlier && { beforeStartTime: earlier.startTime, beforeEndTime: earlier.endTime }),
  };
}

/** The lists of an answer as rows. */
export function groupsOf(answer: GroupsQuery['auditGroups']): Groups {
  const { totalCount, groupCount, first, second, third } = answer;
  const lists = [first, second, third].filter((list) => list !== null && list !== undefined);
  const rows = first.map((_, i) => ({
    values: lists.map((list) => list[i] || null),
    count: (answer.succeeded[i] ?? 0) + (answer.failed[i] ?? 0),
    failed: answer.failed[i] ?? 0,
    before: answer.recordedBefore?.[i] ? (answer.before?.[i] ?? 0) : null,
    sum: answer.sum?.[i] || null,
    firstTime: answer.firstTime[i] ?? '',
    lastTime: answer.lastTime[i] ?? '',
  }));
  return { totalCount, groupCount, hasBefore: Boolean(answer.before), rows };
}
