import { Query, Resolver } from 'type-graphql';
import type { Call } from '../../caller/call';
import { askerOf, mayReadAlerts, tenantSetOf } from '../../caller/principal';
import type { FairShare } from '../../caller/rate-limit/fair-share';
import { parseTicks, TICKS_PER_MS } from '../../event/event-time';
import type { ParameterValues } from '../../event/parameter-specs';
import { Access } from '../../graphql/access';
import { Takes } from '../../graphql/arguments';
import { objectType } from '../../graphql/object-type';
import { OVERVIEW, OVERVIEW_PARAMETERS } from './answers';
import type { Overviews } from './overview';

const OverviewType = objectType(OVERVIEW);

/** The first page of the dashboard. No route of the public API uses it. */
@Resolver()
export class OverviewResolver {
  constructor(
    private readonly overviews: Overviews,
    private readonly fairShare: Pick<FairShare, 'run'>,
    private readonly nowMs: () => number,
  ) {}

  @Query(() => OverviewType, { description: 'A week of the audit trail, beside the week before.' })
  @Access({ principal: 'public', scope: 'read:audit-activity', via: 'session' })
  @Takes(OVERVIEW_PARAMETERS)
  overview({ endTime }: ParameterValues<typeof OVERVIEW_PARAMETERS>, context: Call) {
    const end = endTime === undefined ? null : parseTicks(endTime);
    const atMs = end === null ? this.nowMs() : Number(end / TICKS_PER_MS);
    const hasIncidents = mayReadAlerts(context.principal);
    const tenants = tenantSetOf(context);
    return this.fairShare.run(askerOf(context), () => this.overviews.of(tenants, { atMs, hasIncidents }));
  }
}
