import type { ParameterSpecs } from '../../../event/parameter-specs';
import { LIMITS } from '../../../limits';
import { empty, type Problem, problem, tooLong } from '../../../problem';
import { SEVERITIES } from '../../../rules/rule';
import { parseSpan } from '../../../rules/sigma/correlation';
import { ALERTS_PARAMETERS, VERDICT } from './answers';

const COMMENT_CHARS_MAX = 4_000;
const EMAILS_MAX = 20;
export const EXCEPTIONS_MAX = 100;
const DEDUP_MINUTES_MAX = 10_080;

export const ID = { kind: 'id', isRequired: true } as const;
const TENANT = { kind: 'reference', isRequired: true } as const;
export const COMMENT = { kind: 'text', charsMax: COMMENT_CHARS_MAX, isEmptyAllowed: true } as const;
const notBlank = (text: string, field: string): Problem[] => (text.trim() === '' ? [empty(field)] : []);
export const ASSIGNEE = {
  kind: 'text',
  isEmptyAllowed: true,
  check: (name: string, field: string): Problem[] =>
    name.trim().length > LIMITS.nameCharsMax ? [tooLong(field, LIMITS.nameCharsMax)] : [],
} as const;

export const OF_TENANT = { tenantId: TENANT } as const satisfies ParameterSpecs;
export const RULE_COVERAGE_OF = {
  ...OF_TENANT,
  serverInstanceName: {
    kind: 'text',
    charsMax: LIMITS.filterCharsMax,
    doc: 'On this server instance only; letter case does not matter.',
  },
} as const satisfies ParameterSpecs;
export const OF_ALERT = { alertId: ID } as const satisfies ParameterSpecs;
export const OF_RULE = { tenantId: TENANT, ruleId: ID } as const satisfies ParameterSpecs;
export const OF_SUPPRESSION = {
  tenantId: TENANT,
  suppressionId: { kind: 'reference', isRequired: true },
} as const satisfies ParameterSpecs;

export const TENANT_ALERTS = {
  tenantId: { kind: 'text', charsMax: 20, doc: 'Of this tenant only.' },
  ...ALERTS_PARAMETERS,
} as const satisfies ParameterSpecs;

export const ACKNOWLEDGE_ALERT = {
  alertId: ID,
  assignee: { ...ASSIGNEE, doc: 'Who works on it. Not given: unchanged.' },
  comment: COMMENT,
} as const satisfies ParameterSpecs;

export const RESOLVE_ALERT = {
  alertId: ID,
  verdict: { kind: 'enum', choices: VERDICT, isRequired: true },
  comment: COMMENT,
} as const satisfies ParameterSpecs;

export const ASSIGN_ALERT = {
  alertId: ID,
  assignee: { ...ASSIGNEE, doc: 'Null: nobody.' },
} as const satisfies ParameterSpecs;

export const COMMENT_ALERT = {
  alertId: ID,
  comment: { kind: 'text', charsMax: COMMENT_CHARS_MAX, isRequired: true, check: notBlank },
} as const satisfies ParameterSpecs;

export const SUPPRESS_ALERT = {
  alertId: ID,
  fields: {
    kind: 'texts',
    doc: "Fields of the alert's group whose values must be the same. Null: all of them.",
    check: (names: readonly string[], field: string) =>
      names.length === 0 ? [problem(field, 'empty', 'must name at least one')] : [],
  },
  until: { kind: 'time', isRequired: true, doc: 'ISO 8601.' },
  reason: { kind: 'text', charsMax: COMMENT_CHARS_MAX, isRequired: true, check: notBlank },
} as const satisfies ParameterSpecs;

const EMAIL = /^[^\s@<>,;"]{1,64}@[A-Za-z0-9.-]{1,255}$/;

export const CREATE_ROUTE = {
  tenantId: TENANT,
  name: { kind: 'text', charsMax: LIMITS.nameCharsMax, isRequired: true, check: notBlank },
  emails: {
    kind: 'texts',
    itemsMax: EMAILS_MAX,
    check: (addresses: readonly string[], field: string) =>
      addresses.every((one) => EMAIL.test(one))
        ? []
        : [problem(field, 'malformed', 'must be addresses such as soc@example.com')],
  },
  destinationId: { kind: 'id' },
  format: { kind: 'choice', values: ['json', 'ocsf'], doc: 'json or ocsf, for a destination.' },
  severity: {
    kind: 'choice',
    values: SEVERITIES,
    doc: 'The lowest severity that is sent. Null: every severity.',
  },
  ruleId: { kind: 'id', doc: 'Only alerts of this rule.' },
  escalateMinutes: {
    kind: 'integer',
    min: 1,
    max: LIMITS.escalateMinutesMax,
    doc: 'Only alerts that nobody has acknowledged for so many minutes. Not given: each alert, at once.',
  },
} as const satisfies ParameterSpecs;

export const REMOVE_ROUTE = {
  tenantId: TENANT,
  routeId: { kind: 'reference', isRequired: true },
} as const satisfies ParameterSpecs;

/** The settings of a rule: as parameters of their own, or as one. */
export const TUNING = {
  threshold: { kind: 'integer', min: 1 },
  timespan: {
    kind: 'text',
    doc: 'For example 15m.',
    check: (text: string, field: string) =>
      parseSpan(text) === null
        ? [problem(field, 'malformed', 'must be a number and s, m, h, d, w or M')]
        : [],
  },
  severity: { kind: 'choice', values: SEVERITIES },
  dedupMinutes: { kind: 'integer', min: 1, max: DEDUP_MINUTES_MAX },
  exceptions: {
    kind: 'texts',
    itemsMax: EXCEPTIONS_MAX,
    doc: 'JSON objects of values by field: the rule ignores an event that has all values of one object.',
    check: exceptionProblems,
  },
} as const satisfies ParameterSpecs;

export const IMPORT_RULES = {
  tenantId: TENANT,
  source: { kind: 'text', isEmptyAllowed: true, isRequired: true },
} as const satisfies ParameterSpecs;

export const SET_RULE_ENABLED = {
  ...OF_RULE,
  enabled: { kind: 'boolean', isRequired: true },
} as const satisfies ParameterSpecs;

export const TUNE_RULE = { ...OF_RULE, ...TUNING } as const satisfies ParameterSpecs;

export const TEST_RULE = {
  tenantId: TENANT,
  ruleId: { kind: 'id' },
  source: {
    kind: 'text',
    isEmptyAllowed: true,
    doc: 'A Sigma file to test in place of a rule of the tenant.',
  },
  days: { kind: 'integer', min: 1, max: LIMITS.backtestDaysMax, isRequired: true, default: 7 },
  tuning: {
    kind: 'object',
    of: {
      name: 'RuleTuning',
      doc: 'Tuning of a rule. Settings that are not given are as in the file.',
      fields: TUNING,
    },
    doc: "Tuning to test in place of the tenant's. Not given: the rule is tested as it is.",
  },
} as const satisfies ParameterSpecs;

export const PREVIEW_EXCEPTION = {
  alertId: ID,
  fields: {
    kind: 'texts',
    itemsMax: 20,
    default: [],
    doc: 'The fields of the exception, among `choices`. Empty: it removes nothing, and the choices are shown.',
  },
} as const satisfies ParameterSpecs;
export const ADD_EXCEPTION = {
  alertId: ID,
  fields: {
    kind: 'texts',
    itemsMax: 20,
    isRequired: true,
    check: (fields: readonly string[], field: string): Problem[] =>
      fields.length === 0 ? [empty(field)] : [],
  },
  verdict: { kind: 'enum', choices: VERDICT, isRequired: true },
  comment: COMMENT,
} as const satisfies ParameterSpecs;

export const BACKTEST_PARAMETERS = {
  backtestId: ID,
  tenantId: {
    kind: 'reference',
    doc: 'Tenant of the backtest. Null: the service looks in all tenants of the caller.',
  },
} as const satisfies ParameterSpecs;

export function exceptionProblems(exceptions: readonly string[], field: string): Problem[] {
  const chars = exceptions.reduce((sum, { length }) => sum + length, 0);
  const max = LIMITS.exceptionsCharsMax;
  return [
    ...(exceptions.every((one) => exceptionOf(one) !== null)
      ? []
      : [problem(field, 'malformed', 'must be JSON objects of texts by field')]),
    ...(chars > max ? [problem(field, 'too_long', `have at most ${max} characters in all`, { max })] : []),
  ];
}

/** @returns null: it is no JSON object of texts */
export function exceptionOf(json: string): Record<string, string> | null {
  try {
    const value: unknown = JSON.parse(json);
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return null;
    const entries = Object.entries(value);
    return entries.length > 0 && entries.every(([, one]) => typeof one === 'string')
      ? (Object.fromEntries(entries) as Record<string, string>)
      : null;
  } catch {
    return null;
  }
}
