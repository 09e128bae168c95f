import { GraphQLInt, GraphQLString } from 'graphql';
import { ArgsType, Field, ObjectType } from 'type-graphql';
import { type StoredKey, stateOf } from '../../caller/key-store';
import { LIMITS } from '../../limits';
import type { RotatedKey } from './manage-keys';

@ObjectType('ApiKey', { description: 'A key of any kind, without the key itself.' })
export class ApiKeyType {
  @Field(() => GraphQLString)
  keyId: string;

  @Field(() => GraphQLString, { description: 'public, agent or operator.' })
  kind: string;

  @Field(() => GraphQLString)
  name: string;

  @Field(() => GraphQLString, { description: 'How the key begins.' })
  prefix: string;

  @Field(() => GraphQLString, { description: 'valid, expired or revoked.' })
  state: string;

  @Field(() => [GraphQLString])
  scopes: string[];

  @Field(() => [GraphQLString])
  tenantIds: string[];

  @Field(() => GraphQLInt, { nullable: true, description: "Null: the service's default." })
  rateLimitPerMinute: number | null;

  @Field(() => [GraphQLString], {
    description: 'Addresses and networks it may be used from. None: from anywhere.',
  })
  allowedAddresses: string[];

  @Field(() => GraphQLString, { nullable: true, description: 'keyId of the key it was rotated from.' })
  replaces: string | null;

  @Field(() => GraphQLString, { nullable: true, description: 'keyId of the key it was rotated to.' })
  replacedBy: string | null;

  @Field(() => GraphQLString)
  createdAt: string;

  @Field(() => GraphQLString, { nullable: true })
  expiresAt: string | null;

  @Field(() => GraphQLString, { nullable: true })
  revokedAt: string | null;

  @Field(() => GraphQLString, { nullable: true, description: 'Trails the last use by seconds.' })
  lastUsedAt: string | null;
}

@ObjectType({ description: 'A key just made. It is not shown again.' })
export class CreatedKeyType {
  @Field(() => GraphQLString)
  keyId: string;

  @Field(() => GraphQLString)
  key: string;
}

@ObjectType({ description: 'A key just made to replace another. It is not shown again.' })
export class RotatedKeyType extends CreatedKeyType {
  @Field(() => GraphQLString, { description: 'keyId of the old key.' })
  replaces: string;

  @Field(() => GraphQLString, { description: 'Until then the old key works as well.' })
  overlapEndsAt: string;
}

@ArgsType()
export class CreateKeyArgs {
  @Field(() => GraphQLString)
  name: string;

  @Field(() => GraphQLString, { nullable: true, description: 'ISO 8601. Null: never.' })
  expiresAt: string | null;

  @Field(() => [GraphQLString], {
    defaultValue: [],
    description: 'Addresses and networks (CIDR) the key may be used from. None: from anywhere.',
  })
  allowedAddresses: string[];
}

@ArgsType()
export class CreateApiKeyArgs extends CreateKeyArgs {
  @Field(() => [GraphQLString], { defaultValue: [], description: 'Tenants the key may read.' })
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
    description: 'How long the old key works as well.',
  })
  overlapMinutes: number;

  @Field(() => GraphQLString, {
    nullable: true,
    description: 'ISO 8601. Null: the new key lives as long as the old one was made to.',
  })
  expiresAt: string | null;
}

/** @param replacedBy key ids by the id of the key they replace */
export function toApiKeyType(key: StoredKey, replacedBy: ReadonlyMap<string, string>, now: Date): ApiKeyType {
  const { keyId, kind, name, prefix, scopes, rateLimitPerMinute, allowedAddresses, replaces } = key;
  return {
    ...{ keyId, kind, name, prefix, rateLimitPerMinute, replaces },
    state: stateOf(key, now),
    scopes: [...scopes],
    tenantIds: key.tenantIds.map(String),
    allowedAddresses: [...allowedAddresses],
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
