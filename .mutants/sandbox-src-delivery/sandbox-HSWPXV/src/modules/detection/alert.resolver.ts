import { GraphQLString } from 'graphql';
import { Arg, Args, Ctx, Query, Resolver } from 'type-graphql';
import type { Call } from '../../caller/call';
import { tenantSetOf } from '../../caller/principal';
import { parametersOf } from '../../event/parameters';
import { Access } from '../../graphql/access';
import { argumentsType, type GivenArguments, objectType } from '../../graphql/object-type';
import type { AlertReader } from './alert.reader';
import {
  ALERT,
  ALERT_PAGE,
  ALERT_PARAMETERS,
  ALERTS_PARAMETERS,
  FINDING,
  FINDING_PAGE,
  FINDING_PARAMETERS,
  FINDINGS_PARAMETERS,
} from './answers';

const AlertType = objectType(ALERT);
const AlertPage = objectType(ALERT_PAGE);
const FindingType = objectType(FINDING);
const FindingPage = objectType(FINDING_PAGE);
const AlertsArgs = argumentsType(ALERTS_PARAMETERS);
const FindingsArgs = argumentsType(FINDINGS_PARAMETERS);

@Resolver()
export class AlertResolver {
  constructor(private readonly reader: AlertReader) {}

  @Query(() => AlertPage, { description: 'A page of alerts, those that began last first by default.' })
  @Access({ principal: 'public', scope: 'read:alerts' })
  alerts(@Args(() => AlertsArgs) args: GivenArguments, @Ctx() context: Call) {
    return this.reader.alerts(tenantSetOf(context), parametersOf(ALERTS_PARAMETERS, args, context));
  }

  @Query(() => AlertType, { nullable: true, description: 'One alert; null when there is no such alert.' })
  @Access({ principal: 'public', scope: 'read:alerts' })
  alert(@Arg('alertId', () => GraphQLString) alertId: string, @Ctx() context: Call) {
    return this.reader.alert(
      tenantSetOf(context),
      parametersOf(ALERT_PARAMETERS, { alertId }, context).alertId,
    );
  }

  @Query(() => FindingPage, { description: 'A page of findings, those detected last first by default.' })
  @Access({ principal: 'public', scope: 'read:findings' })
  findings(@Args(() => FindingsArgs) args: GivenArguments, @Ctx() context: Call) {
    return this.reader.findings(tenantSetOf(context), parametersOf(FINDINGS_PARAMETERS, args, context));
  }

  @Query(() => FindingType, {
    nullable: true,
    description: 'One finding; null when there is no such finding.',
  })
  @Access({ principal: 'public', scope: 'read:findings' })
  finding(@Arg('findingId', () => GraphQLString) findingId: string, @Ctx() context: Call) {
    return this.reader.finding(
      tenantSetOf(context),
      parametersOf(FINDING_PARAMETERS, { findingId }, context).findingId,
    );
  }
}
