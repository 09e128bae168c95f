import { GraphQLInt, GraphQLString } from 'graphql';
import { GraphQLJSON } from 'graphql-scalars';
import { ArgsType, Field } from 'type-graphql';
import { LIMITS } from '../../limits';

@ArgsType()
export class CreateDestinationArgs {
  @Field(() => GraphQLString)
  tenantId: string;

  @Field(() => GraphQLString)
  name: string;

  @Field(() => GraphQLString, { description: 'webhook, splunk-hec, elasticsearch, s3, syslog or relp.' })
  type: string;

  @Field(() => GraphQLString)
  url: string;

  @Field(() => GraphQLString, { defaultValue: 'now', description: 'beginning, now or a time of arrival.' })
  from: string;

  @Field(() => GraphQLString, { defaultValue: '', description: 'Empty: every event.' })
  filter: string;

  @Field(() => GraphQLString, { defaultValue: 'native', description: 'native, ocsf or ecs.' })
  format: string;

  @Field(() => GraphQLJSON, { nullable: true, description: 'An object, as the type takes it.' })
  settings?: unknown;

  @Field(() => GraphQLJSON, { nullable: true, description: 'An object; it is not shown again.' })
  secrets?: unknown;
}

@ArgsType()
export class ReplayDestinationArgs {
  @Field(() => GraphQLString)
  destinationId: string;

  @Field(() => GraphQLString, { nullable: true, description: 'Of the log: the first to be sent again.' })
  position?: string | null;

  @Field(() => GraphQLString, { nullable: true, description: 'beginning, now or a time of arrival.' })
  from?: string | null;
}

@ArgsType()
export class RotateSecretArgs {
  @Field(() => GraphQLString)
  destinationId: string;

  @Field(() => GraphQLInt, {
    defaultValue: LIMITS.keyOverlapMinutesDefault,
    description: 'How long messages of a webhook bear the signature of the old secret as well.',
  })
  overlapMinutes: number;

  @Field(() => GraphQLJSON, { nullable: true, description: 'The new ones, of any type but a webhook.' })
  secrets?: unknown;
}
