import { randomUUID } from 'node:crypto';
import { parseTicks, TICKS_PER_MS } from '../audit-event/event-time';
import { DomainError } from '../errors';
import { LIMITS } from '../limits';
import { parseTenantId } from '../tenant/tenant-scope';
import type { TenantStore } from '../tenant/tenant-store';
import type { Authenticator } from './authenticate';
import { hashOfKey, type KeyKind, newKey, shownPrefix } from './key-format';
import type { KeyStore, StoredKey } from './key-store';
import { isScope, SCOPE_NAMES } from './scopes';

export interface KeyRequest {
  readonly name: string;
  /** As the API writes them. */
  readonly tenantIds: readonly string[];
  readonly scopes: readonly string[];
  /** ISO 8601; null: never. */
  readonly expiresAt: string | null;
  /** Null: the service's default. */
  readonly rateLimitPerMinute: number | null;
}

/** A key just made: the only moment the key itself is known. */
export interface CreatedKey {
  readonly keyId: string;
  readonly key: string;
}

/** What operators do with public and agent keys. */
export class KeyManager {
  constructor(
    private readonly keys: KeyStore,
    private readonly tenants: TenantStore,
    private readonly authenticator: Authenticator,
    private readonly now: () => Date = () => new Date(),
  ) {}

  /** A key without scope or tenant is valid, and permits nothing. @throws DomainError naming every problem */
  async create(kind: Extract<KeyKind, 'public' | 'agent'>, request: KeyRequest): Promise<CreatedKey> {
    const tenantIds = request.tenantIds.map(parseTenantId);
    const known = new Set(await this.tenants.existing(tenantIds.filter((id) => id !== null)));
    const problems = [
      ...nameProblems(request.name),
      ...request.tenantIds
        .filter((_, i) => !known.has(tenantIds[i] ?? 0))
        .map((id) => `tenant ${id} does not exist`),
      ...request.scopes.filter((s) => !isScope(s)).map((s) => `${s} is no scope (${SCOPE_NAMES.join(', ')})`),
      ...rateProblems(request.rateLimitPerMinute),
    ];
    const expiresAt = request.expiresAt === null ? null : toDate(request.expiresAt);
    if (expiresAt === undefined) problems.push('expiresAt must be an ISO 8601 time');
    if (expiresAt && expiresAt <= this.now()) problems.push('expiresAt must be in the future');
    if (problems.length > 0)
      throw new DomainError('invalid_parameter', { public: `${problems.join('; ')}.` });

    const key = newKey(kind);
    const keyId = randomUUID();
    await this.keys.insert({
      keyId,
      kind,
      name: request.name,
      keyHash: hashOfKey(key),
      prefix: shownPrefix(key),
      scopes: [...new Set(request.scopes)],
      tenantIds: [...known],
      rateLimitPerMinute: request.rateLimitPerMinute,
      expiresAt: expiresAt ?? null,
    });
    return { keyId, key };
  }

  list(): Promise<readonly StoredKey[]> {
    return this.keys.list();
  }

  /** @throws DomainError `not_found` */
  async revoke(keyId: string): Promise<StoredKey> {
    const revoked = await this.keys.revoke(keyId, this.now());
    if (!revoked) throw new DomainError('not_found', { public: 'There is no such key.' });
    this.authenticator.forget();
    return revoked;
  }
}

export function nameProblems(name: string): string[] {
  if (name.trim() === '') return ['name must not be empty'];
  if (/\p{Cc}|\p{Cs}/u.test(name)) return ['name must not have control characters'];
  return name.length > LIMITS.nameCharsMax ? [`name must be at most ${LIMITS.nameCharsMax} characters`] : [];
}

function rateProblems(limit: number | null): string[] {
  const max = LIMITS.rateLimitPerMinuteMax;
  return limit === null || (limit >= 1 && limit <= max)
    ? []
    : [`rateLimitPerMinute must be from 1 to ${max}`];
}

/** Undefined when the text is no time, or an offset leads out of the years that ISO 8601 writes with four digits. */
function toDate(text: string): Date | undefined {
  const ticks = parseTicks(text);
  if (ticks === null) return undefined;
  const date = new Date(Number(ticks / TICKS_PER_MS));
  return date.getUTCFullYear() > 9999 ? undefined : date;
}
