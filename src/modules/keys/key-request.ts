import { addressProblems } from '../../caller/address-list';
import type { KeyKind } from '../../caller/key-format';
import { nameProblems } from '../../caller/name-problems';
import { isScope, SCOPE_NAMES } from '../../caller/scopes';
import { parseTicks, TICKS_PER_MS } from '../../event/event-time';
import { LIMITS } from '../../limits';

/** An operator's request for a key. */
export interface KeyRequest {
  readonly name: string;
  /** Tenant ids as the API writes them. */
  readonly tenantIds: readonly string[];
  readonly scopes: readonly string[];
  /** ISO 8601; null: never. */
  readonly expiresAt: string | null;
  /** Null: the service's default. */
  readonly rateLimitPerMinute: number | null;
  /** Addresses and networks (CIDR); empty: any address. */
  readonly allowedAddresses: readonly string[];
}

/** The problems of a request, except those of its tenants and its time, which depend on stored data and the clock. */
export const requestProblems = (kind: KeyKind, request: KeyRequest): string[] => [
  ...nameProblems(request.name),
  ...(kind === 'public' && request.tenantIds.length === 0
    ? ['tenantIds must name a tenant: a key without one may read nothing']
    : []),
  ...request.scopes.filter((s) => !isScope(s)).map((s) => `${s} is no scope (${SCOPE_NAMES.join(', ')})`),
  ...rateProblems(request.rateLimitPerMinute),
  ...addressProblems(request.allowedAddresses),
];

function rateProblems(limit: number | null): string[] {
  const max = LIMITS.rateLimitPerMinuteMax;
  return limit === null || (limit >= 1 && limit <= max)
    ? []
    : [`rateLimitPerMinute must be from 1 to ${max}`];
}

/** Parses the time of expiry. @param text ISO 8601; null: never */
export function parseExpiry(text: string | null, now: Date): { at: Date | null; problems: string[] } {
  if (text === null) return { at: null, problems: [] };
  const at = toDate(text);
  if (at === undefined) return { at: null, problems: ['expiresAt must be an ISO 8601 time'] };
  return { at, problems: at <= now ? ['expiresAt must be in the future'] : [] };
}

/** The last time with a year of four digits. An offset could lead beyond it. */
export const EXPIRY_MAX_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

function toDate(text: string): Date | undefined {
  const ticks = parseTicks(text);
  const ms = ticks === null ? Number.NaN : Number(ticks / TICKS_PER_MS);
  return ms <= EXPIRY_MAX_MS ? new Date(ms) : undefined;
}
