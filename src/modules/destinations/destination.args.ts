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

  @Field(() => GraphQLJSON, { nullable: true, description: 'Settings of the type, as an object.' })
  settings?: unknown;

  @Field(() => GraphQLJSON, {
    nullable: true,
    description: 'Secrets of the type, as an object. They are not shown again.',
  })
  secrets?: unknown;
}

@ArgsType()
export class ReplayDestinationArgs {
  @Field(() => GraphQLString)
  destinationId: string;

  @Field(() => GraphQLString, { nullable: true, description: 'The first position to be sent again.' })
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
    description: 'Minutes for which messages of a webhook also carry the signature of the old secret.',
  })
  overlapMinutes: number;

  @Field(() => GraphQLJSON, { nullable: true, description: 'The new secrets, for every type but webhook.' })
  secrets?: unknown;
}
