import type { AccessRule } from '../../caller/principal';

/** The export answers with a stream and is no root field, but the rules for root fields hold for it. */
export const EXPORT_OPERATION = 'exportAuditActivity';
export const EXPORT_RULE = {
  principal: 'public',
  scope: 'read:audit-activity',
} as const satisfies AccessRule;
