import { keyStateOf } from '../../caller/authenticate';
import { type StoredKey } from '../../caller/key-store';
import type { Answer } from '../../event/shape';
import { objectType } from '../../graphql/object-type';
import { API_KEY, CREATED_KEY, ENROLLED_AGENT, ROTATED_KEY } from './answers';
import type { RotatedKey } from './manage-keys';

export const ApiKeyType = objectType(API_KEY);
export type ApiKeyType = Answer<typeof API_KEY>;
export const CreatedKeyType = objectType(CREATED_KEY);
export const EnrolledAgentType = objectType(ENROLLED_AGENT);
export const RotatedKeyType = objectType(ROTATED_KEY);
export type RotatedKeyType = Answer<typeof ROTATED_KEY>;

/** @param replacedBy the ids of new keys, by the id of the key that each replaces */
export function toApiKeyType(key: StoredKey, replacedBy: ReadonlyMap<string, string>, now: Date): ApiKeyType {
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
    replacedBy: replacedBy.get(keyId) ?? null,
    usesLeft: key.usesLeft ?? null,
    enrolledBy: key.enrolledBy ?? null,
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
