import { GraphQLBoolean } from 'graphql';
import { Mutation, Query, Resolver } from 'type-graphql';
import { attemptOf, type Call } from '../../../caller/call';
import type { CallTenants } from '../../../caller/call-tenants';
import { DomainError, refusal } from '../../../errors';
import type { GivenValues, ParameterValues } from '../../../event/parameter-specs';
import { parseParameters } from '../../../event/parse-parameters';
import { isUuid } from '../../../event/uuid';
import { Access } from '../../../graphql/access';
import { Takes, TakesUnchecked } from '../../../graphql/arguments';
import { objectType } from '../../../graphql/object-type';
import { conflict, problem } from '../../../problem';
import { SEVERITIES } from '../../../rules/rule';
import { CREATE_ROUTE, OF_TENANT, REMOVE_ROUTE } from '../base/parameters';
import { ALERT_ROUTE } from '../base/work-answers';
import type { RuleStore } from '../rules/rule.store';
import type { RouteStore, RouteTarget } from './route.store';

const AlertRouteType = objectType(ALERT_ROUTE);
/** Whether the tenant has it. */
export type HasDestination = (tenantId: number, destinationId: string) => Promise<boolean>;

/** The routes of alerts, for operators. */
@Resolver()
export class AlertRouteResolver {
  constructor(
    private readonly parts: {
      readonly routes: RouteStore;
      readonly rules: Pick<RuleStore, 'find'>;
      readonly tenants: CallTenants;
      readonly hasDestination: HasDestination;
    },
  ) {}

  @Query(() => [AlertRouteType], { description: 'The routes of a tenant: where its alerts are sent.' })
  @Access({ principal: 'operator' })
  @Takes(OF_TENANT)
  async alertRoutes({ tenantId }: ParameterValues<typeof OF_TENANT>, call: Call) {
    return this.parts.routes.list(await this.parts.tenants.one(call, tenantId));
  }

  @Mutation(() => AlertRouteType, {
    description: 'Creates a route: alerts go to e-mail addresses or to a destination.',
  })
  @Access({ principal: 'operator' })
  @TakesUnchecked(CREATE_ROUTE)
  async createAlertRoute(given: GivenValues<typeof CREATE_ROUTE>, call: Call) {
    const toEmail = (given.emails?.length ?? 0) > 0;
    const { tenantId, name, emails, destinationId, format, severity, ruleId, escalateMinutes } =
      parseParameters(CREATE_ROUTE, given, [
        ...(toEmail === (given.destinationId != null)
          ? [conflict('emails', 'give either emails or destinationId')]
          : []),
        ...(given.format != null && toEmail
          ? [conflict('format', 'format is of a destination: e-mail has none')]
          : []),
      ]);
    const target: RouteTarget =
      destinationId === undefined ? { to: emails ?? [] } : { destinationId, format: format ?? 'json' };
    const severityMin = SEVERITIES.indexOf(severity ?? SEVERITIES[0]) + 1;
    const route = {
      name,
      severityMin,
      ruleId: ruleId ?? null,
      escalateMinutes: escalateMinutes ?? null,
      target,
    };
    const tenant = await this.parts.tenants.one(call, tenantId);
    await this.#assertThere(tenant, destinationId, ruleId);
    return this.parts.routes.create(tenant, route, attemptOf(call));
  }

  @Mutation(() => GraphQLBoolean, { description: 'Removes a route: alerts are no longer sent there.' })
  @Access({ principal: 'operator' })
  @Takes(REMOVE_ROUTE)
  async removeAlertRoute({ tenantId, routeId }: ParameterValues<typeof REMOVE_ROUTE>, call: Call) {
    if (!isUuid(routeId)) throw new DomainError('not_found', { public: 'There is no such record.' });
    return this.parts.routes.remove(await this.parts.tenants.one(call, tenantId), routeId, attemptOf(call));
  }

  /** A route that names what the tenant does not have would tell nobody. @throws DomainError `not_found`, `invalid_parameter` */
  async #assertThere(tenantId: number, destinationId?: string, ruleId?: string): Promise<void> {
    const { rules, hasDestination } = this.parts;
    if (destinationId !== undefined && !(await hasDestination(tenantId, destinationId)))
      throw new DomainError('not_found', { public: 'The tenant has no such destination.' });
    if (ruleId !== undefined && (await rules.find(tenantId, ruleId)).kind === 'filter')
      throw refusal([
        problem('ruleId', 'refused', 'must be that of a rule: a filter finds nothing by itself'),
      ]);
  }
}
