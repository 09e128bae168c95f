import type { Shape } from '../../event/shape';

export const ACCESS_LOG_ENTRY = {
  name: 'AccessLogEntry',
  doc: 'Who did what with the service.',
  fields: {
    entryId: { kind: 'id' },
    at: { kind: 'time' },
    principalKind: { kind: 'text', doc: 'public, agent or operator; service: what it does by itself.' },
    keyId: { kind: 'text', nullable: true },
    keyName: { kind: 'text', nullable: true },
    userName: { kind: 'text', nullable: true, doc: 'Who had signed in. Null: a key alone.' },
    entrance: { kind: 'text', doc: 'rest, graphql, dashboard or service.' },
    operation: { kind: 'text' },
    parameters: {
      kind: 'text',
      doc: 'JSON, as given; `{"cut": …}` holds the beginning of what is too long to be kept.',
    },
    subject: { kind: 'text', nullable: true, doc: 'Id of the key or tenant made or changed.' },
    tenantIds: { kind: 'text', isList: true },
    rows: {
      kind: 'integer',
      nullable: true,
      doc: 'Objects handed over or changed. Null: none, as it was refused or failed.',
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
    endCursor: { kind: 'id', nullable: true, doc: 'To be given as `after` for the next page.' },
    hasNextPage: { kind: 'boolean' },
  },
} as const satisfies Shape;
