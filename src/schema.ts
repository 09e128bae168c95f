import 'reflect-metadata';
import type { GraphQLSchema } from 'graphql';
import { buildSchemaSync } from 'type-graphql';
import { assertEveryRootFieldHasRule, authChecker } from './graphql/access';
import { logEveryAccess } from './graphql/access-log';
import { AccessLogResolver } from './modules/access-log/access-log.resolver';
import { boundEveryAnswer } from './graphql/answer-room';
import { AuditEventResolver } from './modules/activity/audit-event.resolver';
import { AuditSourceResolver } from './modules/sources/audit-source.resolver';
import { EventProofResolver, EvidenceResolver } from './modules/evidence/evidence.resolver';
import { ExploreResolver } from './modules/explore/explore.resolver';
import { IngestResolver } from './modules/ingest/ingest.resolver';
import { KeyResolver } from './modules/keys/key.resolver';
import { OperatorResolver } from './modules/tenants/operator.resolver';
import { RetentionResolver } from './modules/tenants/retention/retention.resolver';

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
