import { timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { AddressList } from '../address-list';
import { LIMITS } from '../limits';
import { hashOfKey, isWellFormedKey } from './key-format';
import type { KeyStore, StoredKey } from './key-store';
import { type MarkedTenants, type Principal, tenantsReadBy } from './principal';

type KeyLookUp = Pick<KeyStore, 'findByHash' | 'find' | 'touch'>;

interface Known {
  readonly key: StoredKey;
  readonly principal: Principal;
}

type KeyState = 'valid' | 'expired' | 'revoked';
export function keyStateOf(key: StoredKey, now: Date): KeyState {
  if (key.revokedAt) return 'revoked';
  return key.expiresAt && key.expiresAt <= now ? 'expired' : 'valid';
}

/** Turns the key of a request into a principal, and records when each key was last used. */
export class Authenticator {
  /**
   * Recently looked up keys. Their short life limits how long a revoked key works if the notification was lost. It is
   * counted from before the look-up, which may have read the key just before its revocation.
   */
  readonly #known = new LRUCache<string, Known>({ max: LIMITS.keyCacheEntriesMax, ttl: LIMITS.keyCacheMs });
  #forgotten = 0;
  #uses = new Map<string, Date>();

  constructor(
    private readonly store: KeyLookUp,
    private readonly now: () => Date = () => new Date(),
    private readonly disabledTenants: Pick<MarkedTenants, 'among' | 'forget'> = NONE_DISABLED,
  ) {}

  /** @returns null for a malformed, unknown, expired or revoked key; callers learn no more than that */
  async authenticate(key: string | undefined): Promise<Principal | null> {
    if (!key || !isWellFormedKey(key)) return null;
    const hash = hashOfKey(key);
    return this.#valid(
      await this.#find(hash.toString('base64'), async () => {
        const found = await this.store.findByHash(hash);
        return found && timingSafeEqual(found.keyHash, hash) ? found : null;
      }),
    );
  }

  /** The same for a caller who showed the key before, since the key may have ended meanwhile. */
  async byKeyId(keyId: string): Promise<Principal | null> {
    return this.#valid(await this.#find(keyId, () => this.store.find(keyId)));
  }

  /** The tenants of a caller that are in use. */
  async inUse(tenantIds: readonly number[]): Promise<readonly number[]> {
    const disabled = new Set(await this.disabledTenants.among(tenantIds));
    return tenantIds.filter((tenantId) => !disabled.has(tenantId));
  }

  /** Clears the caches, because a key was revoked, or a tenant disabled, or may have been. */
  forget(): void {
    this.#forgotten += 1;
    this.disabledTenants.forget();
    this.#known.clear();
  }

  /** Writes the last-used times gathered since the last flush. */
  async flushUses(): Promise<void> {
    if (this.#uses.size === 0) return;
    const uses = this.#uses;
    this.#uses = new Map();
    try {
      await this.store.touch(uses);
    } catch (error) {
      this.#uses = new Map([...uses, ...this.#uses]);
      throw error;
    }
  }

  #valid(known: Known | null): Principal | null {
    const now = this.now();
    if (!known) return null;
    const state = keyStateOf(known.key, now);
    // An agent's key that its renewal has ended shows, by a late use, that a second host has it.
    if (state === 'valid' || (state === 'expired' && known.key.enrolledBy))
      this.#uses.set(known.key.keyId, now);
    if (state !== 'valid') return null;
    return known.principal;
  }

  async #find(name: string, lookUp: () => Promise<StoredKey | null>): Promise<Known | null> {
    const cached = this.#known.get(name);
    if (cached) return cached;
    const [start, forgotten] = [performance.now(), this.#forgotten];
    const key = await lookUp();
    if (!key) return null;
    const known = { key, principal: toPrincipal(key, await this.inUse(key.tenantIds)) };
    if (forgotten === this.#forgotten) this.#known.set(name, known, { start });
    return known;
  }
}

const NONE_DISABLED = { among: async () => [], forget: () => {} };

/** @param inUse its tenants that are not disabled */
function toPrincipal(key: StoredKey, inUse: readonly number[]): Principal {
  const { keyId, name, allowedAddresses } = key;
  const caller = {
    keyId,
    name,
    ...(allowedAddresses.length > 0 ? { allowedFrom: new AddressList(allowedAddresses) } : {}),
    ...(key.tenantIds.length > 0 && inUse.length === 0 ? { isDisabled: true as const } : {}),
  };
  switch (key.kind) {
    case 'public': {
      const { scopes, rateLimitPerMinute } = key;
      return {
        kind: 'public',
        ...caller,
        scopes,
        ...tenantsReadBy(key.tenantIds, inUse),
        rateLimitPerMinute,
      };
    }
    case 'agent':
    case 'enroll': {
      const [tenantId] = key.tenantIds;
      if (tenantId === undefined) throw new Error(`${key.kind} key ${key.keyId} has no tenant`);
      if (key.kind === 'agent') return { kind: 'agent', ...caller, tenantId };
      return { kind: 'enroll', ...caller, tenantId, keyDays: key.keyDays ?? null };
    }
    case 'operator':
      return { kind: 'operator', ...caller };
  }
}
