import { GraphQLInt, GraphQLString } from 'graphql';
import { Arg, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { attemptOf, type Call } from '../../caller/call';
import { nameProblems } from '../../caller/name-problems';
import type { TenantStore } from '../../caller/tenant.store';
import { DomainError } from '../../errors';
import { Access } from '../../graphql/access';
import { TenantType, toTenantType } from '../../graphql/tenant.type';
import { retentionProblems } from './retention/manage-retention';

@Resolver()
export class TenantResolver {
  constructor(private readonly tenantStore: TenantStore) {}

  @Query(() => [TenantType])
  @Access({ principal: 'operator' })
  async tenants(): Promise<TenantType[]> {
    return (await this.tenantStore.list()).map(toTenantType);
  }

  @Mutation(() => TenantType)
  @Access({ principal: 'operator' })
  async createTenant(
    @Arg('name', () => GraphQLString) name: string,
    @Arg('retentionDays', () => GraphQLInt, { nullable: true, description: 'Null: for ever.' })
    retentionDays: number | null | undefined,
    @Ctx() context: Call,
  ) {
    const problems = [...nameProblems(name), ...retentionProblems(retentionDays ?? null)];
    if (problems.length > 0)
      throw new DomainError('invalid_parameter', { public: `${problems.join('; ')}.` });
    return toTenantType(await this.tenantStore.create(name, retentionDays ?? null, attemptOf(context)));
  }
}
