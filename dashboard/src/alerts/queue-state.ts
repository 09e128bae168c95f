import type { AlertSeverity, AlertStatus } from '../../generated/operations';
import { SEVERITY_NAMES, STATUS_NAMES } from './alert-words';

/** Orders of the queue, by the field that the service sorts by: their names in the catalogue. */
export const SORTS = {
  createdAt: 'byCreatedAt',
  severity: 'bySeverity',
  lastEventTime: 'byLastEventTime',
  findingCount: 'byFindingCount',
} as const;
export type Sort = keyof typeof SORTS;
export const SORT_NAMES = Object.keys(SORTS) as Sort[];

/** What the queue shows. It is kept in the URL, so that a link shows the same. */
export interface QueueState {
  readonly status: AlertStatus;
  readonly severity: AlertSeverity | null;
  readonly ruleId: string | null;
  readonly principalName: string | null;
  readonly serverInstanceName: string | null;
  readonly sortBy: Sort;
  /** From 1. */
  readonly page: number;
}
export type QueueChange = Partial<QueueState>;

export const NO_FILTERS = {
  severity: null,
  ruleId: null,
  principalName: null,
  serverInstanceName: null,
} as const satisfies QueueChange;
const FILTER_NAMES = Object.keys(NO_FILTERS) as (keyof typeof NO_FILTERS)[];

export const isFiltered = (state: QueueState): boolean => FILTER_NAMES.some((name) => state[name] !== null);

/** The state in a query string. Missing and invalid parts get their default. */
export function parseQueue(text: string): QueueState {
  const given = new URLSearchParams(text);
  const page = Number(given.get('page') ?? 1);
  return {
    status: oneOf(STATUS_NAMES, given.get('status')) ?? 'new',
    severity: oneOf(SEVERITY_NAMES, given.get('severity')),
    ruleId: given.get('ruleId'),
    principalName: given.get('principalName'),
    serverInstanceName: given.get('serverInstanceName'),
    sortBy: oneOf(SORT_NAMES, given.get('sortBy')) ?? 'createdAt',
    page: Number.isInteger(page) && page > 0 ? page : 1,
  };
}

/** The shortest query string that `parseQueue` reads as this state. */
export function formatQueue(state: QueueState): string {
  const parts = new URLSearchParams();
  if (state.status !== 'new') parts.set('status', state.status);
  for (const name of FILTER_NAMES) if (state[name]) parts.set(name, state[name]);
  if (state.sortBy !== 'createdAt') parts.set('sortBy', state.sortBy);
  if (state.page !== 1) parts.set('page', String(state.page));
  return parts.toString();
}

const oneOf = <T extends string>(names: readonly T[], text: string | null): T | null =>
  names.find((name) => name === text) ?? null;
