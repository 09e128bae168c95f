import type { ParameterSpecs } from '../../event/parameter-specs';
import { LIMITS } from '../../limits';

const TENANT = { kind: 'reference', isRequired: true } as const;

export const SEALED_WEEKS = {
  tenantId: { kind: 'reference', doc: 'Null: of every tenant.' },
  first: {
    kind: 'integer',
    min: 1,
    max: LIMITS.sealedWeeksMax,
    isRequired: true,
    default: LIMITS.sealedWeeksDefault,
  },
} as const satisfies ParameterSpecs;

export const ONE_WEEK = {
  tenantId: TENANT,
  week: { kind: 'time', isRequired: true, doc: 'Any time of the week.' },
} as const satisfies ParameterSpecs;
