import { nameProblems } from '../../../caller/name-problems';
import type { ParameterSpecs } from '../../../event/parameter-specs';
import type { Shape } from '../../../event/shape';
import { LIMITS } from '../../../limits';

export const HOLD = {
  name: 'LegalHold',
  doc: 'Events of a tenant that retention does not remove.',
  fields: {
    holdId: { kind: 'id' },
    tenantId: { kind: 'text' },
    filter: { kind: 'text', nullable: true, doc: 'Which events are held. Null: every event of the tenant.' },
    reason: { kind: 'text' },
    createdBy: { kind: 'text', doc: 'The name of the key or of the person.' },
    createdAt: { kind: 'time' },
    until: { kind: 'time', nullable: true, doc: 'The hold ends by itself. Null: only by an operator.' },
    isInForce: { kind: 'boolean', doc: 'Whether it holds events now.' },
    endedAt: { kind: 'time', nullable: true, doc: 'When an operator ended it. Null: nobody has.' },
    endedBy: { kind: 'text', nullable: true },
    endedReason: { kind: 'text', nullable: true },
  },
} as const satisfies Shape;

const REASON = { kind: 'text', isRequired: true, check: nameProblems } as const;

export const HOLDS = {
  tenantId: { kind: 'reference', doc: 'Null: of every tenant.' },
  first: {
    kind: 'integer',
    min: 1,
    max: LIMITS.holdsShownMax,
    isRequired: true,
    default: LIMITS.holdsShownDefault,
  },
} as const satisfies ParameterSpecs;

export const CREATE_HOLD = {
  tenantId: { kind: 'reference', isRequired: true },
  filter: { kind: 'filter', charsMax: LIMITS.expressionCharsMax, doc: 'Null: every event of the tenant.' },
  until: {
    kind: 'time',
    isStored: true,
    doc: 'When the hold ends by itself. Null: when an operator ends it.',
  },
  reason: REASON,
} as const satisfies ParameterSpecs;

export const END_HOLD = {
  holdId: { kind: 'reference', isRequired: true },
  reason: REASON,
} as const satisfies ParameterSpecs;
