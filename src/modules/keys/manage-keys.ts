import { randomUUID } from 'node:crypto';
import type { Attempt } from '../../caller/access-log';
import { type Authenticator, stateOf } from '../../caller/authenticate';
import { hashOfKey, type KeyKind, newKey, shownPrefix } from '../../caller/key-format';
import { type KeyStore, type NewKey, type StoredKey } from '../../caller/key-store';
import type { TenantStore } from '../../caller/tenant.store';
import { DomainError } from '../../errors';
import { LIMITS } from '../../limits';
import { parseTenantId } from '../../tenant-set';
import { EXPIRY_MAX_MS, type KeyRequest, parseExpiry, requestProblems } from './key-request';

/** One operator key must stay valid for longer than this. */
const LEFT_HOURS = LIMITS.operatorKeyLeftMs / 3_600_000;

/** A new key. Only now is the key itself known. */
export interface CreatedKey {
  readonly keyId: string;
  readonly key: string;
}

export interface RotatedKey extends CreatedKey {
  /** The id of the old key. */
  readonly replaces: string;
  /** Until then the old key works too. */
  readonly overlapEndsAt: Date;
}

/** The operations on keys of any kind for operators. */
export class KeyManager {
  constructor(
    private readonly keys: KeyStore,
    private readonly tenants: Pick<TenantStore, 'existing'>,
    private readonly authenticator: Pick<Authenticator, 'forget'>,
    private readonly now: () => Date = () => new Date(),
  ) {}

  /** A key without a scope is valid, but permits nothing. @throws DomainError naming every problem */
  async create(kind: KeyKind, request: KeyRequest, attempt: Attempt): Promise<CreatedKey> {
    const tenantIds = request.tenantIds.map(parseTenantId);
    const known = new Set(await this.tenants.existing(tenantIds.filter((id) => id !== null)));
    const expiry = parseExpiry(request.expiresAt, this.now());
    refuseIf([
      ...requestProblems(kind, request),
      ...request.tenantIds
        .filter((_, i) => !known.has(tenantIds[i] ?? 0))
        .map((id) => `tenant ${id} does not exist`),
      ...expiry.problems,
    ]);
    const { key, row } = withNewKey(kind, {
      name: request.name,
      scopes: [...new Set(request.scopes)],
      tenantIds: [...known],
      rateLimitPerMinute: request.rateLimitPerMinute,
      allowedAddresses: [...new Set(request.allowedAddresses)],
      expiresAt: expiry.at,
      replaces: null,
    });
    await this.keys.insert(row, attempt);
    return { keyId: row.keyId, key };
  }

  list(): Promise<readonly StoredKey[]> {
    return this.keys.list();
  }

  /**
   * Makes a new key with the rights of the old one, which works until the overlap ends.
   * @param how without expiresAt, the new key gets the lifetime of the old one @throws DomainError
   */
  async rotate(
    keyId: string,
    how: { readonly overlapMinutes: number; readonly expiresAt: string | null },
    attempt: Attempt,
  ): Promise<RotatedKey> {
    const now = this.now();
    const old = await this.keys.find(keyId);
    if (!old) throw noSuchKey();
    const expiry = parseExpiry(how.expiresAt, now);
    const expiresAt = expiry.at ?? sameLife(old, now);
    const max = LIMITS.keyOverlapMinutesMax;
    const inTime = how.overlapMinutes >= 0 && how.overlapMinutes <= max;
    refuseIf([
      ...(inTime ? [] : [`overlapMinutes must be from 0 to ${max}`]),
      ...expiry.problems,
      ...(stateOf(old, now) === 'valid' ? [] : [`the key is ${stateOf(old, now)}: make a new one`]),
      ...(old.kind === 'operator' && expiresAt && expiresAt <= this.#operatorUntil(now)
        ? [
            `an operator key must be valid for more than ${LEFT_HOURS} hours, or nobody could make another one`,
          ]
        : []),
    ]);
    const { key, row } = withNewKey(old.kind, { ...old, expiresAt, replaces: keyId });
    const overlapEnd = new Date(now.getTime() + how.overlapMinutes * 60_000);
    const overlapEndsAt = await this.keys.rotate({ oldKeyId: keyId, newKey: row, overlapEnd }, attempt);
    if (!overlapEndsAt)
      throw new DomainError('invalid_parameter', {
        public: 'The key was rotated before: rotate the key that replaces it.',
      });
    this.authenticator.forget();
    return { keyId: row.keyId, key, replaces: keyId, overlapEndsAt };
  }

  /** @throws DomainError `not_found`; `invalid_parameter` if no valid operator key would be left */
  async revoke(keyId: string, attempt: Attempt): Promise<StoredKey> {
    const at = this.now();
    const revoked = await this.keys.revoke(keyId, { at, operatorUntil: this.#operatorUntil(at) }, attempt);
    if (!revoked) throw noSuchKey();
    if (revoked === 'last operator key')
      throw new DomainError('invalid_parameter', {
        public: `No other operator key is valid for the next ${LEFT_HOURS} hours. Create one first.`,
      });
    this.authenticator.forget();
    return revoked;
  }

  #operatorUntil(now: Date): Date {
    return new Date(now.getTime() + LIMITS.operatorKeyLeftMs);
  }
}

const noSuchKey = () => new DomainError('not_found', { public: 'There is no such key.' });

function refuseIf(problems: readonly string[]): void {
  if (problems.length > 0) throw new DomainError('invalid_parameter', { public: `${problems.join('; ')}.` });
}

type Granted = Pick<
  NewKey,
  'name' | 'scopes' | 'tenantIds' | 'rateLimitPerMinute' | 'allowedAddresses' | 'expiresAt' | 'replaces'
>;

/** Makes a new key of a kind, with the row to store. */
function withNewKey(kind: KeyKind, granted: Granted): { readonly key: string; readonly row: NewKey } {
  const key = newKey(kind);
  return { key, row: rowOf(key, kind, granted) };
}

/** The row to store for a key. */
function rowOf(key: string, kind: KeyKind, granted: Granted): NewKey {
  const { name, scopes, tenantIds, rateLimitPerMinute, allowedAddresses, expiresAt, replaces } = granted;
  return {
    keyId: randomUUID(),
    kind,
    keyHash: hashOfKey(key),
    prefix: shownPrefix(key),
    name,
    scopes,
    tenantIds,
    rateLimitPerMinute,
    allowedAddresses,
    expiresAt,
    replaces,
  };
}

/** The row of an operator key that was made without a request to the service. */
export const operatorRow = (key: string, name: string): NewKey =>
  rowOf(key, 'operator', {
    name,
    scopes: [],
    tenantIds: [],
    rateLimitPerMinute: null,
    allowedAddresses: [],
    expiresAt: null,
    replaces: null,
  });

function sameLife({ createdAt, expiresAt }: StoredKey, now: Date): Date | null {
  if (!expiresAt) return null;
  const life = Math.max(0, expiresAt.getTime() - createdAt.getTime());
  return new Date(Math.min(now.getTime() + life, EXPIRY_MAX_MS));
}
