import { GraphQLInt, GraphQLString } from 'graphql';
import { Arg, Args, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { tenantSetOf } from '../../caller/access-rule';
import { attemptOf, type Call } from '../../caller/call';
import type { TenantStore } from '../../caller/tenant.store';
import { parseTenantId, type TenantSet, tenantSet } from '../../caller/tenant-set';
import { SEVERITIES, type Severity, type Tuning } from '../../detection/rule';
import { parseSpan } from '../../detection/sigma/correlation';
import { DomainError } from '../../errors';
import { parseTicks, TICKS_PER_MS } from '../../event/event-time';
import { parseParameters } from '../../event/parameters';
import { Access } from '../../graphql/access';
import { argumentsType, enumType, type GivenArguments, objectType } from '../../graphql/object-type';
import { LIMITS } from '../../limits';
import type { AlertReader } from './alert.reader';
import type { AlertStore, AlertWork } from './alert.store';
import { ALERT, ALERT_PAGE, ALERT_PARAMETERS, ALERTS_PARAMETERS, VERDICT } from './answers';
import type { Backtests } from './backtests';
import { type RuleStore, ruleOf, rulesOf } from './rule.store';
import { tuningOf } from './tenant-rules';
import { ALERT_CHANGE, BACKTEST, DETECTION_RULE } from './work-answers';

const AlertType = objectType(ALERT);
const AlertPage = objectType(ALERT_PAGE);
const AlertChangeType = objectType(ALERT_CHANGE);
const RuleType = objectType(DETECTION_RULE);
const BacktestType = objectType(BACKTEST);
const Verdict = enumType(VERDICT);

const TENANT_ALERTS_PARAMETERS = {
  tenantId: { kind: 'text', charsMax: 20, doc: 'Of this tenant only.' },
  ...ALERTS_PARAMETERS,
} as const;
const TenantAlertsArgs = argumentsType(TENANT_ALERTS_PARAMETERS);

const COMMENT_CHARS_MAX = 4_000;
const SUPPRESSION_MS_MAX = 366 * 86_400_000;
const READ = { principal: 'public', scope: 'read:alerts', via: 'session', operators: true } as const;
const WORK = { principal: 'public', scope: 'work:alerts', operators: true } as const;
const text = () => GraphQLString;
const maybe = { nullable: true } as const;
type Given<T> = T | null | undefined;

const invalid = (message: string) => new DomainError('invalid_parameter', { public: message });

/** What people do with alerts and rules, in the dashboard and by the command line. */
@Resolver()
export class AlertWorkResolver {
  constructor(
    private readonly parts: {
      readonly reader: AlertReader;
      readonly alerts: AlertStore;
      readonly rules: RuleStore;
      readonly backtests: Backtests;
      readonly tenants: Pick<TenantStore, 'existing' | 'list'>;
      readonly nowMs: () => number;
    },
  ) {}

  @Query(() => AlertPage, { description: 'Alerts of one tenant, or of all, for operators.' })
  @Access({ principal: 'operator' })
  async tenantAlerts(@Args(() => TenantAlertsArgs) args: GivenArguments, @Ctx() call: Call) {
    const { tenantId, ...filters } = parseParameters(TENANT_ALERTS_PARAMETERS, args);
    const tenants = await this.#tenants(call, tenantId);
    if (!tenants) return { items: [], totalCount: 0, page: filters.page, pageSize: filters.pageSize };
    return this.parts.reader.alerts(tenants, filters);
  }

  @Query(() => AlertType, { nullable: true, description: 'One alert of any tenant, for operators.' })
  @Access({ principal: 'operator' })
  async tenantAlert(@Arg('alertId', text) alertId: string, @Ctx() call: Call) {
    const tenants = await this.#tenants(call, null);
    return tenants && this.parts.reader.alert(tenants, idOf(alertId));
  }

  @Query(() => [AlertChangeType], { description: 'What was done with an alert, oldest first.' })
  @Access(READ)
  async alertChanges(@Arg('alertId', text) alertId: string, @Ctx() call: Call) {
    const tenants = await this.#tenants(call, null);
    return tenants ? this.parts.alerts.changes(tenants, idOf(alertId)) : [];
  }

  @Mutation(() => AlertType, { description: 'Somebody works on it: whoever calls, unless it is assigned.' })
  @Access(WORK)
  acknowledgeAlert(
    @Arg('alertId', text) alertId: string,
    @Arg('comment', text, maybe) comment: Given<string>,
    @Ctx() call: Call,
  ) {
    return this.#work(call, alertId, comment, () => ({
      ...{
        kind: 'acknowledged',
        set: { status: 'acknowledged', verdict: null },
        detail: { status: 'acknowledged' },
      },
    }));
  }

  @Mutation(() => AlertType, { description: 'It is done.' })
  @Access(WORK)
  resolveAlert(
    @Arg('alertId', text) alertId: string,
    @Arg('verdict', () => Verdict) verdict: string,
    @Arg('comment', text, maybe) comment: Given<string>,
    @Ctx() call: Call,
  ) {
    return this.#work(call, alertId, comment, () => ({
      ...{ kind: 'resolved', set: { status: 'resolved', verdict }, detail: { status: 'resolved', verdict } },
    }));
  }

  @Mutation(() => AlertType, { description: 'Says who works on it.' })
  @Access(WORK)
  assignAlert(
    @Arg('alertId', text) alertId: string,
    @Arg('assignee', text, { nullable: true, description: 'Null: nobody.' }) assignee: Given<string>,
    @Ctx() call: Call,
  ) {
    return this.#work(call, alertId, null, () => {
      const name = assignee?.trim() || null;
      if (name !== null && name.length > LIMITS.nameCharsMax)
        throw invalid(`assignee must have at most ${LIMITS.nameCharsMax} characters.`);
      return { kind: 'assigned', set: { assignee: name }, detail: { assignee: name } };
    });
  }

  @Mutation(() => AlertType, { description: 'Adds a note.' })
  @Access(WORK)
  commentAlert(
    @Arg('alertId', text) alertId: string,
    @Arg('comment', text) comment: string,
    @Ctx() call: Call,
  ) {
    return this.#work(call, alertId, comment, () => {
      if (comment.trim() === '') throw invalid('comment must not be empty.');
      return { kind: 'commented', set: {}, detail: {} };
    });
  }

  @Mutation(() => AlertType, {
    description: 'Keeps it quiet until a time, and further alerts of its rule with the same values.',
  })
  @Access(WORK)
  suppressAlert(
    @Arg('alertId', text) alertId: string,
    @Arg('fields', () => [GraphQLString], {
      nullable: true,
      description: "Fields of the alert's group whose values must be the same. Null: all of them.",
    })
    fields: Given<string[]>,
    @Arg('until', text, { description: 'ISO 8601.' }) until: string,
    @Arg('reason', text) reason: string,
    @Ctx() call: Call,
  ) {
    return this.#work(call, alertId, reason, () => {
      const ticks = parseTicks(until);
      const untilMs = ticks === null ? 0 : Number(ticks / TICKS_PER_MS);
      const now = this.parts.nowMs();
      const problems = [
        ...(untilMs > now && untilMs <= now + SUPPRESSION_MS_MAX
          ? []
          : ['until must be a time within the next year']),
        ...(reason.trim() === '' ? ['reason must not be empty'] : []),
      ];
      if (problems.length > 0) throw invalid(`${problems.join('; ')}.`);
      const at = new Date(untilMs);
      return {
        kind: 'suppressed',
        set: { status: 'suppressed', suppressedUntil: at },
        detail: { status: 'suppressed', until: at.toISOString() },
        suppress: (group) => ({ fields: chosenOf(group, fields ?? null), until: at, reason }),
      };
    });
  }

  @Query(() => [RuleType], { description: 'The rules of a tenant: those shipped, then its own.' })
  @Access(READ)
  async detectionRules(@Arg('tenantId', text) tenantId: string, @Ctx() call: Call) {
    return this.parts.rules.list(await this.#tenant(call, tenantId));
  }

  @Mutation(() => [RuleType], {
    description: 'Adds the rules of a Sigma file, or replaces those of the same ids.',
  })
  @Access(WORK)
  async importRules(
    @Arg('tenantId', text) tenantId: string,
    @Arg('source', text) source: string,
    @Ctx() call: Call,
  ) {
    return this.parts.rules.import(await this.#tenant(call, tenantId), source, attemptOf(call));
  }

  @Mutation(() => RuleType, { description: 'Switches a rule on or off.' })
  @Access(WORK)
  async setRuleEnabled(
    @Arg('tenantId', text) tenantId: string,
    @Arg('ruleId', text) ruleId: string,
    @Arg('enabled') enabled: boolean,
    @Ctx() call: Call,
  ) {
    return this.parts.rules.setEnabled(
      await this.#tenant(call, tenantId),
      idOf(ruleId),
      enabled,
      attemptOf(call),
    );
  }

  @Mutation(() => RuleType, {
    description:
      'Sets threshold, time, severity and exceptions of a rule for a tenant. What is not given is as in the file.',
  })
  @Access(WORK)
  async tuneRule(
    @Arg('tenantId', text) tenantId: string,
    @Arg('ruleId', text) ruleId: string,
    @Arg('threshold', () => GraphQLInt, maybe) threshold: Given<number>,
    @Arg('timespan', text, { nullable: true, description: 'For example 15m.' }) timespan: Given<string>,
    @Arg('severity', text, maybe) severity: Given<string>,
    @Arg('dedupMinutes', () => GraphQLInt, maybe) dedupMinutes: Given<number>,
    @Arg('exceptions', () => [GraphQLString], {
      nullable: true,
      description: 'JSON objects of values by field: an event that has all of one is left out.',
    })
    exceptions: Given<string[]>,
    @Ctx() call: Call,
  ) {
    const tuning = toTuning({ threshold, timespan, severity, dedupMinutes, exceptions });
    return this.parts.rules.tune(await this.#tenant(call, tenantId), idOf(ruleId), tuning, attemptOf(call));
  }

  @Mutation(() => BacktestType, {
    description: 'Starts to look for what a rule would have found over the last days.',
  })
  @Access(WORK)
  async testRule(
    @Arg('tenantId', text) tenantId: string,
    @Arg('ruleId', text, maybe) ruleId: Given<string>,
    @Arg('source', text, { nullable: true, description: 'A Sigma file, in place of a rule.' })
    source: Given<string>,
    @Arg('days', () => GraphQLInt, { defaultValue: 7 }) days: number,
    @Ctx() call: Call,
  ) {
    const tenant = await this.#tenant(call, tenantId);
    if (days < 1 || days > LIMITS.backtestDaysMax)
      throw invalid(`days must be from 1 to ${LIMITS.backtestDaysMax}.`);
    if ((ruleId == null) === (source == null)) throw invalid('Give either ruleId or source.');
    const known = ruleId == null ? null : await this.parts.rules.find(tenant, idOf(ruleId));
    const rule = known
      ? ruleOf(known.source, known.ruleId, tuningOf(known.tuning))
      : rulesOf(source ?? '')[0];
    if (!rule) throw invalid('This release does not take the rule.');
    return this.parts.alerts.noted(attemptOf(call), tenant, () =>
      this.parts.backtests.start(tenant, rule, days),
    );
  }

  @Query(() => BacktestType, { description: 'How far a backtest is, on the instance that runs it.' })
  @Access({ principal: 'public', scope: 'work:alerts', via: 'session', operators: true })
  async backtest(@Arg('backtestId', text) backtestId: string, @Ctx() call: Call) {
    const tenants = await this.#tenants(call, null);
    return this.parts.backtests.find(backtestId, (tenantId) => tenants?.includes(tenantId) ?? false);
  }

  async #work(
    call: Call,
    given: string,
    comment: Given<string>,
    make: () => Pick<AlertWork, 'kind' | 'set' | 'detail' | 'suppress'>,
  ) {
    const alertId = idOf(given);
    const note = comment?.trim() ? comment : null;
    if (note !== null && note.length > COMMENT_CHARS_MAX)
      throw invalid(`a text must have at most ${COMMENT_CHARS_MAX} characters.`);
    const work = make();
    const tenants = await this.#tenants(call, null);
    if (!tenants) throw new DomainError('not_found', { public: 'There is no such record.' });
    const actor = call.principal.session?.user ?? call.principal.name;
    await this.parts.alerts.work(tenants, alertId, { ...work, actor, comment: note }, attemptOf(call));
    return this.parts.reader.alert(tenants, alertId);
  }

  /** The tenants that a call is about; null: there are none. @throws DomainError `not_found` */
  async #tenants(call: Call, tenantId: Given<string>): Promise<TenantSet | null> {
    if (tenantId != null) return tenantSet([await this.#tenant(call, tenantId)]);
    if (call.principal.kind !== 'operator') return tenantSetOf(call);
    const all = await this.parts.tenants.list();
    return all.length === 0 ? null : tenantSet(all.map((tenant) => tenant.tenantId));
  }

  async #tenant(call: Call, given: string): Promise<number> {
    const id = parseTenantId(given);
    const own = call.principal.kind === 'operator' ? null : tenantSetOf(call);
    const isThere =
      id !== null && (own ? own.includes(id) : (await this.parts.tenants.existing([id])).length > 0);
    if (!isThere) throw new DomainError('not_found', { public: 'There is no such tenant.' });
    return id;
  }
}

const idOf = (id: string) => parseParameters(ALERT_PARAMETERS, { alertId: id }).alertId.toLowerCase();

function chosenOf(
  group: Readonly<Record<string, string | null>>,
  fields: readonly string[] | null,
): Record<string, string> {
  const names = fields ?? Object.keys(group);
  const chosen: Record<string, string> = {};
  for (const name of names) {
    const value = Object.hasOwn(group, name) ? group[name] : null;
    if (typeof value !== 'string')
      throw invalid(`${JSON.stringify(name.slice(0, 60))} has no value in this alert.`);
    chosen[name] = value;
  }
  return chosen;
}

function toTuning(given: {
  readonly threshold: Given<number>;
  readonly timespan: Given<string>;
  readonly severity: Given<string>;
  readonly dedupMinutes: Given<number>;
  readonly exceptions: Given<readonly string[]>;
}): Tuning | null {
  const { threshold, timespan, severity, dedupMinutes, exceptions } = given;
  const span = timespan == null ? null : parseSpan(timespan);
  const objects = exceptions?.map(exceptionOf) ?? null;
  const problems = [
    ...(threshold != null && threshold < 1 ? ['threshold must be above 0'] : []),
    ...(timespan != null && span === null ? ['timespan must be a number and s, m, h or d'] : []),
    ...(severity != null && !SEVERITIES.includes(severity as Severity)
      ? [`severity must be one of ${SEVERITIES.join(', ')}`]
      : []),
    ...(dedupMinutes != null && (dedupMinutes < 1 || dedupMinutes > 10_080)
      ? ['dedupMinutes must be from 1 to 10080']
      : []),
    ...(objects?.includes(null) ? ['exceptions must be JSON objects of texts by field'] : []),
    ...((objects?.length ?? 0) > 100 ? ['there are at most 100 exceptions'] : []),
  ];
  if (problems.length > 0) throw invalid(`${problems.join('; ')}.`);
  const tuning: Tuning = {
    ...(threshold != null && { threshold }),
    ...(span !== null && { timespanMs: span / 1_000 }),
    ...(severity != null && { severity: severity as Severity }),
    ...(dedupMinutes != null && { dedupMinutes }),
    ...(objects && objects.length > 0 && { exceptions: objects.filter((one) => one !== null) }),
  };
  return Object.keys(tuning).length === 0 ? null : tuning;
}

function exceptionOf(json: string): Record<string, string> | null {
  try {
    const value: unknown = JSON.parse(json);
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return null;
    const entries = Object.entries(value);
    return entries.length > 0 && entries.every(([, one]) => typeof one === 'string')
      ? (Object.fromEntries(entries) as Record<string, string>)
      : null;
  } catch {
    return null;
  }
}
