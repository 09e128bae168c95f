import { timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { LIMITS } from '../limits';
import { hashOfKey, isWellFormedKey } from './key-format';
import type { KeyStore, StoredKey } from './key-store';
import type { Principal } from './principal';

/** Turns the key of a request into a principal, and notes when each key was last used. */
export class Authenticator {
  /** Keys just looked up. The short life bounds how long a revoked key still works on other instances. */
  readonly #known = new LRUCache<string, StoredKey>({
    max: LIMITS.keyCacheEntriesMax,
    ttl: LIMITS.keyCacheMs,
  });
  #uses = new Map<string, Date>();

  constructor(
    private readonly store: KeyStore,
    private readonly now: () => Date = () => new Date(),
  ) {}

  /** @returns null for a key that is malformed, unknown, expired or revoked: callers learn no more than that. */
  async authenticate(key: string | undefined): Promise<Principal | null> {
    if (!key || !isWellFormedKey(key)) return null;
    const stored = await this.#find(key);
    const now = this.now();
    if (!stored || stored.revokedAt || (stored.expiresAt && stored.expiresAt <= now)) return null;
    this.#uses.set(stored.keyId, now);
    return toPrincipal(stored);
  }

  /** Forgets what was looked up, so that a revocation through this instance holds at once. */
  forget(): void {
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

  async #find(key: string): Promise<StoredKey | null> {
    const hash = hashOfKey(key);
    const cacheKey = hash.toString('base64');
    const cached = this.#known.get(cacheKey);
    if (cached) return cached;
    const found = await this.store.findByHash(hash);
    if (!found || !timingSafeEqual(found.keyHash, hash)) return null;
    this.#known.set(cacheKey, found);
    return found;
  }
}

function toPrincipal(key: StoredKey): Principal {
  switch (key.kind) {
    case 'public': {
      const { keyId, scopes, tenantIds, rateLimitPerMinute } = key;
      return { kind: 'public', keyId, scopes, tenantIds, rateLimitPerMinute };
    }
    case 'agent': {
      const [tenantId] = key.tenantIds;
      if (tenantId === undefined) throw new Error(`agent key ${key.keyId} has no tenant`);
      return { kind: 'agent', keyId: key.keyId, tenantId };
    }
    case 'operator':
      return { kind: 'operator', keyId: key.keyId };
  }
}
