import { GraphQLInt, GraphQLString } from 'graphql';
import { Args, ArgsType, Ctx, Field, Query, Resolver } from 'type-graphql';
import type { AccessEntry, AccessLogStore } from '../../caller/access-log';
import type { Call } from '../../caller/call';
import { holderOf } from '../../caller/principal';
import type { FairShare } from '../../caller/rate-limit/fair-share';
import type { Answer } from '../../event/shape';
import { Access } from '../../graphql/access';
import { objectType } from '../../graphql/object-type';
import { LIMITS } from '../../limits';
import { type ACCESS_LOG_ENTRY, ACCESS_LOG_PAGE } from './answers';
import { listEntries } from './list-entries';

const FIRST_DEFAULT = 100;

const AccessLogPage = objectType(ACCESS_LOG_PAGE);
type AccessLogPage = Answer<typeof ACCESS_LOG_PAGE>;

@ArgsType()
class AccessLogArgs {
  @Field(() => GraphQLString, { nullable: true, description: 'ISO 8601, inclusive.' })
  from: string | null;

  @Field(() => GraphQLString, { nullable: true, description: 'ISO 8601, exclusive.' })
  to: string | null;

  @Field(() => GraphQLString, { nullable: true })
  keyId: string | null;

  @Field(() => GraphQLString, { nullable: true, description: 'Entries that concern this tenant.' })
  tenantId: string | null;

  @Field(() => GraphQLString, { nullable: true })
  operation: string | null;

  @Field(() => GraphQLString, {
    nullable: true,
    description: '`ok` or an error code; `refused` means every outcome but `ok`.',
  })
  outcome: string | null;

  @Field(() => GraphQLString, {
    nullable: true,
    description: `A text in the parameters, in any letter case, or the id of what was made or changed. A page looks at ${LIMITS.accessLogSearchedMax} entries at most, so it may be empty although a next one has some.`,
  })
  search: string | null;

  @Field(() => GraphQLInt, { defaultValue: FIRST_DEFAULT })
  first: number;

  @Field(() => GraphQLString, { nullable: true, description: '`endCursor` of the previous page.' })
  after: string | null;
}

@Resolver()
export class AccessLogResolver {
  constructor(
    private readonly store: Pick<AccessLogStore, 'newest'>,
    private readonly fairShare: Pick<FairShare, 'run'>,
  ) {}

  @Query(() => AccessLogPage, {
    description: 'The access log, newest first. An entry appears within seconds of its call.',
  })
  @Access({ principal: 'operator' })
  async accessLog(
    @Args(() => AccessLogArgs) args: AccessLogArgs,
    @Ctx() context: Call,
  ): Promise<AccessLogPage> {
    const { from = null, to = null, keyId = null, tenantId = null, operation = null } = args;
    const { outcome = null, search = null, after = null } = args;
    const request = { from, to, keyId, tenantId, operation, outcome, search, after, first: args.first };
    // The query reads entries of every tenant, so it takes no tenant's turn.
    const asker = { holder: holderOf(context.principal), tenants: [] };
    const { entries, ...page } = await this.fairShare.run(asker, () => listEntries(request, this.store));
    return { entries: entries.map(toEntryType), ...page };
  }
}

const toEntryType = (entry: AccessEntry): Answer<typeof ACCESS_LOG_ENTRY> => ({
  ...entry,
  at: entry.at.toISOString(),
  tenantIds: entry.tenantIds.map(String),
});
