import { Mutation, Query, Resolver } from 'type-graphql';
import { attemptOf, type Call } from '../../../caller/call';
import type { CallTenants } from '../../../caller/call-tenants';
import { askerOf } from '../../../caller/principal';
import type { FairShare } from '../../../caller/rate-limit/fair-share';
import type { ParameterValues } from '../../../event/parameter-specs';
import { Access } from '../../../graphql/access';
import { Takes } from '../../../graphql/arguments';
import { inTurn } from '../../../graphql/change-turns';
import { objectType } from '../../../graphql/object-type';
import { READ_ALERTS, WORK_ALERTS } from '../base/operations';
import {
  IMPORT_RULES,
  OF_RULE,
  OF_TENANT,
  RULE_COVERAGE_OF,
  SET_RULE_ENABLED,
  TUNE_RULE,
} from '../base/parameters';
import { DETECTION_RULE, RULE_COVERAGE } from '../base/work-answers';
import type { RuleStore } from './rule.store';
import type { AuditCoverage } from './sight';
import { masksOf, refuseHiddenTuning, toTuning } from './tuning';

const RuleType = objectType(DETECTION_RULE);
const CoverageType = objectType(RULE_COVERAGE);

/** The rules of a tenant: import, state and tuning. */
@Resolver()
export class RuleResolver {
  constructor(
    private readonly parts: {
      readonly rules: RuleStore;
      readonly tenants: CallTenants;
      readonly changes: Pick<FairShare, 'run'>;
      readonly coverage: AuditCoverage;
    },
  ) {}

  @Query(() => [RuleType], {
    description: 'The rules of a tenant: those shipped, then its own, then its filters.',
  })
  @Access(READ_ALERTS)
  @Takes(OF_TENANT)
  async detectionRules({ tenantId }: ParameterValues<typeof OF_TENANT>, call: Call) {
    const tenant = await this.parts.tenants.one(call, tenantId);
    // Listing parses whole files, so it takes a turn.
    return inTurn(this.parts.changes, call, () => this.parts.rules.list(tenant));
  }

  @Query(() => [CoverageType], {
    description:
      'Where each rule of a tenant sees what it looks for, as the audits of the servers are configured.',
  })
  @Access(READ_ALERTS)
  @Takes(RULE_COVERAGE_OF)
  async ruleCoverage({ tenantId, serverInstanceName }: ParameterValues<typeof RULE_COVERAGE_OF>, call: Call) {
    const { tenants, rules, coverage, changes } = this.parts;
    const tenant = await tenants.one(call, tenantId);
    const asker = call.principal.kind === 'operator' ? null : askerOf(call);
    const instances = await coverage.instances(asker, tenant, serverInstanceName);
    return inTurn(changes, call, () => rules.coverage(tenant, coverage, instances));
  }

  @Mutation(() => [RuleType], {
    description: 'Adds the rules and filters of a Sigma file, or replaces those of the same ids.',
  })
  @Access(WORK_ALERTS)
  @Takes(IMPORT_RULES)
  async importRules({ tenantId, source }: ParameterValues<typeof IMPORT_RULES>, call: Call) {
    const tenant = await this.parts.tenants.one(call, tenantId);
    return this.parts.rules.import(tenant, source, attemptOf(call), { masks: masksOf(call, tenant) });
  }

  @Mutation(() => RuleType, { description: 'Enables or disables a rule.' })
  @Access(WORK_ALERTS)
  @Takes(SET_RULE_ENABLED)
  async setRuleEnabled({ tenantId, ruleId, enabled }: ParameterValues<typeof SET_RULE_ENABLED>, call: Call) {
    return this.parts.rules.setEnabled(
      await this.parts.tenants.one(call, tenantId),
      ruleId,
      enabled,
      attemptOf(call),
    );
  }

  @Mutation(() => RuleType, {
    description: 'Removes a rule or filter of the tenant, and returns it. Its findings stay.',
  })
  @Access(WORK_ALERTS)
  @Takes(OF_RULE)
  async removeRule({ tenantId, ruleId }: ParameterValues<typeof OF_RULE>, call: Call) {
    return this.parts.rules.remove(await this.parts.tenants.one(call, tenantId), ruleId, attemptOf(call));
  }

  @Mutation(() => RuleType, {
    description: 'Tunes a rule for a tenant. Settings that are not given are as in the file.',
  })
  @Access(WORK_ALERTS)
  @Takes(TUNE_RULE)
  async tuneRule({ tenantId, ruleId, ...given }: ParameterValues<typeof TUNE_RULE>, call: Call) {
    const tuning = toTuning(given);
    const tenant = await this.parts.tenants.one(call, tenantId);
    refuseHiddenTuning(tuning, 'exceptions', masksOf(call, tenant));
    return this.parts.rules.tune(tenant, ruleId, tuning, attemptOf(call));
  }
}
