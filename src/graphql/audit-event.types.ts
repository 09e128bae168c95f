import { GraphQLBoolean, GraphQLInt, type GraphQLScalarType, GraphQLString } from 'graphql';
import { GraphQLJSON, GraphQLSafeInt } from 'graphql-scalars';
import { ArgsType, Field, ObjectType } from 'type-graphql';
import {
  AUDIT_EVENT_FIELDS,
  FIELD_NAMES,
  type FieldName,
  type FieldSpec,
  LIST_FIELDS,
  STATEMENT_PREVIEW,
} from '../event/fields';
import {
  LIST_PARAMETERS,
  type ParameterSpec,
  type ParameterSpecs,
  SUMMARY_PARAMETERS,
} from '../event/parameters';
import { SUMMARY_FIELDS } from '../event/summary-fields';

/**
 * Declares a field as `@Field` would; the types are stated, so nothing depends on emitted metadata. `simple`: read as a
 * property, without a resolver, which would make half of all the objects a page takes.
 */
function declare(
  type: { prototype: object },
  name: string,
  scalar: GraphQLScalarType,
  nullable: boolean,
  doc: string,
) {
  Field(() => scalar, { nullable, description: doc, simple: true })(type.prototype, name);
}

function declareFields(type: { prototype: object }, names: readonly FieldName[]) {
  for (const name of names) {
    const { kind, nullable, doc }: FieldSpec = AUDIT_EVENT_FIELDS[name];
    declare(type, name, kind === 'boolean' ? GraphQLBoolean : GraphQLString, nullable, doc);
  }
}

const scalarOf = (kind: ParameterSpec['kind']) =>
  kind === 'integer' ? GraphQLInt : kind === 'boolean' ? GraphQLBoolean : GraphQLString;

/** Declares arguments as the parameters say. */
export function declareArguments(type: { prototype: object }, specs: ParameterSpecs) {
  for (const [name, spec] of Object.entries(specs)) {
    declare(type, name, scalarOf(spec.kind), true, spec.doc);
  }
}

@ObjectType({ description: 'An audit event in a list: a preview in place of the statement.' })
export class AuditEventListItemType {}
declareFields(AuditEventListItemType, LIST_FIELDS);
declare(AuditEventListItemType, STATEMENT_PREVIEW.name, GraphQLString, true, STATEMENT_PREVIEW.doc);

@ObjectType('AuditEvent', { description: 'One audit event in full.' })
export class AuditEventType {
  @Field(() => GraphQLJSON, {
    description: 'What the audit record states beyond the other fields, and where it stood in which file.',
  })
  additional: unknown;
}
declareFields(AuditEventType, FIELD_NAMES);

@ObjectType({ description: 'A page of audit events, with totals of the same moment.', simpleResolvers: true })
export class AuditEventPage {
  @Field(() => [AuditEventListItemType])
  items: AuditEventListItemType[];

  @Field(() => GraphQLSafeInt, { description: 'Events that match, on all pages.' })
  totalCount: number;

  @Field(() => GraphQLInt)
  page: number;

  @Field(() => GraphQLInt)
  pageSize: number;
}

@ObjectType({ description: 'Counts over a time range.' })
export class AuditSummaryType {}
for (const [name, { kind, doc }] of Object.entries(SUMMARY_FIELDS)) {
  declare(AuditSummaryType, name, kind === 'integer' ? GraphQLSafeInt : GraphQLString, kind === 'time', doc);
}

@ArgsType()
export class AuditEventsArgs {
  [name: string]: unknown;
}
declareArguments(AuditEventsArgs, LIST_PARAMETERS);

@ArgsType()
export class AuditSummaryArgs {
  [name: string]: unknown;
}
declareArguments(AuditSummaryArgs, SUMMARY_PARAMETERS);
