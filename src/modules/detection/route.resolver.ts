import { GraphQLBoolean, GraphQLString } from 'graphql';
import { Arg, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { attemptOf, type Call } from '../../caller/call';
import { SEVERITIES, type Severity } from '../../detection/rule';
import { DomainError } from '../../errors';
import { isUuid } from '../../event/uuid';
import { Access } from '../../graphql/access';
import { objectType } from '../../graphql/object-type';
import { LIMITS } from '../../limits';
import { type CallTenants, type Given, invalid, MAYBE, text } from './operations';
import type { RouteStore, RouteTarget } from './route.store';
import type { RuleStore } from './rule.store';
import { ALERT_ROUTE } from './work-answers';

const AlertRouteType = objectType(ALERT_ROUTE);
const EMAILS_MAX = 20;
const EMAIL = /^[^\s@<>,;"]{1,64}@[A-Za-z0-9.-]{1,255}$/;
const FORMATS = ['json', 'ocsf'];
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
  async alertRoutes(@Arg('tenantId', text) tenantId: string, @Ctx() call: Call) {
    return this.parts.routes.list(await this.parts.tenants.one(call, tenantId));
  }

  @Mutation(() => AlertRouteType, {
    description: 'Creates a route: alerts go to e-mail addresses or to a destination.',
  })
  @Access({ principal: 'operator' })
  async createAlertRoute(
    @Arg('tenantId', text) tenantId: string,
    @Arg('name', text) name: string,
    @Arg('emails', () => [GraphQLString], MAYBE) emails: Given<string[]>,
    @Arg('destinationId', text, MAYBE) destinationId: Given<string>,
    @Arg('format', text, { nullable: true, description: 'json or ocsf, for a destination.' })
    format: Given<string>,
    @Arg('severity', text, {
      nullable: true,
      description: 'The lowest severity that is sent. Null: every severity.',
    })
    severity: Given<string>,
    @Arg('ruleId', text, { nullable: true, description: 'Only alerts of this rule.' }) ruleId: Given<string>,
    @Ctx() call: Call,
  ) {
    const to = emails ?? [];
    const least = severity ?? SEVERITIES[0];
    const problems = [
      ...(name.trim() === '' || name.length > LIMITS.nameCharsMax
        ? [`name must have 1 to ${LIMITS.nameCharsMax} characters`]
        : []),
      ...(to.length > 0 === (destinationId != null) ? ['give either emails or destinationId'] : []),
      ...(to.length > EMAILS_MAX ? [`emails must be at most ${EMAILS_MAX}`] : []),
      ...(to.every((one) => EMAIL.test(one)) ? [] : ['emails must be addresses such as soc@example.com']),
      ...[destinationId, ruleId]
        .filter((id) => id != null && !isUuid(id))
        .map((id) => `${JSON.stringify(id?.slice(0, 60))} must be a UUID`),
      ...(format != null && !FORMATS.includes(format) ? [`format must be one of ${FORMATS.join(', ')}`] : []),
      ...(format != null && to.length > 0 ? ['format is of a destination: e-mail has none'] : []),
      ...(SEVERITIES.includes(least as Severity) ? [] : [`severity must be one of ${SEVERITIES.join(', ')}`]),
    ];
    if (problems.length > 0) throw invalid(`${problems.join('; ')}.`);
    const target: RouteTarget =
      destinationId != null ? { destinationId, format: format === 'ocsf' ? 'ocsf' : 'json' } : { to };
    const severityMin = SEVERITIES.indexOf(least as Severity) + 1;
    const route = { name, severityMin, ruleId: ruleId?.toLowerCase() ?? null, target };
    const tenant = await this.parts.tenants.one(call, tenantId);
    await this.#assertThere(tenant, destinationId, ruleId);
    return this.parts.routes.create(tenant, route, attemptOf(call));
  }

  @Mutation(() => GraphQLBoolean, { description: 'Removes a route: alerts are no longer sent there.' })
  @Access({ principal: 'operator' })
  async removeAlertRoute(
    @Arg('tenantId', text) tenantId: string,
    @Arg('routeId', text) routeId: string,
    @Ctx() call: Call,
  ) {
    if (!isUuid(routeId)) throw new DomainError('not_found', { public: 'There is no such record.' });
    return this.parts.routes.remove(await this.parts.tenants.one(call, tenantId), routeId, attemptOf(call));
  }

  /** A route that names what the tenant does not have would tell nobody. @throws DomainError `not_found`, `invalid_parameter` */
  async #assertThere(tenantId: number, destinationId: Given<string>, ruleId: Given<string>): Promise<void> {
    const { rules, hasDestination } = this.parts;
    if (destinationId != null && !(await hasDestination(tenantId, destinationId)))
      throw new DomainError('not_found', { public: 'The tenant has no such destination.' });
    if (ruleId != null && (await rules.find(tenantId, ruleId)).kind === 'filter')
      throw invalid('ruleId must be that of a rule: a filter finds nothing by itself.');
  }
}
