import 'reflect-metadata';
import type { GraphQLSchema } from 'graphql';
import { buildSchemaSync } from 'type-graphql';
import { assertEveryRootFieldHasRule, authChecker } from './access';
import { logEveryAccess } from './access-log';
import { AccessLogResolver } from './access-log.resolver';
import { boundEveryAnswer } from './answer-room';
import { AuditEventResolver } from './audit-event.resolver';
import { AuditSourceResolver } from './audit-source.resolver';
import { EventProofResolver, EvidenceResolver } from './evidence.resolver';
import { ExploreResolver } from './explore.resolver';
import { IngestResolver } from './ingest.resolver';
import { KeyResolver } from './key.resolver';
import { OperatorResolver } from './operator.resolver';
import { RetentionResolver } from './retention.resolver';

/** The internal schema: the one list of its resolvers. */
export function createSchema(): GraphQLSchema {
  const schema = buildSchemaSync({
    resolvers: [
      AccessLogResolver,
      AuditEventResolver,
      AuditSourceResolver,
      EventProofResolver,
      EvidenceResolver,
      ExploreResolver,
      IngestResolver,
      KeyResolver,
      OperatorResolver,
      RetentionResolver,
    ],
    authChecker,
    validate: false,
  });
  assertEveryRootFieldHasRule(schema);
  boundEveryAnswer(schema);
  logEveryAccess(schema);
  return schema;
}
