import { GraphQLInt } from 'graphql';
import { Arg, Args, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { attemptOf, type Call } from '../../caller/call';
import type { FairShare } from '../../caller/rate-limit/fair-share';
import { Access } from '../../graphql/access';
import { inTurn } from '../../graphql/change-turns';
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
import { GivenTuning, toTuning } from './tuning';
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
      readonly changes: Pick<FairShare, 'run'>;
    },
  ) {}

  @Query(() => [RuleType], {
    description: 'The rules of a tenant: those shipped, then its own, then its filters.',
  })
  @Access(READ_ALERTS)
  async detectionRules(@Arg('tenantId', text) tenantId: string, @Ctx() call: Call) {
    const tenant = await this.parts.tenants.one(call, tenantId);
    // Listing parses whole files, so it takes a turn.
    return inTurn(this.parts.changes, call, () => this.parts.rules.list(tenant));
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

  @Mutation(() => RuleType, { description: 'Enables or disables a rule.' })
  @Access(WORK_ALERTS)
  async setRuleEnabled(
    @Arg('tenantId', text) tenantId: string,
    @Arg('ruleId', text) ruleId: string,
    @Arg('enabled') enabled: boolean,
    @Ctx() call: Call,
  ) {
    return this.parts.rules.setEnabled(
      await this.parts.tenants.one(call, tenantId),
      idOf('ruleId', ruleId),
      enabled,
      attemptOf(call),
    );
  }

  @Mutation(() => RuleType, {
    description: 'Removes a rule or filter of the tenant, and returns it. Its findings stay.',
  })
  @Access(WORK_ALERTS)
  async removeRule(
    @Arg('tenantId', text) tenantId: string,
    @Arg('ruleId', text) ruleId: string,
    @Ctx() call: Call,
  ) {
    return this.parts.rules.remove(
      await this.parts.tenants.one(call, tenantId),
      idOf('ruleId', ruleId),
      attemptOf(call),
    );
  }

  @Mutation(() => RuleType, {
    description: 'Tunes a rule for a tenant. Settings that are not given are as in the file.',
  })
  @Access(WORK_ALERTS)
  async tuneRule(
    @Arg('tenantId', text) tenantId: string,
    @Arg('ruleId', text) ruleId: string,
    @Args(() => GivenTuning) given: GivenTuning,
    @Ctx() call: Call,
  ) {
    const tuning = toTuning(given);
    return this.parts.rules.tune(
      await this.parts.tenants.one(call, tenantId),
      idOf('ruleId', ruleId),
      tuning,
      attemptOf(call),
    );
  }

  @Mutation(() => BacktestType, {
    description: 'Starts a backtest: what a rule would have found in the last days.',
  })
  @Access(WORK_ALERTS)
  async testRule(
    @Arg('tenantId', text) tenantId: string,
    @Arg('ruleId', text, MAYBE) ruleId: Given<string>,
    @Arg('source', text, {
      nullable: true,
      description: 'A Sigma file to test in place of a rule of the tenant.',
    })
    source: Given<string>,
    @Arg('days', () => GraphQLInt, { defaultValue: 7 }) days: number,
    @Arg('tuning', () => GivenTuning, {
      nullable: true,
      description: "Tuning to test in place of the tenant's. Not given: the rule is tested as it is.",
    })
    tuning: Given<GivenTuning>,
    @Ctx() call: Call,
  ) {
    const tenant = await this.parts.tenants.one(call, tenantId);
    if (days < 1 || days > LIMITS.backtestDaysMax)
      throw invalid(`days must be from 1 to ${LIMITS.backtestDaysMax}.`);
    if ((ruleId == null) === (source == null)) throw invalid('Give either ruleId or source.');
    if (ruleId == null && tuning != null) throw invalid('tuning is of a rule: give it with ruleId.');
    const rule =
      ruleId != null
        ? await this.parts.rules.runnable(
            tenant,
            idOf('ruleId', ruleId),
            tuning ? toTuning(tuning) : undefined,
          )
        : await this.parts.rules.runnableFile(tenant, source ?? '');
    return this.parts.backtests.begin(tenant, rule, days, attemptOf(call));
  }

  @Query(() => BacktestType, { description: 'A backtest: its progress and its findings.' })
  @Access({ ...WORK_ALERTS, via: 'session' })
  async backtest(
    @Arg('backtestId', text) backtestId: string,
    @Arg('tenantId', text, {
      nullable: true,
      description: 'Tenant of the backtest. Null: the service looks in all tenants of the caller.',
    })
    tenantId: Given<string>,
    @Ctx() call: Call,
  ) {
    const tenants = await this.parts.tenants.of(call, tenantId);
    return this.parts.backtests.find(tenants, idOf('backtestId', backtestId));
  }
}
