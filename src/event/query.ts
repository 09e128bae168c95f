import type { AUDIT_SUMMARY } from './answers';
import { parseTicks } from './event-time';
import { allOf, type Expression } from './expression/expression';
import { parseFilter } from './expression/parse-filter';
import { splitExpression } from './expression/split';
import { FILTER_NAMES, type FilterName, type FilterValues } from './filters';
import type { ParameterValues } from './parameter-specs';
import {
  type FILTER_PARAMETERS,
  type LIST_PARAMETERS,
  SORTS,
  type SortField,
  type SUMMARY_PARAMETERS,
} from './parameters';
import { parseSearch, type SearchTerm } from './search';
import type { Answer } from './shape';

/** Half-open range of event times in ticks; null is unbounded. */
export interface TimeRange {
  readonly from: bigint | null;
  readonly to: bigint | null;
}

export interface AuditEventFilter extends TimeRange, FilterValues {
  readonly search: readonly SearchTerm[];
  /** The conditions of `filter` that neither values nor words express; null: there are none. */
  readonly expression: Expression | null;
}

/** The filters that are given. */
export const givenFilters = (values: FilterValues): FilterName[] =>
  FILTER_NAMES.filter((name) => values[name] !== null);

/** Whether every event of the range passes a filter. */
export const isAll = (filter: AuditEventFilter): boolean =>
  filter.search.length === 0 && filter.expression === null && givenFilters(filter).length === 0;

/** The same filter with only the values whose names `keep` accepts. */
export function onlyFilters(filter: AuditEventFilter, keep: (name: FilterName) => boolean): AuditEventFilter {
  const dropped = FILTER_NAMES.filter((name) => !keep(name)).map((name) => [name, null]);
  return { ...filter, ...(Object.fromEntries(dropped) as Partial<FilterValues>) };
}

export interface AuditEventQuery {
  readonly filter: AuditEventFilter;
  readonly sort: SortField;
  readonly descending: boolean;
  /** 1-based. */
  readonly page: number;
  readonly pageSize: number;
  /** Whether items have the lifted fields; not given: they have none. */
  readonly hasLifted?: boolean;
}

/** A page of a list with its exact total. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly totalCount: number;
  readonly page: number;
  readonly pageSize: number;
}

export type AuditSummary = Answer<typeof AUDIT_SUMMARY>;

const ticksOrNull = (text: string | undefined) => (text === undefined ? null : parseTicks(text));

/** @param values checked by `parseParameters` */
export function toTimeRange(values: {
  startTime?: string | undefined;
  endTime?: string | undefined;
}): TimeRange {
  return { from: ticksOrNull(values.startTime), to: ticksOrNull(values.endTime) };
}

/**
 * The function is compiled, because every list makes a filter: built name by name, a filter takes far more memory.
 */
const makeFilter: (
  values: Partial<FilterValues>,
  range: TimeRange,
  search: readonly SearchTerm[],
  expression: Expression | null,
) => AuditEventFilter = new Function(
  ...['values', 'range', 'search', 'expression'],
  // The code has nothing variable but the names of filters.
  `const { from, to } = range;
   return { from, to, ${FILTER_NAMES.map((name) => `${name}: values.${name} ?? null`)}, search, expression };`,
) as never;

/** @param values checked by `parseParameters` */
export function toAuditEventFilter(values: ParameterValues<typeof FILTER_PARAMETERS>): AuditEventFilter {
  const parsed = values.search === undefined ? { terms: [] } : parseSearch(values.search);
  const search = 'terms' in parsed ? parsed.terms : [];
  return withExpression(
    values.filter,
    makeFilter(values as Partial<FilterValues>, toTimeRange(values), search, null),
  );
}

/** All events that lie in a range and satisfy an expression. @param values checked by `parseParameters` */
export const toSummaryFilter = (values: ParameterValues<typeof SUMMARY_PARAMETERS>): AuditEventFilter =>
  withExpression(values.filter, makeFilter({}, toTimeRange(values), [], null));

/** The same filter for events that satisfy an expression too. @param text understood by `parseFilter` */
export function withExpression(text: string | undefined, given: AuditEventFilter): AuditEventFilter {
  const parsed = text === undefined ? null : parseFilter(text);
  if (parsed === null || 'problem' in parsed) return given;
  const { values, search, expression } = splitExpression(parsed.expression, given, given.search);
  const all = [given.expression, expression].filter((one) => one !== null);
  return makeFilter(values, given, search, allOf(all));
}

/** @param values checked by `parseParameters` */
export function toAuditEventQuery(values: ParameterValues<typeof LIST_PARAMETERS>): AuditEventQuery {
  return {
    filter: toAuditEventFilter(values),
    sort: SORTS[(values.sortBy ?? 'Timestamp') as keyof typeof SORTS],
    descending: values.sortDirection === 'desc',
    page: values.page,
    pageSize: values.pageSize,
  };
}
