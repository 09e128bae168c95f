import { Mutation, Query, Resolver } from 'type-graphql';
import { attemptOf, type Call } from '../../../caller/call';
import type { CallTenants } from '../../../caller/call-tenants';
import { refusal } from '../../../errors';
import type { ParameterValues } from '../../../event/parameter-specs';
import { Access } from '../../../graphql/access';
import { Takes } from '../../../graphql/arguments';
import { objectType } from '../../../graphql/object-type';
import { conflict } from '../../../problem';
import { WORK_ALERTS } from '../base/operations';
import { BACKTEST_PARAMETERS, TEST_RULE } from '../base/parameters';
import { BACKTEST } from '../base/work-answers';
import type { RuleStore } from '../rules/rule.store';
import { masksOf, refuseHiddenTuning, toTuning } from '../rules/tuning';
import type { BacktestStore } from './backtest.store';

const BacktestType = objectType(BACKTEST);

/** Starts backtests of rules, and shows how far they have come. */
@Resolver()
export class BacktestResolver {
  constructor(
    private readonly parts: {
      readonly rules: RuleStore;
      readonly backtests: BacktestStore;
      readonly tenants: CallTenants;
    },
  ) {}

  @Mutation(() => BacktestType, {
    description: 'Starts a backtest: what a rule would have found in the last days.',
  })
  @Access(WORK_ALERTS)
  @Takes(TEST_RULE)
  async testRule({ tenantId, ruleId, source, days, tuning }: ParameterValues<typeof TEST_RULE>, call: Call) {
    if ((ruleId === undefined) === (source === undefined))
      throw refusal([conflict('ruleId', 'Give either ruleId or source')]);
    if (ruleId === undefined && tuning !== undefined)
      throw refusal([conflict('tuning', 'tuning is of a rule: give it with ruleId')]);
    const tenant = await this.parts.tenants.one(call, tenantId);
    const masks = masksOf(call, tenant);
    const tuned = tuning && toTuning(tuning);
    refuseHiddenTuning(tuned ?? null, 'tuning', masks);
    const rule =
      ruleId === undefined
        ? await this.parts.rules.runnableFile(tenant, source ?? '', { masks })
        : await this.parts.rules.runnable(tenant, ruleId, tuned);
    return this.parts.backtests.begin(tenant, rule, days, attemptOf(call));
  }

  @Query(() => BacktestType, { description: 'A backtest: its progress and its findings.' })
  @Access({ ...WORK_ALERTS, via: 'session' })
  @Takes(BACKTEST_PARAMETERS)
  async backtest({ backtestId, tenantId }: ParameterValues<typeof BACKTEST_PARAMETERS>, call: Call) {
    const tenants = await this.parts.tenants.of(call, tenantId);
    return this.parts.backtests.find(tenants, backtestId);
  }
}
