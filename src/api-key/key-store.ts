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
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  readonly lastUsedAt: Date | null;
}

export type NewKey = Pick<
  StoredKey,
  | 'keyId'
  | 'kind'
  | 'name'
  | 'keyHash'
  | 'prefix'
  | 'scopes'
  | 'tenantIds'
  | 'rateLimitPerMinute'
  | 'expiresAt'
>;

/** Port: where keys are kept. `findByHash` is the one look-up without a tenant: it is what yields the tenants. */
export interface KeyStore {
  findByHash(keyHash: Uint8Array): Promise<StoredKey | null>;
  /** Does nothing when a key of this hash exists. */
  insert(key: NewKey): Promise<void>;
  list(): Promise<readonly StoredKey[]>;
  /** The key as revoked; a key revoked before keeps its first time. Null: no such key. */
  revoke(keyId: string, at: Date): Promise<StoredKey | null>;
  touch(uses: ReadonlyMap<string, Date>): Promise<void>;
}
