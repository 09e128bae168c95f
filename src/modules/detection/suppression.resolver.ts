import { GraphQLBoolean } from 'graphql';
import { Arg, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { attemptOf, type Call } from '../../caller/call';
import { DomainError } from '../../errors';
import { isUuid } from '../../event/uuid';
import { Access } from '../../graphql/access';
import { objectType } from '../../graphql/object-type';
import type { AlertStore } from './alert.store';
import { type CallTenants, READ_ALERTS, text, WORK_ALERTS } from './operations';
import { ALERT_SUPPRESSION } from './work-answers';

const SuppressionType = objectType(ALERT_SUPPRESSION);

/** Lists suppressions, and ends them before their time. */
@Resolver()
export class SuppressionResolver {
  constructor(
    private readonly alerts: AlertStore,
    private readonly tenants: CallTenants,
  ) {}

  @Query(() => [SuppressionType], { description: 'Suppressions, those that end first first.' })
  @Access(READ_ALERTS)
  async alertSuppressions(@Arg('tenantId', text) tenantId: string, @Ctx() call: Call) {
    return this.alerts.suppressions(await this.tenants.one(call, tenantId));
  }

  @Mutation(() => GraphQLBoolean, {
    description:
      'Ends a suppression: new findings make alerts again. Alerts that it suppressed stay as they are.',
  })
  @Access(WORK_ALERTS)
  async endAlertSuppression(
    @Arg('tenantId', text) tenantId: string,
    @Arg('suppressionId', text) suppressionId: string,
    @Ctx() call: Call,
  ) {
    const tenant = await this.tenants.one(call, tenantId);
    if (!isUuid(suppressionId)) throw new DomainError('not_found', { public: 'There is no such record.' });
    return this.alerts.endSuppression(tenant, suppressionId, attemptOf(call));
  }
}
