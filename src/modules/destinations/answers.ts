import type { Shape } from '../../event/shape';

export const DESTINATION = {
  name: 'Destination',
  doc: "A receiver of a tenant's events, and the state of its delivery.",
  fields: {
    destinationId: { kind: 'id' },
    tenantId: { kind: 'text' },
    name: { kind: 'text' },
    type: { kind: 'text', doc: 'webhook, splunk-hec, elasticsearch, s3, azure-monitor, syslog or relp.' },
    url: { kind: 'text', doc: 'Without the query string, which is secret.' },
    state: { kind: 'text', doc: 'active, failing (the service retries) or paused.' },
    pauseReason: {
      kind: 'text',
      nullable: true,
      doc: 'Why the service sends nothing: after a restore, or in a drill. Null: the service sends.',
    },
    lagEvents: { kind: 'count', doc: 'Positions of the log that delivery has not passed yet.' },
    lagSeconds: {
      kind: 'decimal',
      doc: 'Seconds since everything was delivered; 0 while nothing is left to send.',
    },
    delivered: { kind: 'count', doc: 'Events that the receiver accepted.' },
    lastError: { kind: 'text', nullable: true },
    lastErrorAt: { kind: 'time', nullable: true },
    lastSuccessAt: { kind: 'time', nullable: true },
    attempts: { kind: 'integer', doc: 'Failed attempts since the last success.' },
    nextAttemptAt: { kind: 'time', nullable: true },
    failures: { kind: 'count', doc: 'Failed attempts in total.' },
    setAside: {
      kind: 'integer',
      doc: 'Events that the receiver refused while it accepted others of the same message.',
    },
    behindRetention: { kind: 'count', doc: 'Events that retention removed before they were delivered.' },
    overtakenAt: { kind: 'time', nullable: true, doc: 'When the service last found such events.' },
    position: { kind: 'text', doc: 'Position in the log of the first event that is not delivered.' },
    filter: { kind: 'text', doc: 'Empty: every event.' },
    format: { kind: 'text' },
    settings: { kind: 'values', doc: 'Settings of its type, without secrets.' },
    publicKey: {
      kind: 'text',
      nullable: true,
      doc: 'For a webhook with signature v1a: the key that verifies its signatures.',
    },
    createdAt: { kind: 'time' },
  },
} as const satisfies Shape;

export const DESTINATION_FIELD = {
  name: 'DestinationField',
  doc: 'A setting or a secret of a type of destinations.',
  fields: {
    name: { kind: 'text', doc: 'Its name in `settings` or `secrets`.' },
    label: { kind: 'text' },
    doc: { kind: 'text' },
    isSecret: { kind: 'boolean', doc: 'Whether it is one of `secrets`. It is not shown again.' },
    isRequired: { kind: 'boolean' },
    kind: {
      kind: 'text',
      doc: 'text; lines (a text of several); choice (of `values`); switch (a boolean); headers (an object of names and values).',
    },
    values: { kind: 'text', isList: true, doc: 'Those of a choice.' },
    default: { kind: 'text', nullable: true, doc: 'What it is if it is not given.' },
  },
} as const satisfies Shape;

export const DESTINATION_TYPE = {
  name: 'DestinationTypeSpec',
  doc: 'A type of destinations, and what is said of one.',
  fields: {
    type: { kind: 'text' },
    doc: { kind: 'text' },
    protocols: { kind: 'text', isList: true, doc: 'How its URL may begin.' },
    formats: { kind: 'text', isList: true, doc: 'The formats that it takes.' },
    fields: { kind: 'object', isList: true, of: DESTINATION_FIELD },
  },
} as const satisfies Shape;

const SECRET = {
  secret: {
    kind: 'text',
    nullable: true,
    doc: 'For a webhook with signature v1: its secret. It is not shown again.',
  },
  publicKey: DESTINATION.fields.publicKey,
} as const;

export const CREATED_DESTINATION = {
  name: 'CreatedDestination',
  fields: { destinationId: { kind: 'id' }, ...SECRET },
} as const satisfies Shape;

export const ROTATED_SECRET = {
  name: 'RotatedSecret',
  doc: 'The new secret or key of a destination.',
  fields: {
    destinationId: { kind: 'id' },
    ...SECRET,
    overlapEndsAt: {
      kind: 'time',
      nullable: true,
      doc: 'Until then messages also carry the signature of the old secret. Null: there was no old secret.',
    },
  },
} as const satisfies Shape;

export const DESTINATION_TEST = {
  name: 'DestinationTest',
  doc: 'The outcome of a test.',
  fields: { accepted: { kind: 'boolean' }, message: { kind: 'text', nullable: true } },
} as const satisfies Shape;

export const SET_ASIDE_EVENT = {
  name: 'SetAsideEvent',
  doc: 'An event that the receiver refused while it accepted others of the same message.',
  fields: {
    position: { kind: 'text' },
    recordId: { kind: 'id' },
    message: { kind: 'text', doc: "The receiver's answer." },
    at: { kind: 'time' },
  },
} as const satisfies Shape;
