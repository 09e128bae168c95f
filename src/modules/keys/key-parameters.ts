import { addressProblems } from '../../address-list';
import { nameProblems } from '../../caller/name-problems';
import { isScope, SCOPE_NAMES } from '../../caller/scopes';
import type { GivenValues, ParameterSpecs } from '../../event/parameter-specs';
import { LIMITS } from '../../limits';
import type { Problem } from '../../problem';

const scopeProblems = (scopes: readonly string[], field: string): Problem[] =>
  scopes
    .filter((scope) => !isScope(scope))
    .map((scope) => ({
      code: 'not_one_of',
      field,
      message: `${scope.slice(0, 60)} is no scope (${SCOPE_NAMES.join(', ')})`,
      detail: { values: SCOPE_NAMES },
    }));

const networkProblems = (networks: readonly string[], field: string): Problem[] =>
  addressProblems(networks).map((message) => ({ code: 'malformed', field, message, detail: {} }));

const COMMON = {
  name: { kind: 'text', isRequired: true, check: nameProblems },
  expiresAt: { kind: 'time', isStored: true, doc: 'ISO 8601. Null: never.' },
  allowedAddresses: {
    kind: 'texts',
    isRequired: true,
    default: [],
    check: networkProblems,
    doc: 'Addresses and networks (CIDR) from which the key may be used. Empty: from anywhere.',
  },
} as const satisfies ParameterSpecs;

export const CREATE_API_KEY = {
  ...COMMON,
  tenantIds: {
    kind: 'texts',
    isRequired: true,
    default: [],
    doc: 'Tenants the key may read: at least one.',
  },
  scopes: { kind: 'texts', isRequired: true, default: [], check: scopeProblems },
  rateLimitPerMinute: {
    kind: 'integer',
    min: 1,
    max: LIMITS.rateLimitPerMinuteMax,
    doc: "Null: the service's default.",
  },
} as const satisfies ParameterSpecs;

export const CREATE_AGENT_KEY = {
  ...COMMON,
  tenantId: { kind: 'reference', isRequired: true },
} as const satisfies ParameterSpecs;

export const CREATE_OPERATOR_KEY = COMMON;

export const CREATE_ENROLL_TOKEN = {
  ...COMMON,
  tenantId: { kind: 'reference', isRequired: true },
  uses: {
    kind: 'integer',
    min: 1,
    max: LIMITS.enrollUsesMax,
    isRequired: true,
    doc: 'Number of agents that may use it.',
  },
  expiresAt: { ...COMMON.expiresAt, isRequired: true, doc: 'ISO 8601.' },
  keyDays: {
    kind: 'integer',
    min: 1,
    max: LIMITS.enrollKeyDaysMax,
    doc: 'Days for which the key of each agent is valid. Null: for ever.',
  },
} as const satisfies ParameterSpecs;

export const ENROLL_AGENT = {
  hostName: {
    kind: 'text',
    isRequired: true,
    check: nameProblems,
    doc: 'The machine; the key has its name.',
  },
} as const satisfies ParameterSpecs;

export const ROTATION = {
  overlapMinutes: {
    kind: 'integer',
    min: 0,
    max: LIMITS.keyOverlapMinutesMax,
    isRequired: true,
    default: LIMITS.keyOverlapMinutesDefault,
    doc: 'Minutes for which the old key also works.',
  },
  expiresAt: {
    kind: 'time',
    isStored: true,
    doc: 'ISO 8601. Null: the new key has the lifetime that the old one was made with.',
  },
} as const satisfies ParameterSpecs;

export const ROTATE_KEY = {
  keyId: { kind: 'id', isRequired: true },
  ...ROTATION,
} as const satisfies ParameterSpecs;

export const RENEW_AGENT_KEYS = {
  tenantId: { kind: 'reference', doc: 'Null: agents of every tenant.' },
} as const satisfies ParameterSpecs;

export const REVOKE_KEY = { keyId: { kind: 'id', isRequired: true } } as const satisfies ParameterSpecs;

/** What a key of any kind is asked for with. */
export type KeyRequest = GivenValues<typeof CREATE_API_KEY>;
