import type { RuleSource } from '../../../rules/host';
import type { DetectionTally } from '../base/tally';
import type { RuleAbouts } from '../rules/rule-abouts';
import type { ShippedRule } from '../rules/shipped-rules';

/** Counts a tenant's own and tuned rules that this release cannot read. Shipped rules are checked at the start. */
export async function countRefused(
  of: {
    readonly shipped: ReadonlyMap<string, ShippedRule>;
    readonly tally: DetectionTally;
    readonly abouts: RuleAbouts;
  },
  tenantId: number,
  revision: number,
  rules: readonly RuleSource[],
): Promise<void> {
  const { shipped, tally, abouts } = of;
  if (tally.refusedRules.get(tenantId)?.revision === revision) return;
  const given = rules.filter(({ ruleId, tuning }) => tuning !== null || !shipped.has(ruleId));
  let count = 0;
  for (const { ruleId, source, tuning } of given) {
    const about = await abouts.of({ ruleId, source, tuning: tuning && JSON.stringify(tuning) }, []);
    count += Number(about === null);
  }
  tally.refusedRules.set(tenantId, { revision, count });
}
