/** Fields of the summary: GraphQL, REST and OpenAPI are made of these. */
export const SUMMARY_FIELDS = {
  totalCount: { kind: 'integer', doc: 'Audit events in the time range.' },
  successfulCount: { kind: 'integer', doc: 'Events whose action succeeded.' },
  failedCount: { kind: 'integer', doc: 'Events whose action failed or was denied.' },
  distinctDatabases: { kind: 'integer', doc: 'Distinct databases with activity.' },
  distinctPrincipals: { kind: 'integer', doc: 'Distinct SQL logins with activity.' },
  latestEventTime: { kind: 'time', doc: 'Time of the most recent event; null when there is none.' },
} as const;
