import { GraphQLFloat, GraphQLInt, GraphQLString } from 'graphql';
import { GraphQLSafeInt } from 'graphql-scalars';
import { Field, ObjectType } from 'type-graphql';
import type { GapReason } from '../../event/source-report';
import { LIMITS } from '../../limits';
import { ReasonEnum } from './audit-source.report';

@ObjectType('AuditGap', { description: 'A part of the audit trail that an agent could not publish.' })
export class AuditGapType {
  @Field(() => GraphQLString)
  gapId: string;

  @Field(() => ReasonEnum)
  reason: GapReason;

  @Field(() => GraphQLString)
  fileName: string;

  @Field(() => GraphQLString, { nullable: true, description: 'Null: the file was never opened.' })
  fileGuid: string | null;

  @Field(() => GraphQLString, { description: 'A sentence for people.' })
  detail: string;

  @Field(() => GraphQLString, {
    nullable: true,
    description: 'Event time of the last record before it. Null: unknown.',
  })
  afterTime: string | null;

  @Field(() => GraphQLString, {
    nullable: true,
    description: 'Event time of the first record after it. Null: unknown.',
  })
  beforeTime: string | null;

  @Field(() => GraphQLString, { description: "By the agent's clock." })
  detectedAt: string;

  @Field(() => GraphQLString, { description: "By the service's clock." })
  firstReported: string;
}

@ObjectType('AuditSource', { description: 'One configured database of the machine of an agent.' })
export class AuditSourceType {
  @Field(() => GraphQLString)
  tenantId: string;

  @Field(() => GraphQLString)
  hostName: string;

  @Field(() => GraphQLString)
  databaseName: string;

  @Field(() => GraphQLString)
  agentVersion: string;

  @Field(() => GraphQLString, { nullable: true, description: 'Of the newest event published. Null: none.' })
  lastEventTime: string | null;

  @Field(() => GraphQLString, {
    nullable: true,
    description: 'When a report with published events last came. Null: never.',
  })
  lastReceived: string | null;

  @Field(() => GraphQLString, { description: 'When any report last came.' })
  lastReported: string;

  @Field(() => GraphQLFloat, {
    nullable: true,
    description:
      'Seconds since everything in the files was published; it grows when the agent falls silent. Null: never yet.',
  })
  lag: number | null;

  @Field(() => GraphQLSafeInt, { description: 'Bytes in files not yet published, at the last report.' })
  waitingBytes: number;

  @Field(() => GraphQLSafeInt, {
    description: 'Events published; a report counts twice if its agent had to send it again.',
  })
  publishedCount: number;

  @Field(() => GraphQLString, {
    nullable: true,
    description: 'What kept it from publishing at the last report. Null: nothing.',
  })
  problem: string | null;

  @Field(() => GraphQLInt, { description: `At most ${LIMITS.sourceGapsMax} are stored.` })
  gapCount: number;
}
