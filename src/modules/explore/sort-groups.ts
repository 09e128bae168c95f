import { exactInteger } from '../../event/lifted';
import { LIMITS } from '../../limits';
import type { EventGroup } from '../../store/columns/groups';

/** What groups can be sorted by, beside the fields by which they are made. */
export const GROUP_SORTS = [
  ...(['count', 'failed', 'before', 'change', 'firstTime', 'lastTime', 'sum'] as const),
] as const;
export type GroupSort = (typeof GROUP_SORTS)[number] | { readonly field: number; readonly isNumber: boolean };

const NUMBERS: Readonly<Record<(typeof GROUP_SORTS)[number], (group: EventGroup) => number | bigint | null>> =
  {
    count: ({ n }) => n,
    failed: ({ failed }) => failed,
    before: ({ before }) => before,
    change: ({ n, before }) => (before === null ? null : n - before),
    firstTime: ({ firstMs }) => firstMs,
    lastTime: ({ lastMs }) => lastMs,
    sum: ({ sum }) => sum,
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
      ? (a: EventGroup, b: EventGroup) => compareKnown(NUMBERS[by](a), NUMBERS[by](b), sign)
      : (a: EventGroup, b: EventGroup) => sign * compareFields(by, a, b);
  let first: EventGroup[] = [];
  for (let i = 0; i < groups.length; i += GROUPS_AT_ONCE) {
    const some = [...first, ...groups.slice(i, i + GROUPS_AT_ONCE)];
    first = some.sort((a, b) => compare(a, b) || compareValues(a, b)).slice(0, limit);
    await turn();
  }
  return listed(first);
}

/** As many of the groups as one answer holds. */
function listed(groups: readonly EventGroup[]): readonly EventGroup[] {
  let chars = 0;
  const end = groups.findIndex(({ values }) => {
    for (const value of values) chars += value.length;
    return chars > LIMITS.groupsListedChars;
  });
  return end < 0 ? groups : groups.slice(0, end);
}

function compareFields(
  { field, isNumber }: Exclude<GroupSort, string>,
  a: EventGroup,
  b: EventGroup,
): number {
  const [x, y] = [a.values[field] ?? '', b.values[field] ?? ''];
  return isNumber ? compareNumbers(numberOf(x), numberOf(y)) : compareTexts(x, y);
}

const numberOf = (text: string) => (text === '' ? null : exactInteger(text));

/** What is absent is behind every number, whatever the direction. */
const compareKnown = (a: number | bigint | null, b: number | bigint | null, sign: number): number =>
  (a === null || b === null ? -1 : sign) * compareNumbers(a, b);

/** What is absent is before every number. */
function compareNumbers(a: number | bigint | null, b: number | bigint | null): number {
  if (a === null || b === null) return Number(a !== null) - Number(b !== null);
  return a < b ? -1 : a > b ? 1 : 0;
}

const compareTexts = (a = '', b = '') => (a < b ? -1 : a > b ? 1 : 0);
const compareValues = (a: EventGroup, b: EventGroup) =>
  a.values.map((value, i) => compareTexts(value, b.values[i])).find((sign) => sign !== 0) ?? 0;
