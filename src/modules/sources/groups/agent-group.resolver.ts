import { Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { attemptOf, type Call } from '../../../caller/call';
import type { TenantStore } from '../../../caller/tenant.store';
import { DomainError, refuseIf } from '../../../errors';
import type { ParameterValues } from '../../../event/parameter-specs';
import type { Answer } from '../../../event/shape';
import { isUuid } from '../../../event/uuid';
import { Access } from '../../../graphql/access';
import { Takes } from '../../../graphql/arguments';
import { objectType } from '../../../graphql/object-type';
import { LIMITS } from '../../../limits';
import { noSuchTenant, parseTenantId } from '../../../tenant-set';
import type { AgentGroup } from './agent-group';
import type { AgentGroupStore } from './agent-group.store';
import {
  AGENT_GROUP,
  AGENT_GROUPS,
  CREATE_AGENT_GROUP,
  DELETE_AGENT_GROUP,
  databaseProblems,
  UPDATE_AGENT_GROUP,
} from './answers';

const AgentGroupType = objectType(AGENT_GROUP);
type AgentGroupType = Answer<typeof AGENT_GROUP>;

@Resolver()
export class AgentGroupResolver {
  constructor(
    private readonly store: AgentGroupStore,
    private readonly tenants: Pick<TenantStore, 'existing'>,
  ) {}

  @Query(() => [AgentGroupType], {
    description: 'Groups of agents by tenant, in the order in which they count.',
  })
  @Access({ principal: 'operator' })
  @Takes(AGENT_GROUPS)
  async agentGroups({ tenantId }: ParameterValues<typeof AGENT_GROUPS>): Promise<AgentGroupType[]> {
    const of = tenantId === undefined ? null : await this.#tenantOf(tenantId);
    return (await this.store.list(of)).map(toType);
  }

  @Mutation(() => AgentGroupType, {
    description: 'Makes a group of hosts, and says which settings their agents are to run.',
  })
  @Access({ principal: 'operator' })
  @Takes(CREATE_AGENT_GROUP)
  async createAgentGroup(
    { tenantId, name, hosts, position, ...settings }: ParameterValues<typeof CREATE_AGENT_GROUP>,
    @Ctx() call: Call,
  ): Promise<AgentGroupType> {
    refuseIf(databaseProblems(settings));
    const of = await this.#tenantOf(tenantId);
    const made = await this.store.create(of, { name, hosts, position, settings }, attemptOf(call));
    if (made === null) throw noSuchTenant();
    if (made === 'too many')
      throw new DomainError('invalid_parameter', {
        public: `A tenant has at most ${LIMITS.agentGroupsMax} groups of agents: delete one first.`,
      });
    return toType(made);
  }

  @Mutation(() => AgentGroupType, {
    description: 'Changes a group of agents. What is not given stays as it is.',
  })
  @Access({ principal: 'operator' })
  @Takes(UPDATE_AGENT_GROUP)
  async updateAgentGroup(
    { groupId, name, hosts, position, unset, ...settings }: ParameterValues<typeof UPDATE_AGENT_GROUP>,
    @Ctx() call: Call,
  ): Promise<AgentGroupType> {
    refuseIf(databaseProblems(settings));
    const asked = { name, hosts, position, unset, settings };
    const changed = isUuid(groupId)
      ? await this.store.update(groupId.toLowerCase(), asked, attemptOf(call))
      : null;
    if (changed === null) throw noSuchGroup();
    if (changed === 'conflict')
      throw new DomainError('invalid_parameter', {
        public:
          'The group would have a database both on and off: give databasesOn and databasesOff together.',
      });
    return toType(changed);
  }

  @Mutation(() => AgentGroupType, {
    description: 'Deletes a group of agents. They run the settings of the next group, or of their files.',
  })
  @Access({ principal: 'operator' })
  @Takes(DELETE_AGENT_GROUP)
  async deleteAgentGroup(
    { groupId }: ParameterValues<typeof DELETE_AGENT_GROUP>,
    @Ctx() call: Call,
  ): Promise<AgentGroupType> {
    const deleted = isUuid(groupId) ? await this.store.delete(groupId.toLowerCase(), attemptOf(call)) : null;
    if (deleted === null) throw noSuchGroup();
    return toType(deleted);
  }

  async #tenantOf(given: string): Promise<number> {
    const tenantId = parseTenantId(given);
    if (tenantId === null || (await this.tenants.existing([tenantId])).length === 0) throw noSuchTenant();
    return tenantId;
  }
}

const noSuchGroup = () => new DomainError('not_found', { public: 'There is no such group of agents.' });

const toType = (group: AgentGroup): AgentGroupType => ({
  ...group,
  tenantId: String(group.tenantId),
  changedAt: group.changedAt.toISOString(),
});
