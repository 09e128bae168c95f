import type { AccessRule } from '../../caller/principal';

/** The tail is no root field: its events are written as they are read. What holds for one holds for it. */
export const TAIL_OPERATION = 'tailAuditActivity';
export const TAIL_RULE = {
  principal: 'public',
  scope: 'read:audit-activity',
} as const satisfies AccessRule;
