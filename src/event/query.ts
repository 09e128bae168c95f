import type { AUDIT_SUMMARY } from './answers';
import { parseTicks } from './event-time';
import { type LIST_PARAMETERS, type ParameterValues, SORTS, type SortField } from './parameters';
import { parseSearch, type SearchTerm } from './search-terms';
import type { Answer } from './shape';

/** Half-open range of event times in ticks; null is unbounded. */
export interface TimeRange {
  readonly from: bigint | null;
  readonly to: bigint | null;
}

export interface AuditEventFilter extends TimeRange {
  readonly actionId: string | null;
  readonly databaseName: string | null;
  readonly principalName: string | null;
  readonly serverInstanceName: string | null;
  readonly succeeded: boolean | null;
  readonly search: readonly SearchTerm[];
}

/** Whether counts tell the events of a filter: they know neither words nor instances. Else events have to be read. */
export const isCountable = ({ search, serverInstanceName }: AuditEventFilter): boolean =>
  search.length === 0 && serverInstanceName === null;

export interface AuditEventQuery {
  readonly filter: AuditEventFilter;
  readonly sort: SortField;
  readonly descending: boolean;
  /** 1-based. */
  readonly page: number;
  readonly pageSize: number;
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

type FilterParameters = Omit<typeof LIST_PARAMETERS, 'page' | 'pageSize' | 'sortBy' | 'sortDirection'>;

/** @param values checked by `parseParameters` */
export function toAuditEventFilter(values: ParameterValues<FilterParameters>): AuditEventFilter {
  const parsed = values.search === undefined ? { terms: [] } : parseSearch(values.search);
  return {
    ...toTimeRange(values),
    actionId: values.actionId ?? null,
    databaseName: values.databaseName ?? null,
    principalName: values.principalName ?? null,
    serverInstanceName: values.serverInstanceName ?? null,
    succeeded: values.succeeded ?? null,
    search: 'terms' in parsed ? parsed.terms : [],
  };
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
