import { Args, Ctx, Query, Resolver } from 'type-graphql';
import type { Call } from '../../caller/call';
import { tenantSetOf } from '../../caller/principal';
import { parseParameters } from '../../event/parameters';
import { Access } from '../../graphql/access';
import { argumentsType, type GivenArguments, objectType } from '../../graphql/object-type';
import {
  ALERT_COUNT,
  ALERT_COUNTS_PARAMETERS,
  type AlertCounts,
  FINDING_COUNT,
  FINDING_COUNTS_PARAMETERS,
} from './alert-counts';

const AlertCountType = objectType(ALERT_COUNT);
const FindingCountType = objectType(FINDING_COUNT);
const AlertCountsArgs = argumentsType(ALERT_COUNTS_PARAMETERS);
const FindingCountsArgs = argumentsType(FINDING_COUNTS_PARAMETERS);

/** Counts that the dashboard shows beside its lists of alerts and rules. */
@Resolver()
export class AlertCountsResolver {
  constructor(private readonly counts: AlertCounts) {}

  @Query(() => [AlertCountType], {
    description: 'Alerts by state, severity and rule, the most frequent first.',
  })
  @Access({ principal: 'public', scope: 'read:alerts', via: 'session' })
  alertCounts(@Args(() => AlertCountsArgs) args: GivenArguments, @Ctx() context: Call) {
    return this.counts.alerts(tenantSetOf(context), parseParameters(ALERT_COUNTS_PARAMETERS, args));
  }

  @Query(() => [FindingCountType], { description: 'Findings by rule, the most frequent first.' })
  @Access({ principal: 'public', scope: 'read:findings', via: 'session' })
  findingCounts(@Args(() => FindingCountsArgs) args: GivenArguments, @Ctx() context: Call) {
    return this.counts.findings(tenantSetOf(context), parseParameters(FINDING_COUNTS_PARAMETERS, args));
  }
}
