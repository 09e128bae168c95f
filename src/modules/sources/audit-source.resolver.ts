import { GraphQLInt, GraphQLString } from 'graphql';
import { Arg, Args, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from 'type-graphql';
import type { Call } from '../../caller/call';
import { tenantSetOf } from '../../caller/principal';
import type { TenantStore } from '../../caller/tenant.store';
import { DomainError } from '../../errors';
import { parametersOf, parseParameters } from '../../event/parameters';
import type { Answer } from '../../event/shape';
import { Access } from '../../graphql/access';
import { argumentsType, type GivenArguments, objectType } from '../../graphql/object-type';
import {
  AUDIT_GAP,
  AUDIT_SOURCE,
  SOURCE_LIST,
  SOURCE_LIST_PARAMETERS,
  SOURCE_PAGE,
  SOURCES_PARAMETERS,
} from './answers';
import { type AuditSource, lagOf, type SourceState, type StoredGap } from './audit-source';
import { AuditSourceReport, ReportReceiptType } from './audit-source.report';
import type { AuditSourceStore } from './audit-source.store';
import { type ReportReceipt, receiveReport } from './check-report';
import type { ListComplete } from './list-complete';
import { listGaps, listSources } from './list-sources';
import { sourceList } from './source-list';

const AuditGapType = objectType(AUDIT_GAP);
type AuditGapType = Answer<typeof AUDIT_GAP>;
const AuditSourceType = objectType(AUDIT_SOURCE);
type AuditSourceType = Answer<typeof AUDIT_SOURCE>;

const SourcePageType = objectType(SOURCE_PAGE);
type SourcePageType = Answer<typeof SOURCE_PAGE>;
const SourcesArgs = argumentsType(SOURCES_PARAMETERS);
type SourcesArgs = GivenArguments;

const SourceListType = objectType(SOURCE_LIST);
type SourceListType = Answer<typeof SOURCE_LIST>;
const SourceListArgs = argumentsType(SOURCE_LIST_PARAMETERS);

const GAPS_DEFAULT = 20;

@Resolver(() => AuditSourceType)
export class AuditSourceResolver {
  constructor(
    private readonly sources: AuditSourceStore,
    private readonly tenants: Pick<TenantStore, 'existing' | 'list'>,
    private readonly complete: ListComplete,
    private readonly nowMs: () => number,
  ) {}

  @Mutation(() => ReportReceiptType, {
    description: 'Stores what an agent says of one of its databases, and the gaps it found.',
  })
  @Access({ principal: 'agent' })
  reportAuditSource(
    @Arg('report', () => AuditSourceReport) report: AuditSourceReport,
    @Ctx() { principal }: Call,
  ): Promise<ReportReceipt> {
    if (principal.kind !== 'agent')
      throw new DomainError('forbidden', { public: 'Only agents report their sources.' });
    return receiveReport(principal.tenantId, report, this.sources, this.nowMs());
  }

  @Query(() => [AuditSourceType], { description: 'By tenant, host and database.' })
  @Access({ principal: 'operator' })
  async auditSources(
    @Arg('tenantId', () => GraphQLString, { nullable: true, description: 'Null: of every tenant.' })
    tenantId: string | null | undefined,
    @Arg('hostName', () => GraphQLString, { nullable: true, description: 'Null: of every host.' })
    hostName?: string | null,
    @Arg('databaseName', () => GraphQLString, { nullable: true, description: 'Null: every database.' })
    databaseName?: string | null,
  ): Promise<AuditSourceType[]> {
    const all = await listSources(tenantId ?? null, this.sources, this.tenants);
    const sources = all.filter(
      (source) =>
        (hostName ?? source.hostName) === source.hostName &&
        (databaseName ?? source.databaseName) === source.databaseName,
    );
    const now = this.nowMs();
    return sources.map((source) => toSourceType(source, now));
  }

  @Query(() => SourceListType, {
    description: 'A page of the sources of all tenants, and numbers of all of them.',
  })
  @Access({ principal: 'operator' })
  async auditSourceList(@Args(() => SourceListArgs) args: GivenArguments): Promise<SourceListType> {
    const { state = null, search = '', page, pageSize } = parseParameters(SOURCE_LIST_PARAMETERS, args);
    const [all, tenants] = [await this.sources.sources(null), await this.tenants.list()];
    const names = new Map(tenants.map(({ tenantId, name }) => [tenantId, name]));
    const nameOf = (tenantId: number) => names.get(tenantId) ?? String(tenantId);
    const now = this.nowMs();
    const asked = { state: state as SourceState | null, search, page, pageSize };
    const { items, ...numbers } = sourceList(all, nameOf, asked, now);
    return { ...numbers, items: items.map((source) => ({ ...source, ...toSourceType(source, now) })) };
  }

  @Query(() => SourcePageType, {
    description: "How far the events of the caller's sources are complete, by tenant, host and database.",
  })
  @Access({ principal: 'public', scope: 'read:audit-activity' })
  async auditSourceItems(
    @Args(() => SourcesArgs) args: SourcesArgs,
    @Ctx() context: Call,
  ): Promise<SourcePageType> {
    const { page, pageSize } = parametersOf(SOURCES_PARAMETERS, args, context);
    const all = await this.complete(tenantSetOf(context));
    const items = all.slice((page - 1) * pageSize, page * pageSize);
    return { items, totalCount: all.length, page, pageSize };
  }

  @FieldResolver(() => [AuditGapType], { description: 'Newest first.' })
  async gaps(
    @Root() source: AuditSourceType,
    @Arg('limit', () => GraphQLInt, { defaultValue: GAPS_DEFAULT }) limit: number,
  ): Promise<AuditGapType[]> {
    const gaps = await listGaps({ ...source, tenantId: Number(source.tenantId) }, limit, this.sources);
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
