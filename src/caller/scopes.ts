/** Every scope a key can be granted. Those coming soon permit nothing yet: their endpoints do not exist. */
export const SCOPES = {
  'read:audit-activity': {
    permits: 'GET /audit-activity, GET /audit-activity/{recordId}, GET /audit-activity/summary',
    status: 'Active',
  },
  'read:alerts': { permits: 'Alerts endpoints', status: 'Coming soon' },
  'read:findings': { permits: 'Findings endpoints', status: 'Coming soon' },
  'read:compliance': { permits: 'Compliance health endpoints', status: 'Coming soon' },
  'read:reports': { permits: 'Report generation', status: 'Coming soon' },
} as const;

export type Scope = keyof typeof SCOPES;
export const SCOPE_NAMES = Object.keys(SCOPES) as Scope[];
export const isScope = (text: string): text is Scope => Object.hasOwn(SCOPES, text);
