import { LIST_FIELDS, STATEMENT_PREVIEW } from '../../../src/event/fields';
import { FILTER_NAMES, type FilterName, isBooleanFilter } from '../../../src/event/filters';
import type { SORTS } from '../../../src/event/parameters';
import { LIMITS } from '../../../src/limits';
import { OUTCOMES } from './outcome';
import { isRangeName, type TimeRange } from './time-range';

/** Columns a reader can choose: what the list has. */
export const COLUMNS = [...LIST_FIELDS, STATEMENT_PREVIEW.name] as const;
export type Column = (typeof COLUMNS)[number];
export const COLUMNS_DEFAULT: readonly Column[] = [
  ...(['eventTime', 'actionId', 'succeeded', 'databaseName', 'serverPrincipalName'] as const),
  'statementPreview',
];
const SORTABLE: readonly (Column & keyof typeof SORTS)[] = [
  ...(['eventTime', 'actionId', 'databaseName', 'serverPrincipalName', 'succeeded'] as const),
];
export const PAGE_SIZES = [LIMITS.pageSizeDefault, 50, LIMITS.pageSizeMax];

/** All that makes up a view of the events. It lives in the URL, so that a link shows the same. */
export interface ExploreState extends Readonly<Partial<Record<FilterName, string>>> {
  readonly range: TimeRange;
  readonly search: string;
  readonly sortBy: Column;
  readonly descending: boolean;
  /** From 1. */
  readonly page: number;
  readonly pageSize: number;
  readonly columns: readonly Column[];
  /** Record id of the event in the drawer. */
  readonly event: string | null;
}

/** The change that takes every filter off. */
export const NO_FILTERS = Object.fromEntries(FILTER_NAMES.map((name) => [name, undefined])) as {
  readonly [N in FilterName]: undefined;
};

const RANGE_DEFAULT: TimeRange = { name: '24h' };

/** The state a query string names; what is missing or makes no sense becomes the default. */
export function parseState(text: string): ExploreState {
  const given = new URLSearchParams(text);
  const columns = (given.get('columns')?.split(',') ?? []).filter(isColumn);
  const sortBy = given.get('sortBy');
  const filters = FILTER_NAMES.flatMap((name) => {
    const value = given.get(name);
    return value && (!isBooleanFilter(name) || Object.hasOwn(OUTCOMES, value)) ? [[name, value]] : [];
  });
  return {
    ...(Object.fromEntries(filters) as Partial<Record<FilterName, string>>),
    range: rangeOf(given),
    search: given.get('search') ?? '',
    sortBy: isSortable(sortBy) ? sortBy : 'eventTime',
    descending: given.get('sortDirection') !== 'asc',
    page: wholeNumber(given.get('page'), LIMITS.pageMax) ?? 1,
    pageSize: wholeNumber(given.get('pageSize'), LIMITS.pageSizeMax) ?? LIMITS.pageSizeDefault,
    columns: columns.length > 0 ? columns : COLUMNS_DEFAULT,
    event: given.get('event'),
  };
}

/** The shortest query string that `parseState` reads as this state. */
export function formatState(state: ExploreState): string {
  const parts = new URLSearchParams();
  const { range } = state;
  if (range.name === null) {
    parts.set('startTime', range.from);
    parts.set('endTime', range.to);
  } else if (range.name !== RANGE_DEFAULT.name) parts.set('range', range.name);
  if (state.search) parts.set('search', state.search);
  for (const name of FILTER_NAMES) if (state[name]) parts.set(name, state[name]);
  if (state.sortBy !== 'eventTime') parts.set('sortBy', state.sortBy);
  if (!state.descending) parts.set('sortDirection', 'asc');
  if (state.page !== 1) parts.set('page', String(state.page));
  if (state.pageSize !== LIMITS.pageSizeDefault) parts.set('pageSize', String(state.pageSize));
  if (state.columns.join() !== COLUMNS_DEFAULT.join()) parts.set('columns', state.columns.join());
  if (state.event) parts.set('event', state.event);
  return parts.toString();
}

export const isSortable = (text: string | null): text is Column =>
  (SORTABLE as readonly (string | null)[]).includes(text);

const isColumn = (text: string): text is Column => (COLUMNS as readonly string[]).includes(text);

function rangeOf(given: URLSearchParams): TimeRange {
  const [from, to, name] = [given.get('startTime'), given.get('endTime'), given.get('range')];
  if (from && to && Date.parse(from) <= Date.parse(to)) return { name: null, from, to };
  return isRangeName(name) ? { name } : RANGE_DEFAULT;
}

function wholeNumber(text: string | null, max: number): number | null {
  const number = Number(text);
  return text && Number.isInteger(number) && number >= 1 && number <= max ? number : null;
}
