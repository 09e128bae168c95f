import type { AccessRule } from '../../caller/principal';

/** The tail writes its events while it reads them and is no root field, but the rules for root fields hold for it. */
export const TAIL_OPERATION = 'tailAuditActivity';
export const TAIL_RULE = {
  principal: 'public',
  scope: 'read:audit-activity',
} as const satisfies AccessRule;
