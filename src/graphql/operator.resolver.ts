import { GraphQLInt, GraphQLString } from 'graphql';
import { Arg, Args, ArgsType, Ctx, Field, Mutation, ObjectType, Query, Resolver } from 'type-graphql';
import type { StoredKey } from '../api-key/key-store';
import { nameProblems } from '../api-key/manage-keys';
import { isUuid } from '../audit-event/record-id';
import { DomainError } from '../errors';
import { retentionProblems } from '../retention/manage-retention';
import { Access } from './access';
import type { GraphqlContext } from './context';
import { TenantType, toTenantType } from './tenant.type';

@ObjectType('ApiKey', { description: 'A key of any kind, without the key itself.' })
class ApiKeyType {
  @Field(() => GraphQLString)
  keyId: string;

  @Field(() => GraphQLString, { description: 'public, agent or operator.' })
  kind: string;

  @Field(() => GraphQLString)
  name: string;

  @Field(() => GraphQLString, { description: 'How the key begins.' })
  prefix: string;

  @Field(() => [GraphQLString])
  scopes: string[];

  @Field(() => [GraphQLString])
  tenantIds: string[];

  @Field(() => GraphQLInt, { nullable: true, description: "Null: the service's default." })
  rateLimitPerMinute: number | null;

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
class CreatedKeyType {
  @Field(() => GraphQLString)
  keyId: string;

  @Field(() => GraphQLString)
  key: string;
}

@ArgsType()
class CreateApiKeyArgs {
  @Field(() => GraphQLString)
  name: string;

  @Field(() => [GraphQLString], { defaultValue: [], description: 'Tenants the key may read.' })
  tenantIds: string[];

  @Field(() => [GraphQLString], { defaultValue: [] })
  scopes: string[];

  @Field(() => GraphQLString, { nullable: true, description: 'ISO 8601. Null: never.' })
  expiresAt: string | null;

  @Field(() => GraphQLInt, { nullable: true, description: "Null: the service's default." })
  rateLimitPerMinute: number | null;
}

@Resolver()
export class OperatorResolver {
  @Query(() => [TenantType])
  @Access({ principal: 'operator' })
  async tenants(@Ctx() { services }: GraphqlContext): Promise<TenantType[]> {
    return (await services.tenants.list()).map(toTenantType);
  }

  @Mutation(() => TenantType)
  @Access({ principal: 'operator' })
  async createTenant(
    @Arg('name', () => GraphQLString) name: string,
    @Arg('retentionDays', () => GraphQLInt, { nullable: true, description: 'Null: for ever.' })
    retentionDays: number | null | undefined,
    @Ctx() { services }: GraphqlContext,
  ) {
    const problems = [...nameProblems(name), ...retentionProblems(retentionDays ?? null)];
    if (problems.length > 0)
      throw new DomainError('invalid_parameter', { public: `${problems.join('; ')}.` });
    return toTenantType(await services.tenants.create(name, retentionDays ?? null));
  }

  @Query(() => [ApiKeyType], { description: 'Keys of every kind, oldest first.' })
  @Access({ principal: 'operator' })
  async apiKeys(@Ctx() { services }: GraphqlContext): Promise<ApiKeyType[]> {
    return (await services.keys.list()).map(toApiKeyType);
  }

  @Mutation(() => CreatedKeyType, { description: 'Makes a key for the public API.' })
  @Access({ principal: 'operator' })
  createApiKey(@Args(() => CreateApiKeyArgs) args: CreateApiKeyArgs, @Ctx() { services }: GraphqlContext) {
    const { expiresAt = null, rateLimitPerMinute = null } = args;
    return services.keys.create('public', { ...args, expiresAt, rateLimitPerMinute });
  }

  @Mutation(() => CreatedKeyType, { description: 'Makes a key for an agent, bound to one tenant.' })
  @Access({ principal: 'operator' })
  createAgentKey(
    @Arg('name', () => GraphQLString) name: string,
    @Arg('tenantId', () => GraphQLString) tenantId: string,
    @Ctx() { services }: GraphqlContext,
  ) {
    const request = { name, tenantIds: [tenantId], scopes: [], expiresAt: null, rateLimitPerMinute: null };
    return services.keys.create('agent', request);
  }

  @Mutation(() => ApiKeyType, {
    description: 'Revokes a key of any kind; revoking it again changes nothing.',
  })
  @Access({ principal: 'operator' })
  async revokeApiKey(@Arg('keyId', () => GraphQLString) keyId: string, @Ctx() { services }: GraphqlContext) {
    if (!isUuid(keyId)) throw new DomainError('invalid_parameter', { public: 'keyId must be a key id.' });
    return toApiKeyType(await services.keys.revoke(keyId));
  }
}

function toApiKeyType(key: StoredKey): ApiKeyType {
  const { keyId, kind, name, prefix, scopes, rateLimitPerMinute } = key;
  return {
    keyId,
    kind,
    name,
    prefix,
    scopes: [...scopes],
    tenantIds: key.tenantIds.map(String),
    rateLimitPerMinute,
    createdAt: key.createdAt.toISOString(),
    expiresAt: key.expiresAt?.toISOString() ?? null,
    revokedAt: key.revokedAt?.toISOString() ?? null,
    lastUsedAt: key.lastUsedAt?.toISOString() ?? null,
  };
}
