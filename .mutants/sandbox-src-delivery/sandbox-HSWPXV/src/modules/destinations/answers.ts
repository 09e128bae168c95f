import type { Shape } from '../../event/shape';

export const DESTINATION = {
  name: 'Destination',
  doc: 'Where events of a tenant are sent, and how far it has come.',
  fields: {
    destinationId: { kind: 'id' },
    tenantId: { kind: 'text' },
    name: { kind: 'text' },
    type: { kind: 'text', doc: 'webhook, splunk-hec, elasticsearch, s3, syslog or relp.' },
    url: { kind: 'text', doc: 'Without its query, which is kept secret.' },
    state: { kind: 'text', doc: 'active, failing (it is tried again) or paused.' },
    lagEvents: { kind: 'count', doc: 'Positions of the log that it has not passed.' },
    lagSeconds: { kind: 'decimal', doc: 'Since nothing was left to send; 0 while nothing is.' },
    delivered: { kind: 'count', doc: 'Events that the receiver took.' },
    lastError: { kind: 'text', nullable: true },
    lastErrorAt: { kind: 'time', nullable: true },
    lastSuccessAt: { kind: 'time', nullable: true },
    attempts: { kind: 'integer', doc: 'Failed since the last success.' },
    nextAttemptAt: { kind: 'time', nullable: true },
    failures: { kind: 'count', doc: 'Attempts that failed, in all.' },
    setAside: { kind: 'integer', doc: 'Events that it refused while it took their neighbours.' },
    behindRetention: { kind: 'count', doc: 'Events that retention removed before they were delivered.' },
    overtakenAt: { kind: 'time', nullable: true, doc: 'When that was last found.' },
    position: { kind: 'text', doc: 'Of the log: the first event that is not delivered.' },
    filter: { kind: 'text', doc: 'Empty: every event.' },
    format: { kind: 'text' },
    settings: { kind: 'values', doc: 'Of its type; nothing secret.' },
    publicKey: { kind: 'text', nullable: true, doc: 'Of a webhook signed by v1a: verifies its signatures.' },
    createdAt: { kind: 'time' },
  },
} as const satisfies Shape;

const SECRET = {
  secret: { kind: 'text', nullable: true, doc: 'Of a webhook signed by v1. It is not shown again.' },
  publicKey: DESTINATION.fields.publicKey,
} as const;

export const CREATED_DESTINATION = {
  name: 'CreatedDestination',
  fields: { destinationId: { kind: 'id' }, ...SECRET },
} as const satisfies Shape;

export const ROTATED_SECRET = {
  name: 'RotatedSecret',
  doc: 'What messages are signed with from now on.',
  fields: {
    destinationId: { kind: 'id' },
    ...SECRET,
    overlapEndsAt: {
      kind: 'time',
      nullable: true,
      doc: 'Until then messages bear the signature of the old one as well. Null: there was none.',
    },
  },
} as const satisfies Shape;

export const DESTINATION_TEST = {
  name: 'DestinationTest',
  doc: 'What became of a test.',
  fields: { accepted: { kind: 'boolean' }, message: { kind: 'text', nullable: true } },
} as const satisfies Shape;

export const SET_ASIDE_EVENT = {
  name: 'SetAsideEvent',
  doc: 'An event that a destination refused while it took its neighbours.',
  fields: {
    position: { kind: 'text' },
    recordId: { kind: 'id' },
    message: { kind: 'text', doc: 'What the receiver said.' },
    at: { kind: 'time' },
  },
} as const satisfies Shape;
