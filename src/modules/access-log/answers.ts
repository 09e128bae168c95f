import type { Shape } from '../../event/shape';

export const ACCESS_LOG_ENTRY = {
  name: 'AccessLogEntry',
  doc: 'One call: who did what, and its outcome.',
  fields: {
    entryId: { kind: 'id' },
    at: { kind: 'time' },
    principalKind: { kind: 'text', doc: 'public, agent or operator; service: the service itself.' },
    keyId: { kind: 'text', nullable: true },
    keyName: { kind: 'text', nullable: true },
    userName: {
      kind: 'text',
      nullable: true,
      doc: 'The person who had signed in. Null: the call had only a key.',
    },
    entrance: { kind: 'text', doc: 'rest, graphql, mcp, dashboard or service.' },
    operation: { kind: 'text' },
    parameters: {
      kind: 'text',
      doc: 'JSON, as the caller gave it. `{"cut": …}` holds the beginning of parameters that are too long to be kept.',
    },
    subject: { kind: 'text', nullable: true, doc: 'Id of the key or tenant made or changed.' },
    tenantIds: { kind: 'text', isList: true },
    rows: {
      kind: 'integer',
      nullable: true,
      doc: 'Objects returned or changed. Null: the call was refused or failed.',
    },
    outcome: { kind: 'text', doc: 'ok, or an error code.' },
    requestId: { kind: 'text' },
    address: { kind: 'text' },
  },
} as const satisfies Shape;

export const ACCESS_LOG_PAGE = {
  name: 'AccessLogPage',
  fields: {
    entries: { kind: 'object', isList: true, of: ACCESS_LOG_ENTRY },
    endCursor: { kind: 'id', nullable: true, doc: 'The value of `after` for the next page.' },
    hasNextPage: { kind: 'boolean' },
  },
} as const satisfies Shape;
