import { GraphQLBoolean, GraphQLInt, GraphQLString } from 'graphql';
import { GraphQLSafeInt } from 'graphql-scalars';
import { ArgsType, Field, ObjectType } from 'type-graphql';
import type { ParameterSpecs } from '../../event/parameters';
import {
  type AnswerFields,
  AUDIT_LOG_FIELDS,
  AUDIT_LOG_PARAMETERS,
  CHECKPOINTS_FIELDS,
  CHECKPOINTS_PARAMETERS,
  CONSISTENCY_FIELDS,
  CONSISTENCY_PARAMETERS,
  ENTRIES_FIELDS,
  ENTRIES_PARAMETERS,
  PROOF_FIELDS,
  REMOVALS_FIELDS,
} from './answer-fields';

const SCALARS = {
  text: GraphQLString,
  time: GraphQLString,
  integer: GraphQLSafeInt,
  boolean: GraphQLBoolean,
} as const;

/** Declares fields as `@Field` would. @param nested the type of the objects in a field */
function declareFields(type: { prototype: object }, fields: AnswerFields, nested?: new () => object) {
  for (const [name, { kind, nullable = false, doc }] of Object.entries(fields)) {
    const typeOf = () => {
      if (kind === 'objects') return nested ? [nested] : [];
      return kind === 'texts' ? [GraphQLString] : SCALARS[kind];
    };
    Field(typeOf as () => typeof GraphQLString, { nullable, description: doc })(type.prototype, name);
  }
}

function declareArguments(type: { prototype: object }, specs: ParameterSpecs) {
  for (const [name, { kind, doc }] of Object.entries(specs)) {
    const scalar = kind === 'integer' ? GraphQLInt : GraphQLString;
    Field(() => scalar, { nullable: true, description: doc })(type.prototype, name);
  }
}

@ObjectType('AuditLog', { description: "How far a tenant's evidence log is." })
export class AuditLogType {}
declareFields(AuditLogType, AUDIT_LOG_FIELDS);

@ObjectType('AuditLogCheckpoints', { description: 'Signed checkpoints of the evidence log.' })
export class CheckpointsType {}
declareFields(CheckpointsType, CHECKPOINTS_FIELDS);

@ObjectType('AuditLogEntries', { description: 'Entries of the evidence log.' })
export class EntriesType {}
declareFields(EntriesType, ENTRIES_FIELDS);

@ObjectType('AuditLogConsistency', { description: 'That a log begins with what was an older one.' })
export class ConsistencyType {}
declareFields(ConsistencyType, CONSISTENCY_FIELDS);

@ObjectType('AuditLogRemoval', { description: 'What retention removed.' })
export class RemovalType {}
declareFields(RemovalType, REMOVALS_FIELDS.removals.of);

@ObjectType('AuditLogRemovals', { description: 'What retention removed of a tenant.' })
export class RemovalsType {}
declareFields(RemovalsType, REMOVALS_FIELDS, RemovalType);

@ObjectType('AuditEventProof', { description: 'That an event is in the evidence log.' })
export class ProofType {}
declareFields(ProofType, PROOF_FIELDS);

class Args {
  [name: string]: unknown;
}

@ArgsType()
export class AuditLogArgs extends Args {}
declareArguments(AuditLogArgs, AUDIT_LOG_PARAMETERS);

@ArgsType()
export class CheckpointsArgs extends Args {}
declareArguments(CheckpointsArgs, CHECKPOINTS_PARAMETERS);

@ArgsType()
export class EntriesArgs extends Args {}
declareArguments(EntriesArgs, ENTRIES_PARAMETERS);

@ArgsType()
export class ConsistencyArgs extends Args {}
declareArguments(ConsistencyArgs, CONSISTENCY_PARAMETERS);
