import { FieldResolver, Mutation, Query, Resolver } from 'type-graphql';
import { attemptOf, type Call } from '../../caller/call';
import { tenantSetOf } from '../../caller/principal';
import type { TenantStore } from '../../caller/tenant.store';
import { DomainError, refuseIf } from '../../errors';
import { msOfTime } from '../../event/event-time';
import type { GivenValues, ParameterValues } from '../../event/parameter-specs';
import type { Answer } from '../../event/shape';
import { Access } from '../../graphql/access';
import { Takes, TakesUnchecked } from '../../graphql/arguments';
import { objectType } from '../../graphql/object-type';
import { noSuchTenant, parseTenantId } from '../../tenant-set';
import {
  AUDIT_GAP,
  AUDIT_SOURCE,
  AUDIT_SOURCES_PARAMETERS,
  GAPS_PARAMETERS,
  REPORT_RECEIPT,
  SOURCE_LIST,
  SOURCE_LIST_PARAMETERS,
  SOURCE_PAGE,
  SOURCES_PARAMETERS,
} from './answers';
import { type AuditSource, lagOf, type StoredGap } from './audit-source';
import { REPORT_PARAMETERS } from './audit-source.report';
import type { AuditSourceStore } from './audit-source.store';
import { type ReportReceipt, receiveReport, type WantedOfAgents } from './check-report';
import { type AgentGroup, groupOf, runsSettings } from './groups/agent-group';
import type { ListComplete } from './list-complete';
import { listSources } from './list-sources';
import { type AgentPackage, packageOf, packageStateOf } from './packages/agent-package';
import { REMOVE_SOURCES_PARAMETERS, REMOVED_SOURCES, silenceProblems } from './remove-sources';
import { RETIRE_SOURCE_PARAMETERS, RETIRED_SOURCES } from './retire-sources';
import { sourceList } from './source-list';

const AuditGapType = objectType(AUDIT_GAP);
type AuditGapType = Answer<typeof AUDIT_GAP>;
const AuditSourceType = objectType(AUDIT_SOURCE);
type AuditSourceType = Answer<typeof AUDIT_SOURCE>;

const RemovedSourcesType = objectType(REMOVED_SOURCES);
const RetiredSourcesType = objectType(RETIRED_SOURCES);
const ReportReceiptType = objectType(REPORT_RECEIPT);

const SourcePageType = objectType(SOURCE_PAGE);
type SourcePageType = Answer<typeof SOURCE_PAGE>;

const SourceListType = objectType(SOURCE_LIST);
type SourceListType = Answer<typeof SOURCE_LIST>;

@Resolver(() => AuditSourceType)
export class AuditSourceResolver {
  /** The gaps of a call that are being read: of one source at a time, since a list may be of thousands. */
  readonly #reading = new WeakMap<Call, Promise<readonly StoredGap[]>>();

  constructor(
    private readonly sources: AuditSourceStore,
    private readonly tenants: Pick<TenantStore, 'existing' | 'list'>,
    private readonly complete: ListComplete,
    private readonly wanted: WantedOfAgents,
    private readonly nowMs: () => number,
  ) {}

  @Mutation(() => ReportReceiptType, {
    description: "Stores an agent's report on one of its sources, with the gaps it found.",
  })
  @Access({ principal: 'agent' })
  @TakesUnchecked(REPORT_PARAMETERS)
  reportAuditSource(
    { report }: GivenValues<typeof REPORT_PARAMETERS>,
    { principal }: Call,
  ): Promise<ReportReceipt> {
    if (principal.kind !== 'agent')
      throw new DomainError('forbidden', { public: 'Only agents report their sources.' });
    return receiveReport(principal.tenantId, report, this.sources, this.wanted, this.nowMs());
  }

  @Query(() => [AuditSourceType], { description: 'Sources by tenant, host and database.' })
  @Access({ principal: 'operator' })
  @Takes(AUDIT_SOURCES_PARAMETERS)
  async auditSources({
    tenantId,
    hostName,
    databaseName,
  }: ParameterValues<typeof AUDIT_SOURCES_PARAMETERS>): Promise<AuditSourceType[]> {
    const all = await listSources(tenantId ?? null, this.sources, this.tenants);
    const sources = all.filter(
      (source) =>
        (hostName ?? source.hostName) === source.hostName &&
        (databaseName ?? source.databaseName) === source.databaseName,
    );
    const typed = await this.#typed();
    return sources.map(typed);
  }

  @Mutation(() => RemovedSourcesType, {
    description: 'Removes sources that nobody reports any more, so that the tenant has room for others.',
  })
  @Access({ principal: 'operator' })
  @Takes(REMOVE_SOURCES_PARAMETERS)
  async removeAuditSources(
    {
      tenantId: given,
      reportedBefore,
      hostName,
      withGaps,
    }: ParameterValues<typeof REMOVE_SOURCES_PARAMETERS>,
    context: Call,
  ) {
    refuseIf(silenceProblems(reportedBefore, this.nowMs()));
    const tenantId = await this.#tenantOf(given);
    const asked = { before: new Date(msOfTime(reportedBefore)), hostName: hostName ?? null, withGaps };
    return this.sources.remove(tenantId, asked, attemptOf(context));
  }

  @Mutation(() => RetiredSourcesType, {
    description:
      'Retires sources whose servers are gone: their silence makes no alert, and everything that is known of them stays.',
  })
  @Access({ principal: 'operator' })
  @Takes(RETIRE_SOURCE_PARAMETERS)
  async retireAuditSource(
    { tenantId: given, hostName, databaseName, reason }: ParameterValues<typeof RETIRE_SOURCE_PARAMETERS>,
    context: Call,
  ) {
    const tenantId = await this.#tenantOf(given);
    const asked = { hostName, databaseName: databaseName ?? null, reason };
    return this.sources.retire(tenantId, asked, new Date(this.nowMs()), attemptOf(context));
  }

  @Query(() => SourceListType, {
    description: 'A page of the sources of all tenants, and how many are in each state.',
  })
  @Access({ principal: 'operator' })
  @Takes(SOURCE_LIST_PARAMETERS)
  async auditSourceList({
    state,
    search = '',
    page,
    pageSize,
  }: ParameterValues<typeof SOURCE_LIST_PARAMETERS>): Promise<SourceListType> {
    const [all, tenants] = [await this.sources.sources(null), await this.tenants.list()];
    const names = new Map(tenants.map(({ tenantId, name }) => [tenantId, name]));
    const nameOf = (tenantId: number) => names.get(tenantId) ?? String(tenantId);
    const now = this.nowMs();
    const asked = { state: state ?? null, search, page, pageSize };
    const typed = await this.#typed();
    const { items, ...numbers } = sourceList(all, nameOf, asked, now);
    return { ...numbers, items: items.map((source) => ({ ...source, ...typed(source) })) };
  }

  @Query(() => SourcePageType, {
    description: "How far the events of the caller's sources are complete, by tenant, host and database.",
  })
  @Access({ principal: 'public', scope: 'read:audit-activity' })
  @Takes(SOURCES_PARAMETERS)
  async auditSourceItems(
    { page, pageSize }: ParameterValues<typeof SOURCES_PARAMETERS>,
    context: Call,
  ): Promise<SourcePageType> {
    const all = await this.complete(tenantSetOf(context));
    const items = all.slice((page - 1) * pageSize, page * pageSize);
    return { items, totalCount: all.length, page, pageSize };
  }

  @FieldResolver(() => [AuditGapType], { description: 'Newest first.' })
  @Takes(GAPS_PARAMETERS)
  async gaps(
    { limit }: ParameterValues<typeof GAPS_PARAMETERS>,
    call: Call,
    source: AuditSourceType,
  ): Promise<AuditGapType[]> {
    if (source.gapCount === 0) return [];
    const before = this.#reading.get(call) ?? Promise.resolve([]);
    const reading = before.then(() => this.sources.gaps(Number(source.tenantId), source, limit));
    this.#reading.set(call, reading);
    return (await reading).map(toGapType);
  }

  async #typed() {
    const groups = await this.wanted.groups.list(null);
    const packages = await this.wanted.packages.list(null);
    const now = this.nowMs();
    return (source: AuditSource) => {
      const own = groups.filter(({ tenantId }) => tenantId === source.tenantId);
      const group = groupOf(own, source.hostName);
      return toSourceType(source, { group, offered: packageOf(packages, group) }, now);
    };
  }

  async #tenantOf(given: string): Promise<number> {
    const tenantId = parseTenantId(given);
    if (tenantId === null || (await this.tenants.existing([tenantId])).length === 0) throw noSuchTenant();
    return tenantId;
  }
}

const toSourceType = (
  source: AuditSource,
  { group, offered }: { readonly group: AgentGroup | null; readonly offered: AgentPackage | null },
  nowMs: number,
): AuditSourceType => ({
  ...source,
  ...settingsOf(source, group),
  ...packageStateOf(source, offered),
  tenantId: String(source.tenantId),
  lastReceived: source.lastReceived?.toISOString() ?? null,
  lastReported: source.lastReported.toISOString(),
  retiredAt: source.retiredAt?.toISOString() ?? null,
  standbySince: source.standbySince?.toISOString() ?? null,
  lag: lagOf(source, nowMs),
});

function settingsOf(source: AuditSource, group: AgentGroup | null) {
  const { running } = source;
  const [wantedVersion, runningVersion] = [group?.version ?? null, running?.version ?? null];
  const refused = running?.refused ?? [];
  return {
    wantedVersion,
    runningVersion,
    agentGroup: group?.name ?? null,
    refusedSettings: refused.map(({ setting, reason }) => `${setting}: ${reason}`),
    followsSettings: runsSettings(source, group),
  };
}

const toGapType = (gap: StoredGap): AuditGapType => ({
  ...gap,
  firstReported: gap.firstReported.toISOString(),
});
