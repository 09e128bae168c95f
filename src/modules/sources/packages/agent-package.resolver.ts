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
import { problem } from '../../../problem';
import { noSuchTenant, parseTenantId } from '../../../tenant-set';
import type { AuditSourceStore } from '../audit-source.store';
import type { AgentGroupStore } from '../groups/agent-group.store';
import { type AgentPackage, followingOf } from './agent-package';
import type { AgentPackageStore } from './agent-package.store';
import {
  ADD_AGENT_PACKAGE_PART,
  AGENT_PACKAGE,
  AGENT_PACKAGE_PART,
  AGENT_PACKAGE_PART_PARAMETERS,
  AGENT_PACKAGES,
  OFFER_AGENT_PACKAGE,
  WITHDRAW_AGENT_PACKAGE,
} from './answers';

const AgentPackageType = objectType(AGENT_PACKAGE);
type AgentPackageType = Answer<typeof AGENT_PACKAGE>;
const AgentPackagePartType = objectType(AGENT_PACKAGE_PART);

@Resolver()
export class AgentPackageResolver {
  constructor(
    private readonly packages: AgentPackageStore,
    private readonly groups: Pick<AgentGroupStore, 'list'>,
    private readonly sources: Pick<AuditSourceStore, 'sources'>,
    private readonly tenants: Pick<TenantStore, 'existing'>,
  ) {}

  @Query(() => [AgentPackageType], {
    description: 'Packages of agents that are offered to groups of hosts, and how many hosts have followed.',
  })
  @Access({ principal: 'operator' })
  @Takes(AGENT_PACKAGES)
  async agentPackages({ tenantId }: ParameterValues<typeof AGENT_PACKAGES>): Promise<AgentPackageType[]> {
    const of = tenantId === undefined ? null : parseTenantId(tenantId);
    if (tenantId !== undefined && (of === null || (await this.tenants.existing([of])).length === 0))
      throw noSuchTenant();
    return this.#typed(await this.packages.list(of));
  }

  @Mutation(() => AgentPackageType, {
    description:
      'Begins to offer a package to a group of hosts. It is offered once all parts of its file are there, in place of ' +
      'the one before.',
  })
  @Access({ principal: 'operator' })
  @Takes(OFFER_AGENT_PACKAGE)
  async offerAgentPackage({
    groupId,
    window,
    fileSize: size,
    ...offer
  }: ParameterValues<typeof OFFER_AGENT_PACKAGE>): Promise<AgentPackageType> {
    const given = { ...offer, size, window: window ?? null, groupId: groupId.toLowerCase() };
    const made = isUuid(groupId) ? await this.packages.begin(given) : null;
    if (made === null) throw new DomainError('not_found', { public: 'There is no such group of agents.' });
    return this.#one(made);
  }

  @Mutation(() => AgentPackageType, { description: 'Adds a part of the file of a package.' })
  @Access({ principal: 'operator' })
  @Takes(ADD_AGENT_PACKAGE_PART)
  async addAgentPackagePart(
    { packageId, part, bytes }: ParameterValues<typeof ADD_AGENT_PACKAGE_PART>,
    @Ctx() call: Call,
  ): Promise<AgentPackageType> {
    const given = { part, bytes: new Uint8Array(Buffer.from(bytes, 'base64')) };
    const made = isUuid(packageId)
      ? await this.packages.add(packageId.toLowerCase(), given, attemptOf(call))
      : null;
    if (made === null) throw noSuchPackage();
    refuseIf(
      made === 'size'
        ? [problem('bytes', 'out_of_range', 'must have the size of this part of the file')]
        : [],
    );
    if (made === 'hash')
      throw new DomainError('invalid_parameter', {
        public: 'The file does not have the SHA-256 that the package was offered with: offer it again.',
      });
    return this.#one(made as AgentPackage);
  }

  @Mutation(() => AgentPackageType, {
    description:
      'Withdraws a package. Agents that have it installed keep it; the others do not begin with it.',
  })
  @Access({ principal: 'operator' })
  @Takes(WITHDRAW_AGENT_PACKAGE)
  async withdrawAgentPackage(
    { packageId }: ParameterValues<typeof WITHDRAW_AGENT_PACKAGE>,
    @Ctx() call: Call,
  ): Promise<AgentPackageType> {
    const gone = isUuid(packageId)
      ? await this.packages.withdraw(packageId.toLowerCase(), attemptOf(call))
      : null;
    if (gone === null) throw noSuchPackage();
    return this.#one(gone);
  }

  @Query(() => AgentPackagePartType, {
    description: "A part of a package that is offered to the agent's tenant.",
  })
  @Access({ principal: 'agent' })
  @Takes(AGENT_PACKAGE_PART_PARAMETERS)
  async agentPackagePart(
    { packageId, part }: ParameterValues<typeof AGENT_PACKAGE_PART_PARAMETERS>,
    { principal }: Call,
  ): Promise<Answer<typeof AGENT_PACKAGE_PART>> {
    const found =
      principal.kind === 'agent' && isUuid(packageId)
        ? await this.packages.part(principal.tenantId, packageId.toLowerCase(), part)
        : null;
    if (found === null) throw noSuchPackage();
    return { bytes: Buffer.from(found).toString('base64') };
  }

  async #one(made: AgentPackage): Promise<AgentPackageType> {
    const [typed] = await this.#typed([made]);
    if (typed === undefined) throw noSuchPackage();
    return typed;
  }

  async #typed(packages: readonly AgentPackage[]): Promise<AgentPackageType[]> {
    const [first] = packages;
    if (first === undefined) return [];
    const of = packages.every(({ tenantId }) => tenantId === first.tenantId) ? first.tenantId : null;
    const [groups, sources] = [await this.groups.list(of), await this.sources.sources(of)];
    return packages.map((one) => ({
      ...one,
      ...followingOf(
        one,
        sources,
        groups.filter(({ tenantId }) => tenantId === one.tenantId),
      ),
      tenantId: String(one.tenantId),
      offeredAt: one.offeredAt?.toISOString() ?? null,
    }));
  }
}

const noSuchPackage = () => new DomainError('not_found', { public: 'There is no such package of agents.' });
