import { Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { attemptOf, type Call } from '../../caller/call';
import type { GivenValues, ParameterValues } from '../../event/parameter-specs';
import type { Answer } from '../../event/shape';
import { Access } from '../../graphql/access';
import { Takes, TakesUnchecked } from '../../graphql/arguments';
import type { AGENT_KEY_STATE, RENEWED_AGENT_KEY } from './answers';
import {
  AgentKeyStateType,
  ApiKeyType,
  AskedRenewalType,
  CreatedKeyType,
  EnrolledAgentType,
  RenewedAgentKeyType,
  RotatedKeyType,
  toApiKeyType,
  toRotatedKeyType,
} from './key.types';
import {
  CREATE_AGENT_KEY,
  CREATE_API_KEY,
  CREATE_ENROLL_TOKEN,
  CREATE_OPERATOR_KEY,
  ENROLL_AGENT,
  RENEW_AGENT_KEYS,
  REVOKE_KEY,
  ROTATE_KEY,
} from './key-parameters';
import type { KeyManager } from './manage-keys';
import type { KeyRenewal } from './renew-keys';

@Resolver()
export class KeyResolver {
  constructor(
    private readonly keys: KeyManager,
    private readonly renewal: KeyRenewal,
    private readonly nowMs: () => number,
  ) {}

  @Query(() => [ApiKeyType], { description: 'Keys of every kind, oldest first.' })
  @Access({ principal: 'operator' })
  apiKeys(): Promise<ApiKeyType[]> {
    return this.#listed();
  }

  @Mutation(() => CreatedKeyType, { description: 'Makes a key for the public API.' })
  @Access({ principal: 'operator' })
  @TakesUnchecked(CREATE_API_KEY)
  createApiKey(given: GivenValues<typeof CREATE_API_KEY>, context: Call) {
    return this.keys.create('public', given, attemptOf(context));
  }

  @Mutation(() => CreatedKeyType, { description: 'Makes a key for an agent, bound to one tenant.' })
  @Access({ principal: 'operator' })
  @TakesUnchecked(CREATE_AGENT_KEY)
  createAgentKey({ tenantId, ...given }: GivenValues<typeof CREATE_AGENT_KEY>, context: Call) {
    return this.keys.create('agent', { ...given, tenantIds: [tenantId] }, attemptOf(context));
  }

  @Mutation(() => CreatedKeyType, {
    description: 'Makes a token with which agents of one tenant fetch keys of their own.',
  })
  @Access({ principal: 'operator' })
  @Takes(CREATE_ENROLL_TOKEN)
  createEnrollToken(values: ParameterValues<typeof CREATE_ENROLL_TOKEN>, context: Call) {
    const { tenantId, uses, keyDays = null, ...given } = values;
    const request = { ...given, tenantIds: [tenantId] };
    return this.keys.create('enroll', request, attemptOf(context), { usesLeft: uses, keyDays });
  }

  @Mutation(() => EnrolledAgentType, {
    description: 'Makes a key of its own for the agent that has a token.',
  })
  @Access({ principal: 'enroll' })
  @Takes(ENROLL_AGENT)
  enrollAgent({ hostName }: ParameterValues<typeof ENROLL_AGENT>, context: Call) {
    return this.keys.enroll(context.principal, hostName, attemptOf(context));
  }

  @Query(() => AgentKeyStateType, {
    description:
      'The key of the agent that asks. The first question with a new key ends the key that it replaces.',
  })
  @Access({ principal: 'agent' })
  async agentKey(@Ctx() context: Call): Promise<Answer<typeof AGENT_KEY_STATE>> {
    const { expiresAt, ...own } = await this.renewal.ownKey(context.principal, attemptOf(context));
    return { ...own, expiresAt: expiresAt?.toISOString() ?? null };
  }

  @Mutation(() => RenewedAgentKeyType, {
    description:
      'Makes the key that follows that of the agent that asks. Its key works until the agent has asked for `agentKey` ' +
      'with the new one.',
  })
  @Access({ principal: 'agent' })
  async renewAgentKey(@Ctx() context: Call): Promise<Answer<typeof RENEWED_AGENT_KEY>> {
    const { expiresAt, ...made } = await this.renewal.renew(context.principal, attemptOf(context));
    return { ...made, expiresAt: expiresAt?.toISOString() ?? null };
  }

  @Mutation(() => AskedRenewalType, {
    description: 'Asks every agent that fetched its key with a token for another key.',
  })
  @Access({ principal: 'operator' })
  @Takes(RENEW_AGENT_KEYS)
  async renewAgentKeys({ tenantId }: ParameterValues<typeof RENEW_AGENT_KEYS>, context: Call) {
    return { asked: await this.renewal.askAll(tenantId ?? null, attemptOf(context)) };
  }

  @Mutation(() => CreatedKeyType, { description: 'Makes another operator key.' })
  @Access({ principal: 'operator' })
  @TakesUnchecked(CREATE_OPERATOR_KEY)
  createOperatorKey(given: GivenValues<typeof CREATE_OPERATOR_KEY>, context: Call) {
    return this.keys.create('operator', given, attemptOf(context));
  }

  @Mutation(() => RotatedKeyType, {
    description:
      'Makes a key with the rights of another one, of any kind, and ends that one after an overlap in which both work.',
  })
  @Access({ principal: 'operator' })
  @Takes(ROTATE_KEY)
  async rotateApiKey({ keyId, ...how }: ParameterValues<typeof ROTATE_KEY>, context: Call) {
    return toRotatedKeyType(await this.keys.rotate(keyId, how, attemptOf(context)));
  }

  @Mutation(() => ApiKeyType, {
    description: 'Revokes a key of any kind; revoking it again changes nothing. The last operator key stays.',
  })
  @Access({ principal: 'operator' })
  @Takes(REVOKE_KEY)
  async revokeApiKey({ keyId }: ParameterValues<typeof REVOKE_KEY>, context: Call) {
    const revoked = await this.keys.revoke(keyId, attemptOf(context));
    return (await this.#listed()).find((key) => key.keyId === revoked.keyId);
  }

  async #listed(): Promise<ApiKeyType[]> {
    const keys = await this.keys.list();
    const replacedBy = new Map(keys.flatMap((key) => (key.replaces ? [[key.replaces, key.keyId]] : [])));
    const now = new Date(this.nowMs());
    const byId = new Map(keys.map((key) => [key.keyId, key]));
    return keys.map((key) => toApiKeyType(key, { byId, replacedBy }, now));
  }
}
