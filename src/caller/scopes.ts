interface ScopeSpec {
  readonly permits: string;
  readonly status: 'Active' | 'Coming soon';
  /** Whether whoever signs in as an analyst has it. Each scope says so itself: none is granted by being new. */
  readonly ofAnalysts: boolean;
}

/** Every scope a key can be granted. Those coming soon permit nothing yet: their endpoints do not exist. */
export const SCOPES = {
  'read:audit-activity': {
    permits: 'GET /audit-activity, GET /audit-activity/{recordId}, GET /audit-activity/summary',
    status: 'Active',
    ofAnalysts: true,
  },
  'read:alerts': { permits: 'Alerts endpoints', status: 'Coming soon', ofAnalysts: false },
  'read:findings': { permits: 'Findings endpoints', status: 'Coming soon', ofAnalysts: false },
  'read:compliance': { permits: 'Compliance health endpoints', status: 'Coming soon', ofAnalysts: false },
  'read:reports': { permits: 'Report generation', status: 'Coming soon', ofAnalysts: false },
} as const satisfies Record<string, ScopeSpec>;

export type Scope = keyof typeof SCOPES;
export const SCOPE_NAMES = Object.keys(SCOPES) as Scope[];
export const isScope = (text: string): text is Scope => Object.hasOwn(SCOPES, text);
