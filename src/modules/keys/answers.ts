import type { Shape } from '../../event/shape';

export const API_KEY = {
  name: 'ApiKey',
  doc: 'A key of any kind, without the key itself.',
  fields: {
    keyId: { kind: 'id' },
    kind: { kind: 'text', doc: 'public, agent, operator or enroll.' },
    name: { kind: 'text' },
    prefix: { kind: 'text', doc: 'The first characters of the key.' },
    state: { kind: 'text', doc: 'valid, expired or revoked.' },
    scopes: { kind: 'text', isList: true },
    tenantIds: { kind: 'text', isList: true },
    rateLimitPerMinute: { kind: 'integer', nullable: true, doc: "Null: the service's default." },
    allowedAddresses: {
      kind: 'text',
      isList: true,
      doc: 'Addresses and networks from which it may be used. Empty: from anywhere.',
    },
    replaces: { kind: 'id', nullable: true, doc: 'keyId of the key it was rotated from.' },
    replacedBy: { kind: 'id', nullable: true, doc: 'keyId of the key it was rotated to.' },
    usesLeft: { kind: 'integer', nullable: true, doc: 'Of an enroll token: agents that may still use it.' },
    enrolledBy: { kind: 'id', nullable: true, doc: 'Of an agent key: keyId of the token that made it.' },
    renewAskedAt: {
      kind: 'time',
      nullable: true,
      doc: 'Of an agent key: when an operator asked its agent for another one.',
    },
    renewal: {
      kind: 'text',
      nullable: true,
      doc:
        'Of an agent key: by-hand (an operator made it, and rotates it), current, waiting (its agent has not followed), ' +
        'followed (it was asked for), replaced, ended (it expired, and nothing replaced it), or two-hosts (it is used ' +
        'after its replacement: a second host has it). Null: it was revoked, or is another kind of key.',
    },
    createdAt: { kind: 'time' },
    expiresAt: { kind: 'time', nullable: true },
    revokedAt: { kind: 'time', nullable: true },
    lastUsedAt: { kind: 'time', nullable: true, doc: 'Time of the last use, up to some seconds late.' },
  },
} as const satisfies Shape;

export const CREATED_KEY = {
  name: 'CreatedKeyType',
  doc: 'A key just made. It is not shown again.',
  fields: { keyId: { kind: 'id' }, key: { kind: 'text' } },
} as const satisfies Shape;

export const ENROLLED_AGENT = {
  name: 'EnrolledAgent',
  doc: 'The key of an agent, just made. It is not shown again.',
  fields: {
    ...CREATED_KEY.fields,
    tenantId: { kind: 'text', doc: 'Tenant of the key.' },
    expiresAt: { kind: 'time', nullable: true, doc: 'Null: never.' },
  },
} as const satisfies Shape;

export const AGENT_KEY_STATE = {
  name: 'AgentKeyState',
  doc: 'What an agent is told of its own key.',
  fields: {
    keyId: { kind: 'id' },
    expiresAt: { kind: 'time', nullable: true, doc: 'Null: never.' },
    isDue: { kind: 'boolean', doc: 'Whether the agent should renew it.' },
  },
} as const satisfies Shape;

export const RENEWED_AGENT_KEY = {
  name: 'RenewedAgentKey',
  doc: 'The key that follows that of an agent, just made. It is not shown again.',
  fields: { ...CREATED_KEY.fields, expiresAt: ENROLLED_AGENT.fields.expiresAt },
} as const satisfies Shape;

export const ASKED_RENEWAL = {
  name: 'AskedRenewal',
  doc: 'How many agents were asked for another key.',
  fields: { asked: { kind: 'integer' } },
} as const satisfies Shape;

export const ROTATED_KEY = {
  name: 'RotatedKeyType',
  doc: 'A key just made to replace another. It is not shown again.',
  fields: {
    ...CREATED_KEY.fields,
    replaces: { kind: 'id', doc: 'keyId of the old key.' },
    overlapEndsAt: { kind: 'time', doc: 'Until then the old key also works.' },
  },
} as const satisfies Shape;
