import { nameProblems } from '../../../caller/name-problems';
import type { InputShape, ParameterSpecs } from '../../../event/parameter-specs';
import { FILTER_PARAMETERS } from '../../../event/parameters';
import type { Shape } from '../../../event/shape';
import { isUuid } from '../../../event/uuid';
import { LIMITS } from '../../../limits';
import { problem } from '../../../problem';

const TENANT = { kind: 'reference', isRequired: true } as const;

const ERASED_EVENTS = {
  name: 'ErasedEvents',
  doc: 'Which events are erased. The access log does not keep it: it may name what is erased.',
  fields: {
    filter: FILTER_PARAMETERS.filter,
    search: FILTER_PARAMETERS.search,
    startTime: FILTER_PARAMETERS.startTime,
    endTime: FILTER_PARAMETERS.endTime,
  },
} as const satisfies InputShape;

export const PREVIEW_PARAMETERS = {
  tenantId: TENANT,
  erased: { kind: 'object', of: ERASED_EVENTS, isRequired: true },
} as const satisfies ParameterSpecs;

export const ERASE_PARAMETERS = {
  ...PREVIEW_PARAMETERS,
  reason: {
    kind: 'text',
    isRequired: true,
    check: nameProblems,
    doc: 'Why. It stands in the evidence log for ever, so it must not name what is erased.',
  },
  events: {
    kind: 'integer',
    min: 1,
    max: LIMITS.erasureEventsMax,
    isRequired: true,
    doc: 'How many events are erased, as erasurePreview says. Another number is refused.',
  },
} as const satisfies ParameterSpecs;

export const REPEAT_PARAMETERS = {
  tenantId: TENANT,
  erasureIds: {
    kind: 'texts',
    isRequired: true,
    itemsMax: LIMITS.erasuresMax,
    check: (ids, field) =>
      ids.length > 0 && ids.every(isUuid) ? [] : [problem(field, 'malformed', 'must be ids of erasures')],
    doc: 'The ids of the erasures, as lostErasures of logEpoch names them.',
  },
} as const satisfies ParameterSpecs;

export const ERASURES_PARAMETERS = {
  tenantId: TENANT,
  first: {
    kind: 'integer',
    min: 1,
    max: LIMITS.erasuresMax,
    isRequired: true,
    default: LIMITS.erasuresDefault,
  },
} as const satisfies ParameterSpecs;

export const ERASURE_PREVIEW = {
  name: 'ErasurePreview',
  doc: 'What an erasure would erase.',
  fields: { tenantId: { kind: 'text' }, events: { kind: 'count', doc: 'Events that the filter finds now.' } },
} as const satisfies Shape;

export const ERASURE = {
  name: 'Erasure',
  doc: 'Events that an operator erased.',
  fields: {
    erasureId: { kind: 'id' },
    tenantId: { kind: 'text' },
    at: { kind: 'time' },
    erasedBy: { kind: 'text', doc: 'The key or person.' },
    reason: { kind: 'text' },
    events: { kind: 'count' },
    endedAt: {
      kind: 'time',
      nullable: true,
      doc: 'When nothing was left of the events. Null: it goes on, which takes a minute or longer.',
    },
    problem: {
      kind: 'text',
      nullable: true,
      doc: 'Why it does not go on: the last attempt failed, or it waits. Null: neither.',
    },
  },
} as const satisfies Shape;
