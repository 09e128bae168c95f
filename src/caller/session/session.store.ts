import type { ServiceDoor } from '../../database/clients';
import { guarded } from '../../database/limited';
import { LIMITS } from '../../limits';
import { isScope, type Scope } from '../scopes';

/** The rights of a person, as the claims stated them. */
export interface Identity {
  readonly user: string;
  readonly kind: 'public' | 'operator';
  readonly scopes: readonly Scope[];
  readonly tenantIds: readonly number[];
}

/** A signed-in caller: with a key, whose rights are looked up again each time, or as a person. */
export interface Session {
  readonly sessionId: string;
  readonly of: { readonly keyId: string } | Identity;
  readonly lastUsedAt: Date;
  /** Fixed, even if the session is used. */
  readonly expiresAt: Date;
}

/** Port: stores sessions by the hash of their token. */
export interface SessionStore {
  insert(tokenHash: Uint8Array, session: Session): Promise<void>;
  find(tokenHash: Uint8Array): Promise<Session | null>;
  touch(tokenHash: Uint8Array, at: Date): Promise<void>;
  remove(tokenHash: Uint8Array): Promise<void>;
  /** Removes the sessions that have expired. */
  removeEnded(now: Date): Promise<void>;
}

export class PostgresSessionStore implements SessionStore {
  constructor(private readonly service: ServiceDoor) {}

  async insert(tokenHash: Uint8Array, { sessionId, of, lastUsedAt, expiresAt }: Session): Promise<void> {
    const [keyId, person] = 'keyId' in of ? [of.keyId, null] : [null, of];
    await guarded(
      () => this.service.models.$executeRaw`
        INSERT INTO dashboard_session (token_hash, session_id, key_id, user_name, kind, scopes, tenant_ids,
          last_used_at, expires_at)
        VALUES (${Buffer.from(tokenHash)}, ${sessionId}::uuid, ${keyId}::uuid, ${person?.user ?? null},
          ${person?.kind ?? null}, ${[...(person?.scopes ?? [])]}::text[], ${[...(person?.tenantIds ?? [])]}::int[],
          ${lastUsedAt}, ${expiresAt})`,
    );
  }

  async find(tokenHash: Uint8Array): Promise<Session | null> {
    const [row] = await guarded(
      () => this.service.models.$queryRaw<Row[]>`
        SELECT session_id, key_id, user_name, kind, scopes, tenant_ids, last_used_at, expires_at
        FROM dashboard_session WHERE token_hash = ${Buffer.from(tokenHash)}`,
    );
    return row ? toSession(row) : null;
  }

  async touch(tokenHash: Uint8Array, at: Date): Promise<void> {
    await guarded(
      () => this.service.models.$executeRaw`
        UPDATE dashboard_session SET last_used_at = greatest(last_used_at, ${at})
        WHERE token_hash = ${Buffer.from(tokenHash)}`,
    );
  }

  async remove(tokenHash: Uint8Array): Promise<void> {
    await guarded(
      () =>
        this.service.models
          .$executeRaw`DELETE FROM dashboard_session WHERE token_hash = ${Buffer.from(tokenHash)}`,
    );
  }

  async removeEnded(now: Date): Promise<void> {
    const idleSince = new Date(now.getTime() - LIMITS.sessionIdleMs);
    await guarded(
      () => this.service.models.$executeRaw`
        DELETE FROM dashboard_session WHERE expires_at <= ${now} OR last_used_at <= ${idleSince}`,
    );
  }
}

interface Row {
  readonly session_id: string;
  readonly key_id: string | null;
  readonly user_name: string | null;
  /** Null with a key id. */
  readonly kind: 'public' | 'operator' | null;
  readonly scopes: readonly string[];
  readonly tenant_ids: readonly number[];
  readonly last_used_at: Date;
  readonly expires_at: Date;
}

function toSession(row: Row): Session {
  const { session_id: sessionId, key_id: keyId, user_name: user, kind } = row;
  const times = { lastUsedAt: row.last_used_at, expiresAt: row.expires_at };
  if (keyId !== null) return { sessionId, of: { keyId }, ...times };
  if (user === null || kind === null) throw new Error(`session ${sessionId} is of nobody`);
  const person = { user, kind, scopes: row.scopes.filter(isScope), tenantIds: row.tenant_ids };
  return { sessionId, of: person, ...times };
}
