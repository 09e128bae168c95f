import { GraphQLBoolean } from 'graphql';
import { Mutation, Query, Resolver } from 'type-graphql';
import { attemptOf, type Call } from '../../../caller/call';
import type { CallTenants } from '../../../caller/call-tenants';
import { DomainError } from '../../../errors';
import type { ParameterValues } from '../../../event/parameter-specs';
import { isUuid } from '../../../event/uuid';
import { Access } from '../../../graphql/access';
import { Takes } from '../../../graphql/arguments';
import { objectType } from '../../../graphql/object-type';
import { READ_ALERTS, WORK_ALERTS } from '../base/operations';
import { OF_SUPPRESSION, OF_TENANT } from '../base/parameters';
import { ALERT_SUPPRESSION } from '../base/work-answers';
import type { AlertStore } from './alert.store';

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
  @Takes(OF_TENANT)
  async alertSuppressions({ tenantId }: ParameterValues<typeof OF_TENANT>, call: Call) {
    return this.alerts.suppressions(await this.tenants.one(call, tenantId));
  }

  @Mutation(() => GraphQLBoolean, {
    description:
      'Ends a suppression: new findings make alerts again. Alerts that it suppressed stay as they are.',
  })
  @Access(WORK_ALERTS)
  @Takes(OF_SUPPRESSION)
  async endAlertSuppression({ tenantId, suppressionId }: ParameterValues<typeof OF_SUPPRESSION>, call: Call) {
    const tenant = await this.tenants.one(call, tenantId);
    if (!isUuid(suppressionId)) throw new DomainError('not_found', { public: 'There is no such record.' });
    return this.alerts.endSuppression(tenant, suppressionId, attemptOf(call));
  }
}
