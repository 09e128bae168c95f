import { GraphQLInt, GraphQLString } from 'graphql';
import { Arg, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { nameProblems } from '../keys/key-request';
import { DomainError } from '../../errors';
import { retentionProblems } from './retention/manage-retention';
import { Access } from '../../graphql/access';
import { attemptOf, type GraphqlContext } from '../../graphql/context';
import { TenantType, toTenantType } from '../../graphql/tenant.type';

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
    @Ctx() context: GraphqlContext,
  ) {
    const problems = [...nameProblems(name), ...retentionProblems(retentionDays ?? null)];
    if (problems.length > 0)
      throw new DomainError('invalid_parameter', { public: `${problems.join('; ')}.` });
    const { tenants } = context.services;
    return toTenantType(await tenants.create(name, retentionDays ?? null, attemptOf(context)));
  }
}
