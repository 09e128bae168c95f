import { Query, Resolver } from 'type-graphql';
import type { Call } from '../../caller/call';
import { holderOf } from '../../caller/principal';
import type { FairShare } from '../../caller/rate-limit/fair-share';
import type { TenantStore } from '../../caller/tenant.store';
import type { ParameterValues } from '../../event/parameter-specs';
import { type AuditEventFilter, toAuditEventFilter } from '../../event/query';
import { Access } from '../../graphql/access';
import { Takes } from '../../graphql/arguments';
import { noSuchTenant, parseTenantId, type TenantSet, tenantSet } from '../../tenant-set';
import type { Explained } from './explain';
import { AuditPlan } from './explore.types';
import { PLAN_PARAMETERS } from './parameters';

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
  @Takes(PLAN_PARAMETERS)
  async explainFilter(
    { tenantId, ...asked }: ParameterValues<typeof PLAN_PARAMETERS>,
    context: Call,
  ): Promise<AuditPlan[]> {
    const filter = toAuditEventFilter(asked);
    const id = parseTenantId(tenantId);
    if (id === null || (await this.tenants.existing([id])).length === 0) throw noSuchTenant();
    const tenants = tenantSet([id]);
    const asker = { holder: holderOf(context.principal), tenants };
    const explained = await this.fairShare.run(asker, () => this.explain(tenants, filter));
    return explained.map(({ isLong: waits, ...rest }) => ({ ...rest, waits }));
  }
}
