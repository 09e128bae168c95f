import type { Shape } from '../../event/shape';

export const SEALED_WEEK = {
  name: 'SealedWeek',
  doc: 'A week of a tenant whose events lie in a file.',
  fields: {
    tenantId: { kind: 'text' },
    week: { kind: 'time', doc: 'Its beginning, on a Monday.' },
    events: { kind: 'count', doc: 'Events in the file. Those that came later lie beside it.' },
    bytes: { kind: 'count', doc: 'Bytes of the file.' },
    sha256: { kind: 'text', doc: 'Of the file, in hexadecimal.' },
    sealedAt: { kind: 'time' },
  },
} as const satisfies Shape;

export const UNSEALED_WEEK = {
  name: 'UnsealedWeek',
  doc: 'A week of a tenant that is over, and that could not be put into a file. Its events are answered from rows.',
  fields: {
    tenantId: { kind: 'text' },
    week: { kind: 'time', doc: 'Its beginning, on a Monday.' },
    problem: { kind: 'text', doc: 'Why the last attempt failed. The service tries again.' },
    at: { kind: 'time', doc: 'Of the last attempt.' },
  },
} as const satisfies Shape;

export const WEEK_CHANGE = {
  name: 'WeekChange',
  doc: 'What became of a week of a tenant.',
  fields: {
    tenantId: { kind: 'text' },
    week: { kind: 'time', doc: 'Its beginning, on a Monday.' },
    outcome: {
      kind: 'text',
      doc: '`sealed`, `restored`, `nothing` (there was nothing to do) or `waits` (try again later).',
    },
    events: { kind: 'count', doc: 'Events that were moved.' },
    because: { kind: 'text', nullable: true, doc: 'Why it waits.' },
  },
} as const satisfies Shape;
