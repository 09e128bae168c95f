import type { RuleSource } from '../../../rules/host';
import type { DetectionTally } from '../base/tally';
import type { RuleAbouts } from '../rules/rule-abouts';
import type { ShippedRule } from '../rules/shipped-rules';

const SHOWN_MAX = 5;

/** What an alert says of rules that find nothing. @param rules their titles or ids */
export function refusedText(rules: readonly string[]): string {
  const more = rules.length > SHOWN_MAX ? [`and ${rules.length - SHOWN_MAX} more`] : [];
  return `Rules find nothing, since this release cannot read them as the tenant has them: ${[...rules.slice(0, SHOWN_MAX), ...more].join('; ')}`;
}

/**
 * Counts and tells of a tenant's own and tuned rules that this release cannot read, as after an upgrade that changed what
 * a rule may be tuned in. Shipped rules are checked at the start.
 */
export async function countRefused(
  of: {
    readonly shipped: ReadonlyMap<string, ShippedRule>;
    readonly tally: DetectionTally;
    readonly abouts: RuleAbouts;
    readonly onRefused?: ((tenantId: number, rules: readonly string[]) => Promise<unknown>) | undefined;
  },
  tenantId: number,
  revision: number,
  rules: readonly RuleSource[],
): Promise<void> {
  const { shipped, tally, abouts, onRefused } = of;
  if (tally.refusedRules.get(tenantId)?.revision === revision) return;
  const given = rules.filter(({ ruleId, tuning }) => tuning !== null || !shipped.has(ruleId));
  const refused: string[] = [];
  for (const { ruleId, source, tuning } of given) {
    const about = await abouts.of({ ruleId, source, tuning: tuning && JSON.stringify(tuning) }, []);
    if (about === null) refused.push(shipped.get(ruleId)?.rule.title ?? ruleId);
  }
  if (refused.length > 0) await onRefused?.(tenantId, refused);
  tally.refusedRules.set(tenantId, { revision, count: refused.length });
}
