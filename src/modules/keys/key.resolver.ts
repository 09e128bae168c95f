import { GraphQLString } from 'graphql';
import { Arg, Args, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { attemptOf, type Call } from '../../caller/call';
import { DomainError } from '../../errors';
import { isUuid } from '../../event/uuid';
import { Access } from '../../graphql/access';
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
import type { KeyManager } from './manage-keys';

/** The defaults of a request for a key. */
const NOTHING_MORE = { tenantIds: [], scopes: [], rateLimitPerMinute: null };

@Resolver()
export class KeyResolver {
  constructor(
    private readonly keys: KeyManager,
    private readonly nowMs: () => number,
  ) {}

  @Query(() => [ApiKeyType], { description: 'Keys of every kind, oldest first.' })
  @Access({ principal: 'operator' })
  apiKeys(): Promise<ApiKeyType[]> {
    return this.#listed();
  }

  @Mutation(() => CreatedKeyType, { description: 'Makes a key for the public API.' })
  @Access({ principal: 'operator' })
  createApiKey(@Args(() => CreateApiKeyArgs) args: CreateApiKeyArgs, @Ctx() context: Call) {
    const { expiresAt = null, rateLimitPerMinute = null } = args;
    const request = { ...args, expiresAt, rateLimitPerMinute };
    return this.keys.create('public', request, attemptOf(context));
  }

  @Mutation(() => CreatedKeyType, { description: 'Makes a key for an agent, bound to one tenant.' })
  @Access({ principal: 'operator' })
  createAgentKey(@Args(() => CreateAgentKeyArgs) args: CreateAgentKeyArgs, @Ctx() context: Call) {
    const { name, tenantId, expiresAt = null, allowedAddresses } = args;
    const request = { ...NOTHING_MORE, name, tenantIds: [tenantId], expiresAt, allowedAddresses };
    return this.keys.create('agent', request, attemptOf(context));
  }

  @Mutation(() => CreatedKeyType, { description: 'Makes another operator key.' })
  @Access({ principal: 'operator' })
  createOperatorKey(@Args(() => CreateKeyArgs) args: CreateKeyArgs, @Ctx() context: Call) {
    const { name, expiresAt = null, allowedAddresses } = args;
    const request = { ...NOTHING_MORE, name, expiresAt, allowedAddresses };
    return this.keys.create('operator', request, attemptOf(context));
  }

  @Mutation(() => RotatedKeyType, {
    description:
      'Makes a key with the rights of another one, of any kind, and ends that one after an overlap in which both work.',
  })
  @Access({ principal: 'operator' })
  async rotateApiKey(
    @Args(() => RotateKeyArgs) { keyId, overlapMinutes, expiresAt = null }: RotateKeyArgs,
    @Ctx() context: Call,
  ) {
    const how = { overlapMinutes, expiresAt };
    return toRotatedKeyType(await this.keys.rotate(checkedId(keyId), how, attemptOf(context)));
  }

  @Mutation(() => ApiKeyType, {
    description: 'Revokes a key of any kind; revoking it again changes nothing. The last operator key stays.',
  })
  @Access({ principal: 'operator' })
  async revokeApiKey(@Arg('keyId', () => GraphQLString) keyId: string, @Ctx() context: Call) {
    const revoked = await this.keys.revoke(checkedId(keyId), attemptOf(context));
    return (await this.#listed()).find((key) => key.keyId === revoked.keyId);
  }

  async #listed(): Promise<ApiKeyType[]> {
    const keys = await this.keys.list();
    const replacedBy = new Map(keys.flatMap((key) => (key.replaces ? [[key.replaces, key.keyId]] : [])));
    const now = new Date(this.nowMs());
    return keys.map((key) => toApiKeyType(key, replacedBy, now));
  }
}

function checkedId(keyId: string): string {
  if (!isUuid(keyId)) throw new DomainError('invalid_parameter', { public: 'keyId must be a key id.' });
  return keyId.toLowerCase();
}
