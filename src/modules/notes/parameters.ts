import type { ParameterSpecs } from '../../event/parameter-specs';
import { isUuid } from '../../event/uuid';
import { LIMITS } from '../../limits';
import { empty, type Problem, problem } from '../../problem';

/** As long as a comment on an alert. */
const NOTE_CHARS_MAX = 4_000;
const ID = { kind: 'id', isRequired: true } as const;

export const OF_EVENTS = {
  recordIds: {
    kind: 'texts',
    isRequired: true,
    itemsMax: LIMITS.pageSizeMax,
    check: (ids: readonly string[], field: string): Problem[] =>
      ids.length > 0 && ids.every(isUuid)
        ? []
        : [problem(field, 'malformed', 'must be ids of records: UUIDs')],
  },
} as const satisfies ParameterSpecs;
export const ADD_NOTE = {
  recordId: ID,
  note: {
    kind: 'text',
    isRequired: true,
    charsMax: NOTE_CHARS_MAX,
    check: (text: string, field: string): Problem[] => (text.trim() === '' ? [empty(field)] : []),
  },
} as const satisfies ParameterSpecs;
export const REMOVE_NOTE = { recordId: ID, noteId: ID } as const satisfies ParameterSpecs;

export const OF_INCIDENT = { incidentId: ID } as const satisfies ParameterSpecs;
export const OF_EVENT = { recordId: ID } as const satisfies ParameterSpecs;
export const CHOICES = {
  recordId: { ...ID, doc: 'The event: incidents of its tenant are shown.' },
  search: {
    kind: 'text',
    charsMax: LIMITS.filterCharsMax,
    isEmptyAllowed: true,
    default: '',
    doc: 'A part of the title; letter case does not matter.',
  },
} as const satisfies ParameterSpecs;
export const ADD_TO_INCIDENT = {
  ...OF_INCIDENT,
  recordId: ID,
  note: { kind: 'text', charsMax: NOTE_CHARS_MAX, isEmptyAllowed: true, doc: 'Why.' },
} as const satisfies ParameterSpecs;
export const TAKE_OUT_OF_INCIDENT = { ...OF_INCIDENT, recordId: ID } as const satisfies ParameterSpecs;
