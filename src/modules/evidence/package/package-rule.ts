import type { AccessRule } from '../../../caller/principal';

/** A package is a stream and no root field, but the rules for root fields hold for it. */
export const PACKAGE_OPERATION = 'makeEvidencePackage';
export const PACKAGE_RULE = {
  principal: 'public',
  scope: 'read:audit-activity',
} as const satisfies AccessRule;
