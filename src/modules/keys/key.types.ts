import { GraphQLInt, GraphQLString } from 'graphql';
import { ArgsType, Field } from 'type-graphql';
import { stateOf } from '../../caller/authenticate';
import { type StoredKey } from '../../caller/key-store';
import type { Answer } from '../../event/shape';
import { objectType } from '../../graphql/object-type';
import { LIMITS } from '../../limits';
import { API_KEY, CREATED_KEY, ROTATED_KEY } from './answers';
import type { RotatedKey } from './manage-keys';

export const ApiKeyType = objectType(API_KEY);
export type ApiKeyType = Answer<typeof API_KEY>;
export const CreatedKeyType = objectType(CREATED_KEY);
export const RotatedKeyType = objectType(ROTATED_KEY);
export type RotatedKeyType = Answer<typeof ROTATED_KEY>;

@ArgsType()
export class CreateKeyArgs {
  @Field(() => GraphQLString)
  name: string;

  @Field(() => GraphQLString, { nullable: true, description: 'ISO 8601. Null: never.' })
  expiresAt: string | null;

  @Field(() => [GraphQLString], {
    defaultValue: [],
    description: 'Addresses and networks (CIDR) from which the key may be used. Empty: from anywhere.',
  })
  allowedAddresses: string[];
}

@ArgsType()
export class CreateApiKeyArgs extends CreateKeyArgs {
  @Field(() => [GraphQLString], { defaultValue: [], description: 'Tenants the key may read: at least one.' })
  tenantIds: string[];

  @Field(() => [GraphQLString], { defaultValue: [] })
  scopes: string[];

  @Field(() => GraphQLInt, { nullable: true, description: "Null: the service's default." })
  rateLimitPerMinute: number | null;
}

@ArgsType()
export class CreateAgentKeyArgs extends CreateKeyArgs {
  @Field(() => GraphQLString)
  tenantId: string;
}

@ArgsType()
export class RotateKeyArgs {
  @Field(() => GraphQLString)
  keyId: string;

  @Field(() => GraphQLInt, {
    defaultValue: LIMITS.keyOverlapMinutesDefault,
    description: 'Minutes for which the old key also works.',
  })
  overlapMinutes: number;

  @Field(() => GraphQLString, {
    nullable: true,
    description: 'ISO 8601. Null: the new key has the lifetime that the old one was made with.',
  })
  expiresAt: string | null;
}

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
    state: stateOf(key, now),
    scopes,
    tenantIds: key.tenantIds.map(String),
    allowedAddresses,
    replacedBy: replacedBy.get(keyId) ?? null,
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
