import type { Attempt } from '../../caller/access-log';
import { type Authenticator, keyStateOf } from '../../caller/authenticate';
import type { KeyStore, StoredKey } from '../../caller/key-store';
import type { Principal } from '../../caller/principal';
import type { TenantStore } from '../../caller/tenant.store';
import { DomainError, refusal } from '../../errors';
import { problem } from '../../problem';
import { parseTenantId } from '../../tenant-set';
import { type CreatedKey, sameLife, withNewKey } from './manage-keys';

/** What an agent is told of its own key. */
export interface OwnKey {
  readonly keyId: string;
  readonly expiresAt: Date | null;
  /** Whether the agent should renew it. */
  readonly isDue: boolean;
}

/** A key is renewed when less than this part of its life is left. */
const LEFT_PART = 1 / 3;

/**
 * The renewal of keys that agents fetched with a token. The old key works until the agent has used the new one: a crash
 * at any moment before leaves an agent whose old key works, and that asks again.
 */
export class KeyRenewal {
  constructor(
    private readonly keys: KeyStore,
    private readonly tenants: Pick<TenantStore, 'existing'>,
    private readonly authenticator: Pick<Authenticator, 'forget'>,
    private readonly now: () => Date = () => new Date(),
  ) {}

  /** Tells an agent of its key. The first question with a new key ends the key that it replaces. */
  async ownKey(principal: Principal, attempt: Attempt): Promise<OwnKey> {
    const own = await this.#own(principal);
    if (own.enrolledBy && own.replaces && (await this.keys.confirm(own.keyId, attempt)))
      this.authenticator.forget();
    const { keyId, expiresAt } = own;
    return { keyId, expiresAt, isDue: isDue(own, this.now()) };
  }

  /**
   * Makes the key that follows that of the agent, which still works. Asked again, it makes another one in place of one
   * that was never used.
   * @throws DomainError `invalid_parameter`: it is not due, or not the agent's own to renew
   */
  async renew(
    principal: Principal,
    attempt: Attempt,
  ): Promise<CreatedKey & { readonly expiresAt: Date | null }> {
    const own = await this.#own(principal);
    const now = this.now();
    if (!own.enrolledBy) throw unfit('An operator made this key: an operator rotates it.');
    if (!isDue(own, now)) throw unfit('The key is not due for renewal.');
    const expiresAt = sameLife(own, now);
    const { key, row } = withNewKey('agent', { ...own, expiresAt, replaces: own.keyId });
    const keyId = await this.keys.renew({ ...row, enrolledBy: own.enrolledBy }, attempt);
    if (keyId === null) throw unfit('The key was replaced before: two agents have it, or it was rotated.');
    this.authenticator.forget();
    return { keyId, key, expiresAt };
  }

  /** Asks every agent whose key is its own for another one. @param tenantId null: of every tenant */
  async askAll(tenantId: string | null, attempt: Attempt): Promise<number> {
    const id = tenantId === null ? null : (parseTenantId(tenantId) ?? 0);
    if (id !== null && (await this.tenants.existing([id])).length === 0)
      throw refusal([problem('tenantId', 'not_there', 'does not exist')]);
    const asked = await this.keys.askRenewal(id, attempt);
    this.authenticator.forget();
    return asked;
  }

  async #own(principal: Principal): Promise<StoredKey> {
    const own = principal.kind === 'agent' ? await this.keys.find(principal.keyId) : null;
    if (!own || keyStateOf(own, this.now()) !== 'valid')
      throw new DomainError('unauthorized', { public: 'The key has ended.' });
    return own;
  }
}

const unfit = (message: string) => new DomainError('invalid_parameter', { public: message });

function isDue({ enrolledBy, renewAskedAt, createdAt, expiresAt }: StoredKey, now: Date): boolean {
  if (!enrolledBy) return false;
  if (renewAskedAt) return true;
  if (!expiresAt) return false;
  const life = expiresAt.getTime() - createdAt.getTime();
  return expiresAt.getTime() - now.getTime() < life * LEFT_PART;
}
