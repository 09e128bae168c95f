/** The access rule for reading alerts and rules outside the public routes. */
export const READ_ALERTS = {
  principal: 'public',
  scope: 'read:alerts',
  via: 'session',
  operators: true,
} as const;
/** The access rule for working on alerts and rules. */
export const WORK_ALERTS = { principal: 'public', scope: 'work:alerts', operators: true } as const;
