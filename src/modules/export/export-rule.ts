import type { AccessRule } from '../../caller/principal';

/** The export is no root field: it answers with a stream. What holds for one holds for it. */
export const EXPORT_OPERATION = 'exportAuditActivity';
export const EXPORT_RULE = {
  principal: 'public',
  scope: 'read:audit-activity',
} as const satisfies AccessRule;
