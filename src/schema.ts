import 'reflect-metadata';
import type { GraphQLSchema } from 'graphql';
import { buildSchemaSync } from 'type-graphql';
import type { FairShare } from './caller/rate-limit/fair-share';
import type { AnswerBytes } from './caller/rate-limit/holdings';
import { assertEveryRootFieldHasRule } from './graphql/access';
import { boundEveryChange } from './graphql/change-turns';
import { type AccessNotes, boundEveryAnswer, guardEveryAccess } from './graphql/guard';
import { AccessLogResolver } from './modules/access-log/access-log.resolver';
import { AuditEventResolver } from './modules/activity/audit-event.resolver';
import { ArchiveResolver } from './modules/archive/archive.resolver';
import { ComplianceResolver } from './modules/compliance/compliance.resolver';
import { DeclarationResolver } from './modules/compliance/declaration.resolver';
import { DestinationResolver } from './modules/destinations/destination.resolver';
import { AlertResolver } from './modules/detection/alerts/alert.resolver';
import { AlertCountsResolver } from './modules/detection/alerts/alert-counts.resolver';
import { AlertWorkResolver } from './modules/detection/alerts/alert-work.resolver';
import { IncidentResolver } from './modules/detection/alerts/incident.resolver';
import { SuppressionResolver } from './modules/detection/alerts/suppression.resolver';
import { BacktestResolver } from './modules/detection/backtests/backtest.resolver';
import { ExceptionResolver } from './modules/detection/backtests/exception.resolver';
import { AlertRouteResolver } from './modules/detection/notices/route.resolver';
import { RuleResolver } from './modules/detection/rules/rule.resolver';
import { EntityResolver } from './modules/entities/entity.resolver';
import { ErasureResolver } from './modules/evidence/erasure/erasure.resolver';
import { EventProofResolver, EvidenceResolver } from './modules/evidence/evidence.resolver';
import { LogCheckResolver } from './modules/evidence/log-check.resolver';
import { ExplainResolver } from './modules/explore/explain.resolver';
import { ExploreResolver } from './modules/explore/explore.resolver';
import { GroupShapesResolver } from './modules/explore/group-shapes.resolver';
import { RowsResolver } from './modules/explore/rows.resolver';
import { UsualResolver } from './modules/explore/usual.resolver';
import { IngestResolver } from './modules/ingest/ingest.resolver';
import { KeyResolver } from './modules/keys/key.resolver';
import { IncidentEventResolver } from './modules/notes/incident-event.resolver';
import { NoteResolver } from './modules/notes/note.resolver';
import { OverviewResolver } from './modules/overview/overview.resolver';
import { ReportResolver } from './modules/reports/report.resolver';
import { ReportScheduleResolver } from './modules/reports/schedules/schedule.resolver';
import { RestoreResolver } from './modules/restore/restore.resolver';
import { SavedSearchResolver } from './modules/saved-searches/saved-search.resolver';
import { AuditSourceResolver } from './modules/sources/audit-source.resolver';
import { CoverageResolver } from './modules/sources/coverage.resolver';
import { AgentGroupResolver } from './modules/sources/groups/agent-group.resolver';
import { AgentPackageResolver } from './modules/sources/packages/agent-package.resolver';
import { HoldResolver } from './modules/tenants/holds/hold.resolver';
import { RetentionResolver } from './modules/tenants/retention/retention.resolver';
import { TenantResolver } from './modules/tenants/tenant.resolver';

/** The parts that a schema needs for its answers. */
interface SchemaParts extends AccessNotes {
  /** One instance of each class of `RESOLVERS`. */
  readonly resolvers: readonly object[];
  readonly answers: AnswerBytes;
  /** Gives changes their turns. */
  readonly changes: Pick<FairShare, 'run'>;
}

/** All resolvers of root fields. */
export const RESOLVERS = [
  AccessLogResolver,
  AlertCountsResolver,
  AlertResolver,
  AlertRouteResolver,
  AlertWorkResolver,
  IncidentResolver,
  SuppressionResolver,
  ArchiveResolver,
  AuditEventResolver,
  AgentGroupResolver,
  AgentPackageResolver,
  AuditSourceResolver,
  ComplianceResolver,
  CoverageResolver,
  DeclarationResolver,
  DestinationResolver,
  EntityResolver,
  ErasureResolver,
  EventProofResolver,
  LogCheckResolver,
  EvidenceResolver,
  ExplainResolver,
  ExploreResolver,
  RowsResolver,
  GroupShapesResolver,
  UsualResolver,
  IngestResolver,
  KeyResolver,
  NoteResolver,
  IncidentEventResolver,
  OverviewResolver,
  ReportResolver,
  ReportScheduleResolver,
  RestoreResolver,
  RetentionResolver,
  HoldResolver,
  BacktestResolver,
  ExceptionResolver,
  RuleResolver,
  SavedSearchResolver,
  TenantResolver,
] as const;

/**
 * The internal schema, made of all RESOLVERS.
 * @throws Error when a resolver has no instance or is not listed, or when a root field has no access rule
 */
export function createSchema({ resolvers, answers, changes, ...notes }: SchemaParts): GraphQLSchema {
  const instances = new Map<unknown, object>(resolvers.map((resolver) => [resolver.constructor, resolver]));
  for (const { name } of RESOLVERS.filter((resolver) => !instances.has(resolver)))
    throw new Error(`${name} has no instance`);
  const listed = new Set<unknown>(RESOLVERS);
  for (const unlisted of resolvers.filter((resolver) => !listed.has(resolver.constructor)))
    throw new Error(`${unlisted.constructor.name} is not among RESOLVERS`);
  const schema = build(instances.get.bind(instances));
  assertEveryRootFieldHasRule(schema);
  boundEveryAnswer(schema, answers);
  boundEveryChange(schema, changes);
  // The guard is the outermost: it comes before turns and bytes.
  guardEveryAccess(schema, notes);
  return schema;
}

/** The same schema for a description of it: its fields answer nothing. */
export const describeSchema = (): GraphQLSchema => build(() => undefined);

const build = (instanceOf: (resolver: unknown) => object | undefined) =>
  buildSchemaSync({
    resolvers: [...RESOLVERS],
    container: { get: instanceOf },
    validate: false,
    // It would run an introspection query: a third of a start. The schema is validated with the first operation of a route.
    skipCheck: true,
  });
