import { GraphQLFloat, GraphQLInt, GraphQLString } from 'graphql';
import { Field, InputType } from 'type-graphql';
import type { GapReason } from '../../event/source-report';
import { enumType, objectType } from '../../graphql/object-type';
import { LIMITS } from '../../limits';
import { GAP_REASON, REPORT_RECEIPT } from './answers';

const ReasonEnum = enumType(GAP_REASON);

@InputType({ description: 'A part of the audit trail that could not be published.' })
class AuditGapReport {
  @Field(() => GraphQLString, {
    description: 'UUID made of the gap itself: however often it is reported, it is one.',
  })
  gapId: string;

  @Field(() => ReasonEnum)
  reason: GapReason;

  @Field(() => GraphQLString)
  fileName: string;

  @Field(() => GraphQLString, { nullable: true, description: 'Null: the file was never opened.' })
  fileGuid?: string | null;

  @Field(() => GraphQLString, { description: 'A sentence for people.' })
  detail: string;

  @Field(() => GraphQLString, { nullable: true, description: 'Event time of the last record before it.' })
  afterTime?: string | null;

  @Field(() => GraphQLString, { nullable: true, description: 'Event time of the first record after it.' })
  beforeTime?: string | null;

  @Field(() => GraphQLString, { description: "ISO 8601, by the agent's clock." })
  detectedAt: string;
}

@InputType({ description: 'What an agent says of one configured database of its machine.' })
export class AuditSourceReport {
  @Field(() => GraphQLString, { description: 'Must be the tenant of the agent key.' })
  tenantId: string;

  @Field(() => GraphQLString, { description: 'The machine of the agent.' })
  hostName: string;

  @Field(() => GraphQLString, { description: "The label in the agent's configuration." })
  databaseName: string;

  @Field(() => GraphQLString)
  agentVersion: string;

  @Field(() => GraphQLInt, {
    description: 'Events acknowledged since the last report that was acknowledged; they are added up.',
  })
  publishedCount: number;

  @Field(() => GraphQLString, { nullable: true, description: 'Of the newest event acknowledged so far.' })
  lastEventTime?: string | null;

  @Field(() => GraphQLString, {
    nullable: true,
    description: 'ISO 8601: when everything in the files was last acknowledged. Null: never yet.',
  })
  caughtUpAt?: string | null;

  @Field(() => GraphQLFloat, { description: 'A whole number: bytes in files not yet acknowledged.' })
  waitingBytes: number;

  @Field(() => GraphQLString, {
    nullable: true,
    description: 'What keeps it from publishing. Null: nothing.',
  })
  problem?: string | null;

  @Field(() => [AuditGapReport], { description: `At most ${LIMITS.reportGapsMax}.` })
  gaps: AuditGapReport[];
}

export const ReportReceiptType = objectType(REPORT_RECEIPT);
