import type { EventGroup } from '../../store/columns/groups';

/** What groups can be sorted by, beside the fields by which they are made. */
export const GROUP_SORTS = ['count', 'failed', 'before', 'firstTime', 'lastTime'] as const;
export type GroupSort = (typeof GROUP_SORTS)[number] | { readonly field: number };

const NUMBERS: Readonly<Record<(typeof GROUP_SORTS)[number], (group: EventGroup) => number>> = {
  count: ({ n }) => n,
  failed: ({ failed }) => failed,
  before: ({ before }) => before,
  firstTime: ({ firstMs }) => firstMs,
  lastTime: ({ lastMs }) => lastMs,
};

export interface GroupOrder {
  readonly by: GroupSort;
  readonly descending: boolean;
}

const GROUPS_AT_ONCE = 5_000;

/**
 * The first groups in an order, which does not depend on how they are given: ties are in the order of their values.
 * @param turn is called between two pieces of work, so that other requests are served
 */
export async function firstGroups(
  groups: readonly EventGroup[],
  { by, descending, limit }: GroupOrder & { readonly limit: number },
  turn: () => Promise<void>,
): Promise<readonly EventGroup[]> {
  const sign = descending ? -1 : 1;
  const compare =
    typeof by === 'string'
      ? (a: EventGroup, b: EventGroup) => NUMBERS[by](a) - NUMBERS[by](b)
      : (a: EventGroup, b: EventGroup) => compareTexts(a.values[by.field], b.values[by.field]);
  let first: EventGroup[] = [];
  for (let i = 0; i < groups.length; i += GROUPS_AT_ONCE) {
    const some = [...first, ...groups.slice(i, i + GROUPS_AT_ONCE)];
    first = some.sort((a, b) => sign * compare(a, b) || compareValues(a, b)).slice(0, limit);
    await turn();
  }
  return first;
}

const compareTexts = (a = '', b = '') => (a < b ? -1 : a > b ? 1 : 0);
const compareValues = (a: EventGroup, b: EventGroup) =>
  compareTexts(a.values[0], b.values[0]) || compareTexts(a.values[1], b.values[1]);
