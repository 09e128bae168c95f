import type { RuleFieldsFragment } from '../../generated/operations';

/** A rule of a tenant, with its tuning. */
export type Rule = RuleFieldsFragment;
