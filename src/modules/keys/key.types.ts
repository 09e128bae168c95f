import { keyStateOf } from '../../caller/authenticate';
import { type StoredKey } from '../../caller/key-store';
import type { Answer } from '../../event/shape';
import { objectType } from '../../graphql/object-type';
import {
  AGENT_KEY_STATE,
  API_KEY,
  ASKED_RENEWAL,
  CREATED_KEY,
  ENROLLED_AGENT,
  RENEWED_AGENT_KEY,
  ROTATED_KEY,
} from './answers';
import type { RotatedKey } from './manage-keys';

export const ApiKeyType = objectType(API_KEY);
export type ApiKeyType = Answer<typeof API_KEY>;
export const CreatedKeyType = objectType(CREATED_KEY);
export const EnrolledAgentType = objectType(ENROLLED_AGENT);
export const AgentKeyStateType = objectType(AGENT_KEY_STATE);
export const RenewedAgentKeyType = objectType(RENEWED_AGENT_KEY);
export const AskedRenewalType = objectType(ASKED_RENEWAL);
export const RotatedKeyType = objectType(ROTATED_KEY);
export type RotatedKeyType = Answer<typeof ROTATED_KEY>;

/** The keys that are listed together. */
export interface ListedKeys {
  readonly byId: ReadonlyMap<string, StoredKey>;
  /** The ids of new keys, by the id of the key that each replaces. */
  readonly replacedBy: ReadonlyMap<string, string>;
}

/** Requests that were under way when a key ended may bring it for so long. */
const LATE_USE_MS = 10 * 60_000;

/** How far the renewal of an agent's key is. */
function renewalOf(key: StoredKey, { byId, replacedBy }: ListedKeys, now: Date): string | null {
  if (key.kind !== 'agent' || key.revokedAt) return null;
  const { enrolledBy, expiresAt, lastUsedAt, renewAskedAt, replaces } = key;
  const isReplaced = replacedBy.has(key.keyId);
  if (keyStateOf(key, now) === 'expired') {
    const isLate = expiresAt && lastUsedAt && lastUsedAt.getTime() - expiresAt.getTime() > LATE_USE_MS;
    if (isReplaced) return enrolledBy && isLate ? 'two-hosts' : 'replaced';
    return 'ended';
  }
  if (!enrolledBy) return isReplaced ? 'replaced' : 'by-hand';
  if (renewAskedAt) return 'waiting';
  return replaces && byId.get(replaces)?.renewAskedAt ? 'followed' : 'current';
}

export function toApiKeyType(key: StoredKey, listed: ListedKeys, now: Date): ApiKeyType {
  const { keyId, kind, name, prefix, scopes, rateLimitPerMinute, allowedAddresses, replaces } = key;
  return {
    keyId,
    kind,
    name,
    prefix,
    rateLimitPerMinute,
    replaces,
    state: keyStateOf(key, now),
    scopes,
    tenantIds: key.tenantIds.map(String),
    allowedAddresses,
    replacedBy: listed.replacedBy.get(keyId) ?? null,
    usesLeft: key.usesLeft ?? null,
    enrolledBy: key.enrolledBy ?? null,
    renewAskedAt: key.renewAskedAt?.toISOString() ?? null,
    renewal: renewalOf(key, listed, now),
    createdAt: key.createdAt.toISOString(),
    expiresAt: key.expiresAt?.toISOString() ?? null,
    revokedAt: key.revokedAt?.toISOString() ?? null,
    lastUsedAt: key.lastUsedAt?.toISOString() ?? null,
  };
}

export const toRotatedKeyType = (rotated: RotatedKey): RotatedKeyType => ({
  ...rotated,
  overlapEndsAt: rotated.overlapEndsAt.toISOString(),
});
