import { GraphQLBoolean, GraphQLInt, GraphQLString } from 'graphql';
import { Args, ArgsType, Field, ObjectType, Query, Resolver } from 'type-graphql';
import type { AccessEntry } from '../../caller/access-entry';
import type { AccessLogStore } from '../../caller/access-log';
import { Access } from '../../graphql/access';
import { listEntries } from './list-entries';

const FIRST_DEFAULT = 100;

@ObjectType('AccessLogEntry', { description: 'Who did what with the service.' })
class AccessLogEntryType {
  @Field(() => GraphQLString)
  entryId: string;

  @Field(() => GraphQLString)
  at: string;

  @Field(() => GraphQLString, {
    description: 'public, agent or operator; service: what it does by itself.',
  })
  principalKind: string;

  @Field(() => GraphQLString, { nullable: true })
  keyId: string | null;

  @Field(() => GraphQLString, { nullable: true })
  keyName: string | null;

  @Field(() => GraphQLString, { nullable: true, description: 'Who had signed in. Null: a key alone.' })
  userName: string | null;

  @Field(() => GraphQLString, { description: 'rest, graphql, dashboard or service.' })
  entrance: string;

  @Field(() => GraphQLString)
  operation: string;

  @Field(() => GraphQLString, {
    description: 'JSON, as given; `{"cut": …}` holds the beginning of what is too long to be kept.',
  })
  parameters: string;

  @Field(() => GraphQLString, { nullable: true, description: 'Id of the key or tenant made or changed.' })
  subject: string | null;

  @Field(() => [GraphQLString])
  tenantIds: string[];

  @Field(() => GraphQLInt, {
    nullable: true,
    description: 'Objects handed over or changed. Null: none, as it was refused or failed.',
  })
  rows: number | null;

  @Field(() => GraphQLString, { description: 'ok, or an error code.' })
  outcome: string;

  @Field(() => GraphQLString)
  requestId: string;

  @Field(() => GraphQLString)
  address: string;
}

@ObjectType()
class AccessLogPage {
  @Field(() => [AccessLogEntryType])
  entries: AccessLogEntryType[];

  @Field(() => GraphQLString, { nullable: true, description: 'To be given as `after` for the next page.' })
  endCursor: string | null;

  @Field(() => GraphQLBoolean)
  hasNextPage: boolean;
}

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

  @Field(() => GraphQLInt, { defaultValue: FIRST_DEFAULT })
  first: number;

  @Field(() => GraphQLString, { nullable: true, description: 'endCursor of the page before.' })
  after: string | null;
}

@Resolver()
export class AccessLogResolver {
  constructor(private readonly store: Pick<AccessLogStore, 'newest'>) {}

  @Query(() => AccessLogPage, { description: 'Newest first. Reads are there within seconds.' })
  @Access({ principal: 'operator' })
  async accessLog(@Args(() => AccessLogArgs) args: AccessLogArgs): Promise<AccessLogPage> {
    const { from = null, to = null, keyId = null, tenantId = null, operation = null, after = null } = args;
    const request = { from, to, keyId, tenantId, operation, after, first: args.first };
    const { entries, hasNextPage } = await listEntries(request, this.store);
    return { entries: entries.map(toEntryType), endCursor: entries.at(-1)?.entryId ?? null, hasNextPage };
  }
}

const toEntryType = (entry: AccessEntry): AccessLogEntryType => ({
  ...entry,
  at: entry.at.toISOString(),
  tenantIds: entry.tenantIds.map(String),
});
