import type { RuleFieldsFragment } from '../../generated/operations';

/** A rule as a tenant has it. */
export type Rule = RuleFieldsFragment;
