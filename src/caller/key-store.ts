import type { Attempt } from './access-log';
import type { KeyKind } from './key-format';

/** A stored key. Only the hash of the key itself is stored. */
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
  /** The addresses and networks (CIDR) from which it may be used; empty: any. */
  readonly allowedAddresses: readonly string[];
  /** The key that it replaces after a rotation. */
  readonly replaces: string | null;
  /** Of an enroll token: how many more agents may use it. */
  readonly usesLeft?: number | null;
  /** Of an enroll token: for how many days the keys of agents are valid; null: for ever. */
  readonly keyDays?: number | null;
  /** Of an agent key: the id of the token that made it. */
  readonly enrolledBy?: string | null;
  /** When an operator asked its agent for another one; null: nobody did. */
  readonly renewAskedAt?: Date | null;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  readonly lastUsedAt: Date | null;
}

export type NewKey = Omit<StoredKey, 'createdAt' | 'revokedAt' | 'lastUsedAt'>;

export interface Rotation {
  readonly oldKeyId: string;
  readonly newKey: NewKey;
  /** When the old key ends, unless it ends earlier. */
  readonly overlapEnd: Date;
}

/**
 * Port: stores keys. `findByHash` is the only look-up without a tenant, because it finds the tenants. Each change also
 * writes its entry of the access log and notifies the other instances.
 */
export interface KeyStore {
  findByHash(keyHash: Uint8Array): Promise<StoredKey | null>;
  find(keyId: string): Promise<StoredKey | null>;
  /** Does nothing when a key of this hash exists. */
  insert(key: NewKey, attempt: Attempt): Promise<void>;
  /** Does nothing if there is an operator key, valid or not. */
  insertFirstOperator(key: NewKey, attempt: Attempt): Promise<void>;
  list(): Promise<readonly StoredKey[]>;
  /** @returns when the old key ends; null: it has ended meanwhile, or another key already replaces it */
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
  /**
   * Stores the key of an agent, for one use of a token. @returns false: the token has ended, or has no uses left
   */
  enroll(tokenId: string, agentKey: NewKey, attempt: Attempt): Promise<boolean>;
  /**
   * Stores the key that replaces an agent's, which stays valid. A key that nobody has confirmed gives way to it, under
   * the same id.
   * @returns the id of the stored key; null: the old key has ended, or its replacement is in use
   */
  renew(newKey: NewKey, attempt: Attempt): Promise<string | null>;
  /** Ends the key that this one replaces. @returns false: it had ended before */
  confirm(keyId: string, attempt: Attempt): Promise<boolean>;
  /** Asks for another key in place of each valid key of an enrolled agent. @returns their number */
  askRenewal(tenantId: number | null, attempt: Attempt): Promise<number>;
  touch(uses: ReadonlyMap<string, Date>): Promise<void>;
}
