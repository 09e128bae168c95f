import { randomUUID } from 'node:crypto';
import type { Attempt } from '../../caller/access-log';
import { type Authenticator, keyStateOf } from '../../caller/authenticate';
import { hashOfKey, type KeyKind, newKey, shownPrefix } from '../../caller/key-format';
import { type KeyStore, type NewKey, type StoredKey } from '../../caller/key-store';
import type { Principal } from '../../caller/principal';
import type { TenantStore } from '../../caller/tenant.store';
import { DomainError, refuseIf } from '../../errors';
import { DAY_MS, LAST_MS, parseTicks, TICKS_PER_MS } from '../../event/event-time';
import type { GivenValues } from '../../event/parameter-specs';
import { checkParameters } from '../../event/parse-parameters';
import { LIMITS } from '../../limits';
import { type Problem, problem } from '../../problem';
import { parseTenantId } from '../../tenant-set';
import { CREATE_API_KEY, type KeyRequest, ROTATION } from './key-parameters';

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
  async create(
    kind: KeyKind,
    request: KeyRequest,
    attempt: Attempt,
    token: Pick<NewKey, 'usesLeft' | 'keyDays'> = {},
  ): Promise<CreatedKey> {
    const { values, problems } = checkParameters(CREATE_API_KEY, request);
    const asked = request.tenantIds ?? [];
    const tenantIds = asked.map(parseTenantId);
    const known = new Set(await this.tenants.existing(tenantIds.filter((id) => id !== null)));
    const expiresAt = toDate(values.expiresAt);
    refuseIf([
      ...problems,
      ...(kind === 'public' && asked.length === 0
        ? [problem('tenantIds', 'missing', 'must name a tenant: a key without one may read nothing')]
        : []),
      ...asked.filter((_, i) => !known.has(tenantIds[i] ?? 0)).map(noSuchTenantNamed),
      ...pastProblems(expiresAt, this.now()),
    ]);
    const { key, row } = withNewKey(kind, {
      expiresAt,
      name: values.name,
      scopes: [...new Set(values.scopes)],
      tenantIds: [...known],
      rateLimitPerMinute: values.rateLimitPerMinute ?? null,
      allowedAddresses: [...new Set(values.allowedAddresses)],
      replaces: null,
    });
    await this.keys.insert({ ...row, ...token }, attempt);
    return { keyId: row.keyId, key };
  }

  /**
   * Makes a key for the agent of a host, for one use of a token. It may be used from where the token may be used.
   * @throws DomainError `forbidden`: the token has no uses left
   */
  async enroll(
    token: Principal,
    hostName: string,
    attempt: Attempt,
  ): Promise<CreatedKey & { readonly tenantId: string; readonly expiresAt: string | null }> {
    const found = token.kind === 'enroll' ? await this.keys.find(token.keyId) : null;
    if (!found || token.kind !== 'enroll') throw noUsesLeft();
    const { keyDays } = token;
    const expiresAt = keyDays === null ? null : new Date(this.now().getTime() + keyDays * DAY_MS);
    const { key, row } = withNewKey('agent', {
      name: hostName,
      scopes: [],
      tenantIds: [token.tenantId],
      rateLimitPerMinute: null,
      allowedAddresses: found.allowedAddresses,
      expiresAt,
      replaces: null,
    });
    if (!(await this.keys.enroll(token.keyId, { ...row, enrolledBy: token.keyId }, attempt)))
      throw noUsesLeft();
    return {
      keyId: row.keyId,
      key,
      tenantId: String(token.tenantId),
      expiresAt: expiresAt?.toISOString() ?? null,
    };
  }

  list(): Promise<readonly StoredKey[]> {
    return this.keys.list();
  }

  /**
   * Makes a new key with the rights of the old one, which works until the overlap ends.
   * @param how without expiresAt, the new key gets the lifetime of the old one @throws DomainError
   */
  async rotate(keyId: string, how: GivenValues<typeof ROTATION>, attempt: Attempt): Promise<RotatedKey> {
    const now = this.now();
    const { values, problems } = checkParameters(ROTATION, how);
    const old = await this.keys.find(keyId);
    if (!old) throw noSuchKey();
    const asked = toDate(values.expiresAt);
    const expiresAt = asked ?? sameLife(old, now);
    refuseIf([
      ...problems,
      ...pastProblems(asked, now),
      ...(keyStateOf(old, now) === 'valid'
        ? []
        : [unfit(`the key is ${keyStateOf(old, now)}: make a new one`)]),
      ...(old.kind === 'enroll' ? [unfit('a token of agents is not rotated: create another one')] : []),
      ...(old.kind === 'operator' && expiresAt && expiresAt <= this.#operatorUntil(now)
        ? [
            unfit(
              `an operator key must be valid for more than ${LEFT_HOURS} hours, or nobody could make another one`,
            ),
          ]
        : []),
    ]);
    const { key, row } = withNewKey(old.kind, { ...old, expiresAt, replaces: keyId });
    const overlapEnd = new Date(now.getTime() + values.overlapMinutes * 60_000);
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

const noUsesLeft = () =>
  new DomainError('forbidden', { public: 'The token has ended, or has enrolled as many agents as it may.' });

const noSuchKey = () => new DomainError('not_found', { public: 'There is no such key.' });

const noSuchTenantNamed = (id: string): Problem => ({
  code: 'not_there',
  field: 'tenantIds',
  message: `tenant ${id.slice(0, 20)} does not exist`,
  detail: {},
});

/** A problem of a key, and not of what was given. */
const unfit = (message: string): Problem => ({ code: 'refused', field: null, message, detail: {} });

const pastProblems = (expiresAt: Date | null, now: Date): Problem[] =>
  expiresAt && expiresAt <= now
    ? [problem('expiresAt', 'out_of_range', 'must be in the future', { min: now.toISOString() })]
    : [];

/** @param text a time that was checked; undefined: none */
function toDate(text: string | undefined): Date | null {
  const ticks = text === undefined ? null : parseTicks(text);
  return ticks === null ? null : new Date(Number(ticks / TICKS_PER_MS));
}

type Granted = Pick<
  NewKey,
  'name' | 'scopes' | 'tenantIds' | 'rateLimitPerMinute' | 'allowedAddresses' | 'expiresAt' | 'replaces'
>;

/** Makes a new key of a kind, with the row to store. */
export function withNewKey(kind: KeyKind, granted: Granted): { readonly key: string; readonly row: NewKey } {
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

export function sameLife({ createdAt, expiresAt }: StoredKey, now: Date): Date | null {
  if (!expiresAt) return null;
  const life = Math.max(0, expiresAt.getTime() - createdAt.getTime());
  return new Date(Math.min(now.getTime() + life, LAST_MS));
}
