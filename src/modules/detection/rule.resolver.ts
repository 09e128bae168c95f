import { GraphQLInt, GraphQLString } from 'graphql';
import { Arg, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { attemptOf, type Call } from '../../caller/call';
import { SEVERITIES, type Severity, type Tuning } from '../../detection/rule';
import { parseSpan } from '../../detection/sigma/correlation';
import { Access } from '../../graphql/access';
import { objectType } from '../../graphql/object-type';
import { LIMITS } from '../../limits';
import type { BacktestStore } from './backtest.store';
import {
  type CallTenants,
  type Given,
  idOf,
  invalid,
  MAYBE,
  READ_ALERTS,
  text,
  WORK_ALERTS,
} from './operations';
import type { RuleStore } from './rule.store';
import { BACKTEST, DETECTION_RULE } from './work-answers';

const RuleType = objectType(DETECTION_RULE);
const BacktestType = objectType(BACKTEST);

/** The rules of a tenant: import, tuning and backtests. */
@Resolver()
export class RuleResolver {
  constructor(
    private readonly parts: {
      readonly rules: RuleStore;
      readonly backtests: BacktestStore;
      readonly tenants: CallTenants;
    },
  ) {}

  @Query(() => [RuleType], {
    description: 'The rules of a tenant: those shipped, then its own, then its filters.',
  })
  @Access(READ_ALERTS)
  async detectionRules(@Arg('tenantId', text) tenantId: string, @Ctx() call: Call) {
    return this.parts.rules.list(await this.parts.tenants.one(call, tenantId));
  }

  @Mutation(() => [RuleType], {
    description: 'Adds the rules and filters of a Sigma file, or replaces those of the same ids.',
  })
  @Access(WORK_ALERTS)
  async importRules(
    @Arg('tenantId', text) tenantId: string,
    @Arg('source', text) source: string,
    @Ctx() call: Call,
  ) {
    return this.parts.rules.import(await this.parts.tenants.one(call, tenantId), source, attemptOf(call));
  }

  @Mutation(() => RuleType, { description: 'Switches a rule on or off.' })
  @Access(WORK_ALERTS)
  async setRuleEnabled(
    @Arg('tenantId', text) tenantId: string,
    @Arg('ruleId', text) ruleId: string,
    @Arg('enabled') enabled: boolean,
    @Ctx() call: Call,
  ) {
    return this.parts.rules.setEnabled(
      await this.parts.tenants.one(call, tenantId),
      idOf(ruleId),
      enabled,
      attemptOf(call),
    );
  }

  @Mutation(() => RuleType, {
    description: 'Ends a rule or filter of the tenant; what it found stays. Answers what it was.',
  })
  @Access(WORK_ALERTS)
  async removeRule(
    @Arg('tenantId', text) tenantId: string,
    @Arg('ruleId', text) ruleId: string,
    @Ctx() call: Call,
  ) {
    return this.parts.rules.remove(
      await this.parts.tenants.one(call, tenantId),
      idOf(ruleId),
      attemptOf(call),
    );
  }

  @Mutation(() => RuleType, {
    description:
      'Sets threshold, time, severity and exceptions of a rule for a tenant. What is not given is as in the file.',
  })
  @Access(WORK_ALERTS)
  async tuneRule(
    @Arg('tenantId', text) tenantId: string,
    @Arg('ruleId', text) ruleId: string,
    @Arg('threshold', () => GraphQLInt, MAYBE) threshold: Given<number>,
    @Arg('timespan', text, { nullable: true, description: 'For example 15m.' }) timespan: Given<string>,
    @Arg('severity', text, MAYBE) severity: Given<string>,
    @Arg('dedupMinutes', () => GraphQLInt, MAYBE) dedupMinutes: Given<number>,
    @Arg('exceptions', () => [GraphQLString], {
      nullable: true,
      description: 'JSON objects of values by field: an event that has all of one is left out.',
    })
    exceptions: Given<string[]>,
    @Ctx() call: Call,
  ) {
    const tuning = toTuning({ threshold, timespan, severity, dedupMinutes, exceptions });
    return this.parts.rules.tune(
      await this.parts.tenants.one(call, tenantId),
      idOf(ruleId),
      tuning,
      attemptOf(call),
    );
  }

  @Mutation(() => BacktestType, {
    description: 'Starts to look for what a rule would have found over the last days.',
  })
  @Access(WORK_ALERTS)
  async testRule(
    @Arg('tenantId', text) tenantId: string,
    @Arg('ruleId', text, MAYBE) ruleId: Given<string>,
    @Arg('source', text, { nullable: true, description: 'A Sigma file, in place of a rule.' })
    source: Given<string>,
    @Arg('days', () => GraphQLInt, { defaultValue: 7 }) days: number,
    @Ctx() call: Call,
  ) {
    const tenant = await this.parts.tenants.one(call, tenantId);
    if (days < 1 || days > LIMITS.backtestDaysMax)
      throw invalid(`days must be from 1 to ${LIMITS.backtestDaysMax}.`);
    if ((ruleId == null) === (source == null)) throw invalid('Give either ruleId or source.');
    const rule =
      ruleId != null
        ? await this.parts.rules.runnable(tenant, idOf(ruleId))
        : await this.parts.rules.runnableFile(tenant, source ?? '');
    return this.parts.backtests.begin(tenant, rule, days, attemptOf(call));
  }

  @Query(() => BacktestType, { description: 'How far a backtest is.' })
  @Access({ ...WORK_ALERTS, via: 'session' })
  async backtest(
    @Arg('backtestId', text) backtestId: string,
    @Arg('tenantId', text, {
      nullable: true,
      description: 'Whose it is. Without it all tenants of the caller are asked.',
    })
    tenantId: Given<string>,
    @Ctx() call: Call,
  ) {
    return this.parts.backtests.find(await this.parts.tenants.of(call, tenantId), idOf(backtestId));
  }
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
