import { GraphQLError, GraphQLScalarType, Kind, type ValueNode, valueFromASTUntyped } from 'graphql';
import { Mutation, Resolver } from 'type-graphql';
import type { Call } from '../../caller/call';
import { DomainError } from '../../errors';
import type { ParameterSpecs, ParameterValues } from '../../event/parameter-specs';
import { Access } from '../../graphql/access';
import { Takes } from '../../graphql/arguments';
import { numberOrText } from '../../graphql/exact-numbers';
import { objectType } from '../../graphql/object-type';
import { LIMITS } from '../../limits';
import {
  type AuditEventBatch,
  INGEST_RECEIPT,
  type IngestReceipt,
  parseBatch,
  receiveBatch,
} from './receive-batch';
import type { AuditEventWriter } from './stored-writer';

/** A scalar, so that each event is checked once against the field table, and not also field by field by GraphQL. */
const AuditEventBatchScalar = new GraphQLScalarType<AuditEventBatch>({
  name: 'AuditEventBatch',
  description:
    `{ tenantId?, events: [...] } with at most ${LIMITS.ingestBatchEventsMax} events as the agent's decoder prints ` +
    'them. tenantId, when given, must be the tenant of the agent key.',
  parseValue: parseBatch,
  parseLiteral: (node: ValueNode) => parseBatch(literalValue(node)),
  serialize: () => {
    throw new Error('AuditEventBatch is an input only');
  },
});

/** Reads a literal exactly. `valueFromASTUntyped` would change some numbers, and would drop variables. */
function literalValue(node: ValueNode): unknown {
  switch (node.kind) {
    case Kind.INT:
    case Kind.FLOAT:
      return numberOrText(node.value);
    case Kind.LIST:
      return node.values.map(literalValue);
    case Kind.OBJECT:
      return Object.fromEntries(node.fields.map(({ name, value }) => [name.value, literalValue(value)]));
    case Kind.VARIABLE:
      throw new GraphQLError('A batch that is written in the document cannot have variables in it.', {
        nodes: node,
      });
    default:
      return valueFromASTUntyped(node);
  }
}

const INGEST_PARAMETERS = { batch: { kind: 'scalar', isRequired: true } } as const satisfies ParameterSpecs;

const IngestReceiptType = objectType(INGEST_RECEIPT);

@Resolver()
export class IngestResolver {
  constructor(
    private readonly writer: AuditEventWriter,
    private readonly nowMs: () => number,
  ) {}

  @Mutation(() => IngestReceiptType, { description: "Stores a batch of events for the agent key's tenant." })
  @Access({ principal: 'agent' })
  @Takes(INGEST_PARAMETERS, { batch: AuditEventBatchScalar })
  ingestAuditEvents(
    { batch }: ParameterValues<typeof INGEST_PARAMETERS>,
    { principal }: Call,
  ): Promise<IngestReceipt> {
    if (principal.kind !== 'agent')
      throw new DomainError('forbidden', { public: 'Only agents send events.' });
    return receiveBatch(principal.tenantId, batch as AuditEventBatch, this.writer, this.nowMs());
  }
}
