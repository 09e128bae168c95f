import { GraphQLString } from 'graphql';
import { Arg, Args, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { isUuid } from '../../event/record-id';
import { DomainError } from '../../errors';
import { Access } from '../../graphql/access';
import { attemptOf, type GraphqlContext } from '../../graphql/context';
import {
  ApiKeyType,
  CreateAgentKeyArgs,
  CreateApiKeyArgs,
  CreatedKeyType,
  CreateKeyArgs,
  RotatedKeyType,
  RotateKeyArgs,
  toApiKeyType,
  toRotatedKeyType,
} from './key.types';

/** What a request for a key has when nothing is said. */
const NOTHING_MORE = { tenantIds: [], scopes: [], rateLimitPerMinute: null };

@Resolver()
export class KeyResolver {
  @Query(() => [ApiKeyType], { description: 'Keys of every kind, oldest first.' })
  @Access({ principal: 'operator' })
  apiKeys(@Ctx() context: GraphqlContext): Promise<ApiKeyType[]> {
    return listed(context);
  }

  @Mutation(() => CreatedKeyType, { description: 'Makes a key for the public API.' })
  @Access({ principal: 'operator' })
  createApiKey(@Args(() => CreateApiKeyArgs) args: CreateApiKeyArgs, @Ctx() context: GraphqlContext) {
    const { expiresAt = null, rateLimitPerMinute = null } = args;
    const request = { ...args, expiresAt, rateLimitPerMinute };
    return context.services.keys.create('public', request, attemptOf(context));
  }

  @Mutation(() => CreatedKeyType, { description: 'Makes a key for an agent, bound to one tenant.' })
  @Access({ principal: 'operator' })
  createAgentKey(@Args(() => CreateAgentKeyArgs) args: CreateAgentKeyArgs, @Ctx() context: GraphqlContext) {
    const { name, tenantId, expiresAt = null, allowedAddresses } = args;
    const request = { ...NOTHING_MORE, name, tenantIds: [tenantId], expiresAt, allowedAddresses };
    return context.services.keys.create('agent', request, attemptOf(context));
  }

  @Mutation(() => CreatedKeyType, { description: 'Makes a further operator key.' })
  @Access({ principal: 'operator' })
  createOperatorKey(@Args(() => CreateKeyArgs) args: CreateKeyArgs, @Ctx() context: GraphqlContext) {
    const { name, expiresAt = null, allowedAddresses } = args;
    const request = { ...NOTHING_MORE, name, expiresAt, allowedAddresses };
    return context.services.keys.create('operator', request, attemptOf(context));
  }

  @Mutation(() => RotatedKeyType, {
    description:
      'Makes a key that may do what a key of any kind may do, and ends that key after an overlap in which both work.',
  })
  @Access({ principal: 'operator' })
  async rotateApiKey(
    @Args(() => RotateKeyArgs) { keyId, overlapMinutes, expiresAt = null }: RotateKeyArgs,
    @Ctx() context: GraphqlContext,
  ) {
    const how = { overlapMinutes, expiresAt };
    return toRotatedKeyType(await context.services.keys.rotate(checkedId(keyId), how, attemptOf(context)));
  }

  @Mutation(() => ApiKeyType, {
    description: 'Revokes a key of any kind; revoking it again changes nothing. The last operator key stays.',
  })
  @Access({ principal: 'operator' })
  async revokeApiKey(@Arg('keyId', () => GraphQLString) keyId: string, @Ctx() context: GraphqlContext) {
    const revoked = await context.services.keys.revoke(checkedId(keyId), attemptOf(context));
    return (await listed(context)).find((key) => key.keyId === revoked.keyId);
  }
}

async function listed({ services }: GraphqlContext): Promise<ApiKeyType[]> {
  const keys = await services.keys.list();
  const replacedBy = new Map(keys.flatMap((key) => (key.replaces ? [[key.replaces, key.keyId]] : [])));
  const now = new Date(services.now());
  return keys.map((key) => toApiKeyType(key, replacedBy, now));
}

function checkedId(keyId: string): string {
  if (!isUuid(keyId)) throw new DomainError('invalid_parameter', { public: 'keyId must be a key id.' });
  return keyId.toLowerCase();
}
