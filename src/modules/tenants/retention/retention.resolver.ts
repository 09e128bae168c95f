import { GraphQLInt, GraphQLString } from 'graphql';
import { GraphQLSafeInt } from 'graphql-scalars';
import { Arg, Ctx, Field, Mutation, ObjectType, Query, Resolver } from 'type-graphql';
import { attemptOf, type Call } from '../../../caller/call';
import { Access } from '../../../graphql/access';
import { TenantType, toTenantType } from '../../../graphql/tenant.type';
import type { RetentionManager } from './manage-retention';
import type { RetentionRun } from './retention-store';

const RUNS_DEFAULT = 100;

@ObjectType('RetentionRun', { description: 'What one run of retention removed of one tenant.' })
class RetentionRunType {
  @Field(() => GraphQLString)
  tenantId: string;

  @Field(() => GraphQLString, { description: 'The same for all tenants of the run.' })
  runId: string;

  @Field(() => GraphQLInt)
  retentionDays: number;

  @Field(() => GraphQLSafeInt, { description: 'Events removed.' })
  events: number;

  @Field(() => GraphQLString, { description: 'Start of the whole hours around the events removed.' })
  fromTime: string;

  @Field(() => GraphQLString, { description: 'End of those hours.' })
  toTime: string;

  @Field(() => [GraphQLString], { description: 'Weekly partitions that were dropped whole.' })
  partitions: string[];

  @Field(() => GraphQLString)
  startedAt: string;

  @Field(() => GraphQLString)
  endedAt: string;
}

@Resolver()
export class RetentionResolver {
  constructor(private readonly retention: RetentionManager) {}

  @Mutation(() => TenantType, {
    description: 'How many days events of a tenant are kept. What is older goes within the hour, for good.',
  })
  @Access({ principal: 'operator' })
  async setTenantRetention(
    @Arg('tenantId', () => GraphQLString) tenantId: string,
    @Arg('days', () => GraphQLInt, { nullable: true, description: 'Null: for ever.' })
    days: number | null | undefined,
    @Ctx() context: Call,
  ): Promise<TenantType> {
    return toTenantType(await this.retention.setDays(tenantId, days ?? null, attemptOf(context)));
  }

  @Query(() => [RetentionRunType], {
    description: 'Newest first. A run that found nothing leaves no record.',
  })
  @Access({ principal: 'operator' })
  async retentionRuns(
    @Arg('tenantId', () => GraphQLString, { nullable: true, description: 'Null: of every tenant.' })
    tenantId: string | null | undefined,
    @Arg('first', () => GraphQLInt, { defaultValue: RUNS_DEFAULT }) first: number,
  ): Promise<RetentionRunType[]> {
    return (await this.retention.runs(tenantId ?? null, first)).map(toRunType);
  }
}

const toRunType = (run: RetentionRun): RetentionRunType => ({
  ...run,
  tenantId: String(run.tenantId),
  partitions: [...run.partitions],
  fromTime: run.fromTime.toISOString(),
  toTime: run.toTime.toISOString(),
  startedAt: run.startedAt.toISOString(),
  endedAt: run.endedAt.toISOString(),
});
