import { type AuditSource, SOURCE_STATES, type SourceState, stateOfSource } from './audit-source';

const STATES = Object.keys(SOURCE_STATES) as SourceState[];

export interface SourceListQuestion {
  /** Only sources in this state; null: in any. */
  readonly state: SourceState | null;
  /** Words of which each must be in the host, the database or the tenant's name, in any letter case. */
  readonly search: string;
  /** From 1. */
  readonly page: number;
  readonly pageSize: number;
}

export interface ListedSource extends AuditSource {
  readonly tenantName: string;
  readonly state: SourceState;
}

/** A page of sources, and numbers of all of them. */
export interface SourceList {
  readonly items: readonly ListedSource[];
  /** Sources that match the question. */
  readonly totalCount: number;
  /** Of all sources, whatever the question, the worst state first; states without a source are left out. */
  readonly states: readonly { readonly state: SourceState; readonly sources: number }[];
  readonly withGaps: number;
}

/** The sources that match, those in the worst state first, else in the given order. */
export function sourceList(
  sources: readonly AuditSource[],
  nameOf: (tenantId: number) => string,
  { state, search, page, pageSize }: SourceListQuestion,
  nowMs: number,
): SourceList {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const inStates = new Map(STATES.map((one): [SourceState, ListedSource[]] => [one, []]));
  for (const source of sources) {
    const its = stateOfSource(source, nowMs);
    inStates.get(its)?.push({ ...source, tenantName: nameOf(source.tenantId), state: its });
  }
  const holds = ({ hostName, databaseName, tenantName }: ListedSource) => {
    const text = [hostName, databaseName, tenantName].join(' ').toLowerCase();
    return words.every((word) => text.includes(word));
  };
  const wanted = state === null ? STATES : [state];
  const found = wanted.flatMap((one) => inStates.get(one) ?? []).filter(holds);
  return {
    items: found.slice((page - 1) * pageSize, page * pageSize),
    totalCount: found.length,
    states: [...inStates].flatMap(([one, own]) =>
      own.length > 0 ? [{ state: one, sources: own.length }] : [],
    ),
    withGaps: sources.filter(({ gapCount }) => gapCount > 0).length,
  };
}
