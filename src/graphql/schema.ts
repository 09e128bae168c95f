import 'reflect-metadata';
import type { GraphQLSchema } from 'graphql';
import { buildSchemaSync } from 'type-graphql';
import { assertEveryRootFieldHasRule, authChecker } from './access';
import { AuditEventResolver } from './audit-event.resolver';
import { AuditSourceResolver } from './audit-source.resolver';
import { IngestResolver } from './ingest.resolver';
import { OperatorResolver } from './operator.resolver';
import { RetentionResolver } from './retention.resolver';

/** The internal schema: the one list of its resolvers. */
export function createSchema(): GraphQLSchema {
  const schema = buildSchemaSync({
    resolvers: [AuditEventResolver, AuditSourceResolver, IngestResolver, OperatorResolver, RetentionResolver],
    authChecker,
    validate: false,
  });
  assertEveryRootFieldHasRule(schema);
  return schema;
}
