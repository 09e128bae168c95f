import type { Attempt } from './access-log';
import type { KeyKind } from './key-format';

/** A stored key; the key itself is not kept, only its hash. */
export interface StoredKey {
  readonly keyId: string;
  readonly kind: KeyKind;
  readonly name: string;
  readonly keyHash: Uint8Array;
  readonly prefix: string;
  readonly scopes: readonly string[];
  readonly tenantIds: readonly number[];
  /** Null: the service's default. */
  readonly rateLimitPerMinute: number | null;
  /** Addresses and networks (CIDR) it may be used from; none: from anywhere. */
  readonly allowedAddresses: readonly string[];
  /** The key it was rotated from. */
  readonly replaces: string | null;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  readonly lastUsedAt: Date | null;
}

export type NewKey = Omit<StoredKey, 'createdAt' | 'revokedAt' | 'lastUsedAt'>;

export interface Rotation {
  readonly oldKeyId: string;
  readonly newKey: NewKey;
  /** When the old key ends, unless it ends sooner. */
  readonly overlapEnd: Date;
}

/**
 * Port: where keys are kept. `findByHash` is the one look-up without a tenant: it is what yields the tenants. Each
 * change writes its entry of the access log with it, and tells the other instances.
 */
export interface KeyStore {
  findByHash(keyHash: Uint8Array): Promise<StoredKey | null>;
  find(keyId: string): Promise<StoredKey | null>;
  /** Does nothing when a key of this hash exists. */
  insert(key: NewKey, attempt: Attempt): Promise<void>;
  /** Does nothing when there is an operator key, valid or not. */
  insertFirstOperator(key: NewKey, attempt: Attempt): Promise<void>;
  list(): Promise<readonly StoredKey[]>;
  /** Null: the old key has ended meanwhile, or another key replaces it already. @returns when the old key ends */
  rotate(rotation: Rotation, attempt: Attempt): Promise<Date | null>;
  /**
   * The key as revoked; a key revoked before keeps its first time. Null: no such key. `last operator key`: nothing
   * was done, as no other operator key would be valid at `operatorUntil`.
   */
  revoke(
    keyId: string,
    when: { readonly at: Date; readonly operatorUntil: Date },
    attempt: Attempt,
  ): Promise<StoredKey | 'last operator key' | null>;
  touch(uses: ReadonlyMap<string, Date>): Promise<void>;
}
