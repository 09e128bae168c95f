import { type AccessEntry, type AccessLogStore, REFUSED } from '../../caller/access-log';
import { controlProblems } from '../../caller/name-problems';
import { ERRORS } from '../../errors';
import { parseTicks, TICKS_PER_MS } from '../../event/event-time';
import type { ParameterSpecs, ParameterValues } from '../../event/parameter-specs';
import { LIMITS } from '../../limits';
import { problem } from '../../problem';
import { parseTenantId } from '../../tenant-set';

const OUTCOMES = ['ok', REFUSED, ...Object.keys(ERRORS)];

/** A text that is compared with stored ones. */
const stored = { kind: 'text', isEmptyAllowed: true, check: controlProblems } as const;

export const ACCESS_LOG_PARAMETERS = {
  from: { kind: 'time', doc: 'ISO 8601, inclusive.' },
  to: { kind: 'time', doc: 'ISO 8601, exclusive.' },
  keyId: stored,
  tenantId: {
    kind: 'text',
    doc: 'Entries that concern this tenant.',
    check: (id: string, field: string) =>
      parseTenantId(id) === null ? [problem(field, 'malformed', 'must be the id of a tenant')] : [],
  },
  operation: stored,
  outcome: {
    kind: 'choice',
    values: OUTCOMES,
    doc: '`ok` or an error code; `refused` means every outcome but `ok`.',
  },
  search: {
    kind: 'text',
    charsMax: LIMITS.filterCharsMax,
    check: controlProblems,
    doc: `A text in the parameters, in any letter case, or the id of what was made or changed. A page looks at ${LIMITS.accessLogSearchedMax} entries at most, so it may be empty although a next one has some.`,
  },
  first: {
    kind: 'integer',
    min: 1,
    max: LIMITS.accessLogPageMax,
    isRequired: true,
    default: LIMITS.accessLogPageDefault,
  },
  after: { kind: 'id', doc: '`endCursor` of the previous page.' },
} as const satisfies ParameterSpecs;
export type EntriesRequest = ParameterValues<typeof ACCESS_LOG_PARAMETERS>;

interface EntriesPage {
  readonly entries: readonly AccessEntry[];
  /** Null: there is no entry. */
  readonly endCursor: string | null;
  readonly hasNextPage: boolean;
}

/** @returns a page of the access log, newest first */
export async function listEntries(
  request: EntriesRequest,
  store: Pick<AccessLogStore, 'newest'>,
): Promise<EntriesPage> {
  const { first, after = null } = request;
  const filter = {
    fromMs: toMs(request.from),
    toMs: toMs(request.to),
    keyId: request.keyId ?? null,
    tenantId: request.tenantId === undefined ? null : parseTenantId(request.tenantId),
    operation: request.operation ?? null,
    outcome: request.outcome ?? null,
    search: request.search ?? null,
  };
  const { entries: found, lookedTo } = await store.newest(filter, first + 1, after);
  const entries = found.slice(0, first);
  const isMore = found.length > first;
  const last = entries.at(-1)?.entryId ?? null;
  return {
    entries,
    endCursor: isMore ? last : (lookedTo ?? last),
    hasNextPage: isMore || lookedTo !== null,
  };
}

/** @returns the time in milliseconds, rounded up, so that earlier entries stay out; null: none is given */
function toMs(text: string | undefined): number | null {
  const ticks = text === undefined ? null : parseTicks(text);
  return ticks === null ? null : Math.max(0, Number((ticks + TICKS_PER_MS - 1n) / TICKS_PER_MS));
}
