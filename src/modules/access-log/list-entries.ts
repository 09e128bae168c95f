import { type AccessEntry, type AccessLogStore, REFUSED } from '../../caller/access-log';
import { DomainError, ERRORS } from '../../errors';
import { parseTicks, TICKS_PER_MS } from '../../event/event-time';
import { isUuid } from '../../event/uuid';
import { LIMITS } from '../../limits';
import { parseTenantId } from '../../tenant-set';

/** Filters as the API takes them; null: no filter. */
interface EntriesRequest {
  /** ISO 8601, inclusive. */
  readonly from: string | null;
  /** ISO 8601, exclusive. */
  readonly to: string | null;
  readonly keyId: string | null;
  readonly tenantId: string | null;
  readonly operation: string | null;
  readonly outcome: string | null;
  readonly search: string | null;
  readonly first: number;
  /** Cursor: the id of the last entry of the previous page. */
  readonly after: string | null;
}

interface EntriesPage {
  readonly entries: readonly AccessEntry[];
  /** Null: there is no entry. */
  readonly endCursor: string | null;
  readonly hasNextPage: boolean;
}

const OUTCOMES: readonly string[] = ['ok', REFUSED, ...Object.keys(ERRORS)];

/** Characters that no stored text has, and that PostgreSQL refuses to compare. */
const UNSTORED = /\p{Cc}|\p{Cs}/u;

/** @returns a page of the access log, newest first @throws DomainError `invalid_parameter` naming every problem */
export async function listEntries(
  request: EntriesRequest,
  store: Pick<AccessLogStore, 'newest'>,
): Promise<EntriesPage> {
  const { from, to, keyId, tenantId, operation, outcome, search, first, after } = request;
  const fromMs = from === null ? null : toMs(from);
  const untilMs = to === null ? null : toMs(to);
  const tenant = tenantId === null ? null : parseTenantId(tenantId);
  const problems = [
    ...(fromMs === undefined ? ['from must be an ISO 8601 time'] : []),
    ...(untilMs === undefined ? ['to must be an ISO 8601 time'] : []),
    ...(tenantId !== null && tenant === null ? ['tenantId must be the id of a tenant'] : []),
    ...[keyId, operation, search]
      .filter((text) => text !== null && UNSTORED.test(text))
      .map((text) => `${JSON.stringify(text)} has control characters`),
    ...(outcome === null || OUTCOMES.includes(outcome)
      ? []
      : [`outcome must be one of ${OUTCOMES.join(', ')}`]),
    ...(search !== null && (search === '' || search.length > LIMITS.filterCharsMax)
      ? [`search must have from 1 to ${LIMITS.filterCharsMax} characters`]
      : []),
    ...(first >= 1 && first <= LIMITS.accessLogPageMax
      ? []
      : [`first must be from 1 to ${LIMITS.accessLogPageMax}`]),
    ...(after === null || isUuid(after) ? [] : ['after must be a cursor of an earlier page']),
  ];
  if (problems.length > 0 || fromMs === undefined || untilMs === undefined)
    throw new DomainError('invalid_parameter', { public: `${problems.join('; ')}.` });
  const filter = { fromMs, toMs: untilMs, keyId, tenantId: tenant, operation, outcome, search };
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

/** @returns the time in milliseconds, rounded up, so that earlier entries stay out; undefined: not a time */
function toMs(text: string): number | undefined {
  const ticks = parseTicks(text);
  return ticks === null ? undefined : Math.max(0, Number((ticks + TICKS_PER_MS - 1n) / TICKS_PER_MS));
}
