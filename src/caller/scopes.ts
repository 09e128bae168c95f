interface ScopeSpec {
  readonly permits: string;
  readonly status: 'Active' | 'Coming soon';
  /**
   * Whether a person who signs in as an analyst has the scope. `claimed`: only if the role claim contains the name of
   * the scope. Every scope must state this, so that a new scope is not granted by default.
   */
  readonly ofAnalysts: boolean | 'claimed';
}

/** Every scope a key can be granted. */
export const SCOPES = {
  'read:audit-activity': {
    permits: 'GET /audit-activity, GET /audit-activity/{recordId}, GET /audit-activity/summary',
    status: 'Active',
    ofAnalysts: true,
  },
  'read:alerts': {
    permits: 'GET /alerts, GET /alerts/{alertId}',
    status: 'Active',
    ofAnalysts: 'claimed',
  },
  'read:findings': {
    permits: 'GET /findings, GET /findings/{findingId}',
    status: 'Active',
    ofAnalysts: 'claimed',
  },
  'work:alerts': {
    permits: 'Acknowledging, assigning, resolving and suppressing alerts, in the dashboard and over GraphQL',
    status: 'Active',
    ofAnalysts: 'claimed',
  },
  'read:compliance': {
    permits: 'Compliance health endpoints',
    status: 'Active',
    ofAnalysts: 'claimed',
  },
  unmask: {
    permits: 'Statements with their literals, where a tenant masks them for others, each use is logged',
    status: 'Active',
    ofAnalysts: 'claimed',
  },
  'read:reports': {
    permits: 'Reports: the catalogue, making runs, and reading their files',
    status: 'Active',
    ofAnalysts: 'claimed',
  },
} as const satisfies Record<string, ScopeSpec>;

export type Scope = keyof typeof SCOPES;
/** Also needed for the part of an answer that tells of alerts. */
export const READ_ALERTS_SCOPE: Scope = 'read:alerts';
/** Also needed by whoever writes about an event. */
export const READ_EVENTS_SCOPE: Scope = 'read:audit-activity';
export const SCOPE_NAMES = Object.keys(SCOPES) as Scope[];
export const isScope = (text: string): text is Scope => Object.hasOwn(SCOPES, text);
