import { GraphQLInt, GraphQLString } from 'graphql';
import { Arg, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from 'type-graphql';
import { type AuditSource, lagOf, type StoredGap } from './audit-source';
import { listGaps, listSources } from './list-sources';
import { type ReportReceipt, receiveReport } from './receive-report';
import { DomainError } from '../../errors';
import { Access } from '../../graphql/access';
import { AuditSourceReport, ReportReceiptType } from './audit-source.report';
import { AuditGapType, AuditSourceType } from './audit-source.types';
import type { GraphqlContext } from '../../graphql/context';

const GAPS_DEFAULT = 20;

@Resolver(() => AuditSourceType)
export class AuditSourceResolver {
  @Mutation(() => ReportReceiptType, {
    description: 'Stores what an agent says of one of its databases, and the gaps it found.',
  })
  @Access({ principal: 'agent' })
  reportAuditSource(
    @Arg('report', () => AuditSourceReport) report: AuditSourceReport,
    @Ctx() { principal, services }: GraphqlContext,
  ): Promise<ReportReceipt> {
    if (principal.kind !== 'agent')
      throw new DomainError('forbidden', { public: 'Only agents report their sources.' });
    return receiveReport(principal.tenantId, report, services.sources, services.now());
  }

  @Query(() => [AuditSourceType], { description: 'By tenant, host and database.' })
  @Access({ principal: 'operator' })
  async auditSources(
    @Arg('tenantId', () => GraphQLString, { nullable: true, description: 'Null: of every tenant.' })
    tenantId: string | null | undefined,
    @Ctx() { services }: GraphqlContext,
  ): Promise<AuditSourceType[]> {
    const sources = await listSources(tenantId ?? null, services.sources, services.tenants);
    const now = services.now();
    return sources.map((source) => toSourceType(source, now));
  }

  @FieldResolver(() => [AuditGapType], { description: 'Newest first.' })
  async gaps(
    @Root() source: AuditSourceType,
    @Arg('limit', () => GraphQLInt, { defaultValue: GAPS_DEFAULT }) limit: number,
    @Ctx() { services }: GraphqlContext,
  ): Promise<AuditGapType[]> {
    const gaps = await listGaps({ ...source, tenantId: Number(source.tenantId) }, limit, services.sources);
    return gaps.map(toGapType);
  }
}

const toSourceType = (source: AuditSource, nowMs: number): AuditSourceType => ({
  ...source,
  tenantId: String(source.tenantId),
  lastReceived: source.lastReceived?.toISOString() ?? null,
  lastReported: source.lastReported.toISOString(),
  lag: lagOf(source, nowMs),
});

const toGapType = (gap: StoredGap): AuditGapType => ({
  ...gap,
  firstReported: gap.firstReported.toISOString(),
});
