import { DomainError } from '../../../errors';
import { LIMITS } from '../../../limits';
import { filtersOf, type RuleRow, type TenantRule } from './tenant-rules';

export const refused = (text: string) => new DomainError('invalid_parameter', { public: text });

/**
 * Checks the bounds of a tenant's own rules and filters. Each event meets all of them, and each filter once for every
 * rule that it narrows.
 * @throws DomainError `invalid_parameter`
 */
export async function checkOwnRules(rows: readonly RuleRow[], rules: readonly TenantRule[]): Promise<void> {
  const own = rules.filter(({ isShipped }) => !isShipped);
  const filters = filtersOf(rows);
  if (own.length + filters.length > LIMITS.ownRulesMax)
    throw refused(`A tenant has at most ${LIMITS.ownRulesMax} rules of its own, filters counted too.`);
  let [chars, cost] = [0, 0];
  for (const { source } of [...own, ...filters]) chars += source.length;
  for (const rule of rules) {
    for (const { source } of rule.filters) chars += source.length;
    if (rule.isShipped && rule.filters.length === 0) continue;
    const about = await rule.about();
    cost += (rule.isShipped ? about?.filterCost : about?.cost) ?? 0;
  }
  if (chars > LIMITS.ownRulesCharsMax)
    throw refused(
      `The rules of a tenant's own have at most ${LIMITS.ownRulesCharsMax} characters, a filter counted with each rule that it narrows.`,
    );
  if (cost > LIMITS.ownRulesCostMax)
    throw refused(
      'The rules of a tenant have too many values, or too large regular expressions, to look at each event with them: ' +
        `they come to ${cost} with this file, and may come to ${LIMITS.ownRulesCostMax}.`,
    );
}
