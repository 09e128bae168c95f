import { floorDiv, formatTicks, parseTicks, TICKS_PER_MS } from '../../../src/event/event-time';
import { LIST_FIELDS, NUMBER_FIELDS, type NumberField, STATEMENT_PREVIEW } from '../../../src/event/fields';
import { FILTER_NAMES } from '../../../src/event/filters';
import type { SORTS } from '../../../src/event/parameters';
import { EVENT_TIME_MIN, LIMITS } from '../../../src/limits';
import { serviceNowMs } from '../lib/service-clock';
import { type FacetField, isFacetField } from './facets/facet-field';
import { joinParts, partsOf } from './filter/parts';
import { quoteValue } from './filter/value-text';
import { GROUP_NUMBERS, type GroupOrder } from './groups/group-order';
import { last, parseRange, rangeText, type TimeRange } from './time-range';

/** The columns that a reader can choose: the fields of the list, and the numbers of rows. */
export const COLUMNS = [
  ...LIST_FIELDS,
  ...(['responseRows', 'affectedRows'] as const),
  STATEMENT_PREVIEW.name,
] as const;
export type Column = (typeof COLUMNS)[number];
export const COLUMNS_DEFAULT: readonly Column[] = [
  ...(['eventTime', 'actionId', 'databaseName', 'objectName', 'serverPrincipalName'] as const),
  ...(['hostName', 'responseRows', 'statementPreview'] as const),
];
const SORTABLE: readonly (Column & keyof typeof SORTS)[] = [
  ...(['eventTime', 'actionId', 'databaseName', 'serverPrincipalName', 'succeeded'] as const),
];
/** As many rows as a usual window shows. */
const PAGE_SIZE_DEFAULT = 25;
export const PAGE_SIZES = [PAGE_SIZE_DEFAULT, 50, LIMITS.pageSizeMax];

/** The whole state of a view of the events. It is kept in the URL, so that a link shows the same. */
export interface ExploreState {
  readonly range: TimeRange;
  /** Words of the parameter `search`, which older links have. */
  readonly search: string;
  /** An expression, which may be invalid. */
  readonly filter: string;
  readonly sortBy: Column;
  readonly descending: boolean;
  /** From 1. */
  readonly page: number;
  readonly pageSize: number;
  /** In their order. The usual ones in an address are those that each person has chosen in their browser. */
  readonly columns: readonly Column[];
  /** Record id of the event in the drawer. */
  readonly event: string | null;
  /** Time of the event around which the range lies; null: there is none, or the range was changed since. */
  readonly around: string | null;
  /** The fields by which the events are grouped, at most three; empty: no groups. */
  readonly groupBy: readonly FacetField[];
  /** How the groups are shown. */
  readonly shape: Shape;
  readonly groupOrder: GroupOrder;
  /** The field whose numbers are added up for each group; null: none. */
  readonly sumOf: NumberField | null;
  /** Events over time: the chart alone, or its numbers as a table below it. */
  readonly chart: 'bars' | 'table';
  /** Whether new events appear as they arrive. */
  readonly live: boolean;
}

/** Table, bars over time, field by field, hour by weekday, flow. */
export const SHAPES = ['table', 'bars', 'heat', 'hours', 'flow'] as const;
export type Shape = (typeof SHAPES)[number];
export const GROUP_FIELDS_MAX = 3;
export const LARGEST: GroupOrder = { sortBy: 'count', descending: true };

/** The change that removes every filter. */
export const NO_FILTERS = { search: '', filter: '' } as const;

const RANGE_DEFAULT = last(24, 'h');

/** The state in a query string. Missing and invalid parts get their default. */
export function parseState(text: string): ExploreState {
  const given = new URLSearchParams(text);
  const columns = [...new Set((given.get('columns')?.split(',') ?? []).filter(isColumn))];
  const sortBy = given.get('sortBy');
  return {
    range: rangeOf(given),
    search: given.get('search') ?? '',
    filter: filterOf(given),
    sortBy: isSortable(sortBy) ? sortBy : 'eventTime',
    descending: given.get('sortDirection') !== 'asc',
    page: wholeNumber(given.get('page'), LIMITS.pageMax) ?? 1,
    pageSize: wholeNumber(given.get('pageSize'), LIMITS.pageSizeMax) ?? PAGE_SIZE_DEFAULT,
    columns: columns.length > 0 ? columns : COLUMNS_DEFAULT,
    event: given.get('event'),
    around: timeOf(given.get('around')),
    groupBy: (given.get('groupBy')?.split(',') ?? []).filter(isFacetField).slice(0, GROUP_FIELDS_MAX),
    shape: SHAPES.find((shape) => shape === given.get('shape')) ?? 'table',
    groupOrder: groupOrderOf(given.get('groupSort')),
    sumOf: numberFieldOf(given.get('sumOf')),
    chart: given.get('chart') === 'table' ? 'table' : 'bars',
    live: given.get('live') === '1',
  };
}

/** The shortest query string that `parseState` reads as this state. */
export function formatState(state: ExploreState): string {
  const parts = new URLSearchParams();
  const { range } = state;
  const name = rangeText(range);
  if (range.kind === 'fixed') {
    parts.set('startTime', range.from);
    parts.set('endTime', range.to);
  } else if (name && name !== rangeText(RANGE_DEFAULT)) parts.set('range', name);
  if (state.search) parts.set('search', state.search);
  if (state.filter) parts.set('filter', state.filter);
  if (state.sortBy !== 'eventTime') parts.set('sortBy', state.sortBy);
  if (!state.descending) parts.set('sortDirection', 'asc');
  if (state.page !== 1) parts.set('page', String(state.page));
  if (state.pageSize !== PAGE_SIZE_DEFAULT) parts.set('pageSize', String(state.pageSize));
  if (state.columns.join() !== COLUMNS_DEFAULT.join()) parts.set('columns', state.columns.join());
  if (state.event) parts.set('event', state.event);
  if (state.around) parts.set('around', state.around);
  if (state.groupBy.length > 0) parts.set('groupBy', state.groupBy.join());
  if (state.groupBy.length > 0 && state.shape !== 'table') parts.set('shape', state.shape);
  const order = groupOrderText(state.groupOrder);
  if (state.groupBy.length > 0 && order !== groupOrderText(LARGEST)) parts.set('groupSort', order);
  if (state.sumOf) parts.set('sumOf', state.sumOf);
  if (state.chart !== 'bars') parts.set('chart', state.chart);
  if (state.live) parts.set('live', '1');
  return parts.toString();
}

/** What is kept of a view beside its filter: range, order, columns, groups and chart, as a query string. */
export const viewOf = (state: ExploreState): string =>
  formatState({ ...state, ...NO_FILTERS, page: 1, event: null, around: null, live: false });

export const isSortable = (text: string | null): text is Column =>
  (SORTABLE as readonly (string | null)[]).includes(text);

/** A time as the service reads it: without an offset it is UTC, although a Date reads it as local. Null: not a time. */
function timeOf(text: string | null): string | null {
  const ticks = text ? parseTicks(text) : null;
  if (text === null || ticks === null || ticks >= TICKS_END) return null;
  const isSame = Date.parse(text) === Number(floorDiv(ticks, TICKS_PER_MS));
  return isSame && UTC.test(text) ? text : formatTicks(ticks);
}
const UTC = /^\d{4}-\d\d-\d\d$|Z$/;
const TICKS_END = BigInt(Date.UTC(10_000, 0)) * TICKS_PER_MS;

/** `count`, or `-count`: descending. */
const groupOrderText = ({ sortBy, descending }: GroupOrder) => `${descending ? '-' : ''}${sortBy}`;

function groupOrderOf(text: string | null): GroupOrder {
  const [, minus, name = ''] = /^(-?)(\w+)$/.exec(text ?? '') ?? [];
  const sortBy = GROUP_NUMBERS.find((one) => one === name) ?? (isFacetField(name) ? name : null);
  return sortBy === null ? LARGEST : { sortBy, descending: minus === '-' };
}

/** The field of numbers of this name; null: there is none. */
export const numberFieldOf = (text: string | null): NumberField | null =>
  NUMBER_FIELDS.find((field) => field === text) ?? null;

export const isColumn = (text: string): text is Column => (COLUMNS as readonly string[]).includes(text);

function rangeOf(given: URLSearchParams): TimeRange {
  const [first, end] = [timeOf(given.get('startTime')), timeOf(given.get('endTime'))];
  // One of them alone is valid too: it means everything from that time on, or up to that time.
  const from = first ?? EVENT_TIME_MIN;
  const to = end ?? new Date(serviceNowMs()).toISOString();
  if ((first || end) && Date.parse(from) <= Date.parse(to)) return { kind: 'fixed', from, to };
  return parseRange(given.get('range')) ?? RANGE_DEFAULT;
}

/** The plain filters of the API mean the same as conditions. */
function filterOf(given: URLSearchParams): string {
  const plain = FILTER_NAMES.flatMap((name) => {
    const value = given.get(name);
    return value ? [{ text: `${name}:${quoteValue(value)}` }] : [];
  });
  const filter = given.get('filter')?.trim() ?? '';
  return plain.length === 0 ? filter : joinParts([...partsOf(filter), ...plain]);
}

function wholeNumber(text: string | null, max: number): number | null {
  const number = Number(text);
  return text && Number.isInteger(number) && number >= 1 && number <= max ? number : null;
}
