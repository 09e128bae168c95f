import { GraphQLString } from 'graphql';
import { Arg, Args, Ctx, Query, Resolver } from 'type-graphql';
import type { Call } from '../../caller/call';
import { holderOf } from '../../caller/principal';
import type { FairShare } from '../../caller/rate-limit/fair-share';
import type { TenantStore } from '../../caller/tenant.store';
import { FILTER_PARAMETERS, parseParameters } from '../../event/parameters';
import { type AuditEventFilter, toAuditEventFilter } from '../../event/query';
import { Access } from '../../graphql/access';
import { noSuchTenant, parseTenantId, type TenantSet, tenantSet } from '../../tenant-set';
import type { Explained } from './explain';
import { AuditPlan, AuditPlanArgs } from './explore.types';

/** What a question would read, for operators who ask why it takes long. */
@Resolver()
export class ExplainResolver {
  constructor(
    private readonly explain: (tenants: TenantSet, filter: AuditEventFilter) => Promise<readonly Explained[]>,
    private readonly tenants: Pick<TenantStore, 'existing'>,
    private readonly fairShare: Pick<FairShare, 'run'>,
  ) {}

  @Query(() => [AuditPlan], {
    description: 'What each kind of question with this filter would read, and why.',
  })
  @Access({ principal: 'operator' })
  async explainFilter(
    @Arg('tenantId', () => GraphQLString) tenantId: string,
    @Args(() => AuditPlanArgs) args: AuditPlanArgs,
    @Ctx() context: Call,
  ): Promise<AuditPlan[]> {
    const filter = toAuditEventFilter(parseParameters(FILTER_PARAMETERS, args));
    const id = parseTenantId(tenantId);
    if (id === null || (await this.tenants.existing([id])).length === 0) throw noSuchTenant();
    const tenants = tenantSet([id]);
    const asker = { holder: holderOf(context.principal), tenants };
    const explained = await this.fairShare.run(asker, () => this.explain(tenants, filter));
    return explained.map(({ isLong: waits, ...rest }) => ({ ...rest, waits }));
  }
}
