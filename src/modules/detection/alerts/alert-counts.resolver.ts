import { Query, Resolver } from 'type-graphql';
import type { Call } from '../../../caller/call';
import { tenantSetOf } from '../../../caller/principal';
import type { ParameterValues } from '../../../event/parameter-specs';
import { Access } from '../../../graphql/access';
import { Takes } from '../../../graphql/arguments';
import { objectType } from '../../../graphql/object-type';
import {
  ALERT_COUNT,
  ALERT_COUNTS_PARAMETERS,
  type AlertCounts,
  FINDING_COUNT,
  FINDING_COUNTS_PARAMETERS,
} from './alert-counts';

const AlertCountType = objectType(ALERT_COUNT);
const FindingCountType = objectType(FINDING_COUNT);

/** Counts that the dashboard shows beside its lists of alerts and rules. */
@Resolver()
export class AlertCountsResolver {
  constructor(private readonly counts: AlertCounts) {}

  @Query(() => [AlertCountType], {
    description: 'Alerts by state, severity and rule, the most frequent first.',
  })
  @Access({ principal: 'public', scope: 'read:alerts', via: 'session' })
  @Takes(ALERT_COUNTS_PARAMETERS)
  alertCounts(asked: ParameterValues<typeof ALERT_COUNTS_PARAMETERS>, context: Call) {
    return this.counts.alerts(tenantSetOf(context), asked);
  }

  @Query(() => [FindingCountType], { description: 'Findings by rule, the most frequent first.' })
  @Access({ principal: 'public', scope: 'read:findings', via: 'session' })
  @Takes(FINDING_COUNTS_PARAMETERS)
  findingCounts(asked: ParameterValues<typeof FINDING_COUNTS_PARAMETERS>, context: Call) {
    return this.counts.findings(tenantSetOf(context), asked);
  }
}
