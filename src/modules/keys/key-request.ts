import { addressProblems } from '../../caller/address-list';
import { nameProblems } from '../../caller/name-problems';
import { isScope, SCOPE_NAMES } from '../../caller/scopes';
import { parseTicks, TICKS_PER_MS } from '../../event/event-time';
import { LIMITS } from '../../limits';

/** A key as an operator asks for it. */
export interface KeyRequest {
  readonly name: string;
  /** As the API writes them. */
  readonly tenantIds: readonly string[];
  readonly scopes: readonly string[];
  /** ISO 8601; null: never. */
  readonly expiresAt: string | null;
  /** Null: the service's default. */
  readonly rateLimitPerMinute: number | null;
  /** Addresses and networks (CIDR); none: from anywhere. */
  readonly allowedAddresses: readonly string[];
}

/** What is wrong with a request, but for what depends on others: its tenants and the time. */
export const requestProblems = (request: KeyRequest): string[] => [
  ...nameProblems(request.name),
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

/** When a key expires. @param text ISO 8601; null: never */
export function parseExpiry(text: string | null, now: Date): { at: Date | null; problems: string[] } {
  if (text === null) return { at: null, problems: [] };
  const at = toDate(text);
  if (at === undefined) return { at: null, problems: ['expiresAt must be an ISO 8601 time'] };
  return { at, problems: at <= now ? ['expiresAt must be in the future'] : [] };
}

/** The last time that ISO 8601 writes with a year of four digits: an offset may lead beyond it. */
export const EXPIRY_MAX_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

function toDate(text: string): Date | undefined {
  const ticks = parseTicks(text);
  const ms = ticks === null ? Number.NaN : Number(ticks / TICKS_PER_MS);
  return ms <= EXPIRY_MAX_MS ? new Date(ms) : undefined;
}
