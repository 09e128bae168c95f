import { Query, Resolver } from 'type-graphql';
import type { Call } from '../../../caller/call';
import { tenantSetOf } from '../../../caller/principal';
import type { ParameterValues } from '../../../event/parameter-specs';
import { Access } from '../../../graphql/access';
import { Takes } from '../../../graphql/arguments';
import { objectType } from '../../../graphql/object-type';
import {
  ALERT,
  ALERT_PAGE,
  ALERT_PARAMETERS,
  ALERTS_PARAMETERS,
  FINDING,
  FINDING_PAGE,
  FINDING_PARAMETERS,
  FINDINGS_PARAMETERS,
} from '../base/answers';
import type { AlertReader } from './alert.reader';

const AlertType = objectType(ALERT);
const AlertPage = objectType(ALERT_PAGE);
const FindingType = objectType(FINDING);
const FindingPage = objectType(FINDING_PAGE);

@Resolver()
export class AlertResolver {
  constructor(private readonly reader: AlertReader) {}

  @Query(() => AlertPage, { description: 'A page of alerts, newest first by default.' })
  @Access({ principal: 'public', scope: 'read:alerts' })
  @Takes(ALERTS_PARAMETERS)
  alerts(asked: ParameterValues<typeof ALERTS_PARAMETERS>, context: Call) {
    return this.reader.alerts(tenantSetOf(context), asked);
  }

  @Query(() => AlertType, { nullable: true, description: 'One alert; null when there is no such alert.' })
  @Access({ principal: 'public', scope: 'read:alerts' })
  @Takes(ALERT_PARAMETERS)
  alert({ alertId }: ParameterValues<typeof ALERT_PARAMETERS>, context: Call) {
    return this.reader.alert(tenantSetOf(context), alertId);
  }

  @Query(() => FindingPage, { description: 'A page of findings, newest first by default.' })
  @Access({ principal: 'public', scope: 'read:findings' })
  @Takes(FINDINGS_PARAMETERS)
  findings(asked: ParameterValues<typeof FINDINGS_PARAMETERS>, context: Call) {
    return this.reader.findings(tenantSetOf(context), asked);
  }

  @Query(() => FindingType, {
    nullable: true,
    description: 'One finding; null when there is no such finding.',
  })
  @Access({ principal: 'public', scope: 'read:findings' })
  @Takes(FINDING_PARAMETERS)
  finding({ findingId }: ParameterValues<typeof FINDING_PARAMETERS>, context: Call) {
    return this.reader.finding(tenantSetOf(context), findingId);
  }
}
