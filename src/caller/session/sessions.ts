import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { isUnavailable } from '../../errors';
import { LIMITS } from '../../limits';
import type { Authenticator } from '../authenticate';
import { type Principal, tenantsReadBy } from '../principal';
import type { Identity, Session, SessionStore } from './session.store';

const TOKEN_BYTES = 32;
const hashOf = (token: string) => createHash('sha256').update(token).digest();

/** A session with its current caller. */
export interface SignedIn {
  readonly session: Session;
  readonly principal: Principal;
}

/** The sessions of the dashboard. Only the browser knows the token. It grants what its key or person is granted. */
export class Sessions {
  readonly #known: LRUCache<string, Session>;

  constructor(
    private readonly store: SessionStore,
    private readonly authenticator: Pick<Authenticator, 'byKeyId' | 'inUse'>,
    private readonly now: () => Date = () => new Date(),
    /** Of a monotonic clock: nothing is remembered for longer because somebody sets the clock. */
    private readonly elapsedMs: () => number = () => performance.now(),
  ) {
    const perf = { now: elapsedMs };
    this.#known = new LRUCache({
      max: LIMITS.keyCacheEntriesMax,
      ttl: LIMITS.sessionCacheMs,
      ttlResolution: 0,
      perf,
    });
  }

  /** @returns the token of a new session */
  async begin(of: Session['of']): Promise<string> {
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    const now = this.now();
    const expiresAt = new Date(now.getTime() + LIMITS.sessionMs);
    await this.store.insert(hashOf(token), { sessionId: randomUUID(), of, lastUsedAt: now, expiresAt });
    return token;
  }

  /**
   * @param isUse whether it counts as a use of the session
   * @returns null if the token is unknown, or the session or its key has ended
   */
  async find(token: string, isUse = true): Promise<SignedIn | null> {
    const hash = hashOf(token);
    const name = hash.toString('base64');
    const start = this.elapsedMs(); // before the look-up, which may read the session just before its end
    const session = this.#known.get(name) ?? (await this.store.find(hash));
    const now = this.now();
    if (!session || now >= endOf(session)) return null;
    const principal = await this.#principalOf(session);
    if (!principal) return null;
    const isUseWritten = !isUse || now.getTime() - session.lastUsedAt.getTime() < LIMITS.sessionUseMs;
    const used = isUseWritten ? session : { ...session, lastUsedAt: now };
    if (!isUseWritten) await this.#write(hash, now);
    if (this.#known.get(name) !== used) this.#known.set(name, used, { start });
    return { session: used, principal };
  }

  /** A database that only reads, since its standby is away, answers the session's reads. A later use is written. */
  async #write(hash: Uint8Array, now: Date): Promise<void> {
    try {
      await this.store.touch(hash, now);
    } catch (error) {
      if (!isUnavailable(error)) throw error;
    }
  }

  async end(token: string): Promise<void> {
    const hash = hashOf(token);
    await this.store.remove(hash);
    this.#known.delete(hash.toString('base64'));
  }

  removeEnded(): Promise<void> {
    return this.store.removeEnded(this.now());
  }

  async #principalOf({ sessionId, of }: Session): Promise<Principal | null> {
    if (!('keyId' in of)) return personOf(sessionId, of, await this.authenticator.inUse(of.tenantIds));
    const principal = await this.authenticator.byKeyId(of.keyId);
    return principal && { ...principal, session: { user: null } };
  }
}

/** @param inUse the person's tenants that are not disabled */
function personOf(
  sessionId: string,
  { user, kind, scopes, tenantIds }: Identity,
  inUse: readonly number[],
): Principal {
  const caller = { keyId: sessionId, name: user, session: { user } };
  if (kind === 'operator') return { kind, ...caller };
  const isDisabled = tenantIds.length > 0 && inUse.length === 0;
  return {
    kind,
    ...caller,
    ...(isDisabled && { isDisabled }),
    scopes,
    ...tenantsReadBy(tenantIds, inUse),
    rateLimitPerMinute: null,
  };
}

export const idleEndOf = ({ lastUsedAt }: Session) => new Date(lastUsedAt.getTime() + LIMITS.sessionIdleMs);

const endOf = (session: Session) =>
  new Date(Math.min(session.expiresAt.getTime(), idleEndOf(session).getTime()));
