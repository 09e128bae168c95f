import { Query, Resolver } from 'type-graphql';
import type { Call } from '../../caller/call';
import { askerOf, holderOf } from '../../caller/principal';
import type { FairShare } from '../../caller/rate-limit/fair-share';
import type { TenantStore } from '../../caller/tenant.store';
import { conditionsOf } from '../../event/expression/conditions';
import { inWords, printed } from '../../event/expression/printed';
import type { ParameterValues } from '../../event/parameter-specs';
import { FILTER_PARAMETERS } from '../../event/parameters';
import { type AuditEventFilter, toAuditEventFilter } from '../../event/query';
import { Access } from '../../graphql/access';
import { Takes } from '../../graphql/arguments';
import { noSuchTenant, parseTenantId, type TenantSet, tenantSet } from '../../tenant-set';
import type { Explained } from './explain';
import { AuditFilter, AuditPlan } from './explore.types';
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
    return this.#plans(asker, filter);
  }

  @Query(() => AuditFilter, {
    description: 'How the service understands a filter, and what questions with it would read.',
  })
  @Access({ principal: 'public', scope: 'read:audit-activity', via: 'session', assistants: true })
  @Takes(FILTER_PARAMETERS)
  async auditFilter(asked: ParameterValues<typeof FILTER_PARAMETERS>, context: Call): Promise<AuditFilter> {
    const conditions = conditionsOf(asked);
    const plans = await this.#plans(askerOf(context), toAuditEventFilter(asked));
    return {
      filter: conditions && printed(conditions),
      words: `Events${timesInWords(asked)}${conditions ? ` where ${inWords(conditions)}` : ''}.`,
      plans,
    };
  }

  async #plans(asker: ReturnType<typeof askerOf>, filter: AuditEventFilter): Promise<AuditPlan[]> {
    const explained = await this.fairShare.run(asker, () => this.explain(asker.tenants, filter));
    return explained.map(({ isLong: waits, ...rest }) => ({ ...rest, waits }));
  }
}

const timesInWords = ({
  startTime,
  endTime,
}: {
  startTime?: string | undefined;
  endTime?: string | undefined;
}) =>
  `${startTime === undefined ? '' : ` from ${startTime}`}${endTime === undefined ? '' : ` before ${endTime}`}`;
