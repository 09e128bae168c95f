import type { Scope } from '../scopes';

/** What a person may do, as the claims said. */
export interface Identity {
  readonly user: string;
  readonly kind: 'public' | 'operator';
  readonly scopes: readonly Scope[];
  readonly tenantIds: readonly number[];
}

/** Somebody signed in: with a key, whose rights are looked up again and again, or as a person. */
export interface Session {
  readonly sessionId: string;
  readonly of: { readonly keyId: string } | Identity;
  readonly lastUsedAt: Date;
  /** However much it is used. */
  readonly expiresAt: Date;
}

/** Port: where sessions are kept, by the hash of their token. */
export interface SessionStore {
  insert(tokenHash: Uint8Array, session: Session): Promise<void>;
  find(tokenHash: Uint8Array): Promise<Session | null>;
  touch(tokenHash: Uint8Array, at: Date): Promise<void>;
  remove(tokenHash: Uint8Array): Promise<void>;
  /** Those that have ended by themselves. */
  removeEnded(now: Date): Promise<void>;
}
