import { GraphQLInt, GraphQLString } from 'graphql';
import { GraphQLSafeInt } from 'graphql-scalars';
import { ArgsType, Field, ObjectType } from 'type-graphql';
import { declareArguments } from '../../graphql/audit-event.types';
import { FACET_PARAMETERS, HISTOGRAM_PARAMETERS } from './parameters';

@ObjectType({ description: 'Events of a stretch of time.' })
export class AuditHistogramBucket {
  @Field(() => GraphQLString, { description: 'Inclusive.' })
  start: string;

  @Field(() => GraphQLString, { description: 'Exclusive.' })
  end: string;

  @Field(() => GraphQLSafeInt)
  succeeded: number;

  @Field(() => GraphQLSafeInt)
  failed: number;
}

@ObjectType({ description: 'Events over time.' })
export class AuditHistogram {
  @Field(() => GraphQLString, {
    nullable: true,
    description: 'Of the first bucket. Null: the range is empty.',
  })
  startTime: string | null;

  @Field(() => GraphQLString, {
    nullable: true,
    description: 'Of the last bucket. Null: the range is empty.',
  })
  endTime: string | null;

  @Field(() => GraphQLInt, {
    description: 'Width of a whole bucket. Borders are multiples of it since 1970, UTC.',
  })
  bucketSeconds: number;

  @Field(() => [AuditHistogramBucket], {
    description: 'In time order, empty ones too; the first and the last are cut to the range.',
  })
  buckets: AuditHistogramBucket[];
}

@ObjectType({ description: 'A value of a field and the events that have it.' })
export class AuditFacetValue {
  @Field(() => GraphQLString, {
    nullable: true,
    description: "Null: absent. Of succeeded 'true' or 'false'.",
  })
  value: string | null;

  @Field(() => GraphQLString, { nullable: true, description: 'Full name of an action, where it is known.' })
  name: string | null;

  @Field(() => GraphQLSafeInt)
  succeeded: number;

  @Field(() => GraphQLSafeInt)
  failed: number;
}

@ObjectType({ description: 'The values of a field.' })
export class AuditFacet {
  @Field(() => GraphQLString, { description: 'Name of a field of AuditEvent.' })
  field: string;

  @Field(() => GraphQLSafeInt, {
    nullable: true,
    description: 'Different values, absent counting as one. Null: too many events would have to be read.',
  })
  distinct: number | null;

  @Field(() => [AuditFacetValue], { nullable: true, description: 'Largest first. Null as distinct is.' })
  values: AuditFacetValue[] | null;
}

@ObjectType({ description: 'Events by the values of some fields, all of the same moment.' })
export class AuditFacets {
  @Field(() => GraphQLSafeInt)
  totalCount: number;

  @Field(() => [AuditFacet])
  facets: AuditFacet[];
}

@ArgsType()
export class AuditHistogramArgs {
  [name: string]: unknown;
}
declareArguments(AuditHistogramArgs, HISTOGRAM_PARAMETERS);

@ArgsType()
export class AuditFacetsArgs {
  [name: string]: unknown;
}
declareArguments(AuditFacetsArgs, FACET_PARAMETERS);
