import { nameProblems } from '../../caller/name-problems';
import type { ParameterSpecs } from '../../event/parameter-specs';
import { LIMITS } from '../../limits';

const DAYS = { kind: 'integer', min: 1, max: LIMITS.retentionDaysMax } as const;
const TENANT = { kind: 'reference', isRequired: true } as const;

export const CREATE_TENANT = {
  name: { kind: 'text', isRequired: true, check: nameProblems },
  retentionDays: { ...DAYS, doc: 'Null: for ever.' },
} as const satisfies ParameterSpecs;

export const RENAME_TENANT = {
  tenantId: TENANT,
  name: CREATE_TENANT.name,
} as const satisfies ParameterSpecs;

export const DISABLE_TENANT = {
  tenantId: TENANT,
  reason: { kind: 'text', isRequired: true, check: nameProblems },
} as const satisfies ParameterSpecs;

export const ENABLE_TENANT = { tenantId: TENANT } as const satisfies ParameterSpecs;

export const SET_MASKING = {
  tenantId: TENANT,
  masksStatements: { kind: 'boolean', isRequired: true },
} as const satisfies ParameterSpecs;

export const SET_RETENTION = {
  tenantId: TENANT,
  days: { ...DAYS, doc: 'Null: for ever.' },
} as const satisfies ParameterSpecs;

export const RETENTION_PREVIEW_PARAMETERS = {
  tenantId: TENANT,
  days: { ...DAYS, isRequired: true },
} as const satisfies ParameterSpecs;

export const RETENTION_RUNS = {
  tenantId: { kind: 'reference', doc: 'Null: of every tenant.' },
  first: {
    kind: 'integer',
    min: 1,
    max: LIMITS.retentionRunsMax,
    isRequired: true,
    default: LIMITS.retentionRunsDefault,
  },
} as const satisfies ParameterSpecs;
