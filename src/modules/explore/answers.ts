import type { Shape } from '../../event/shape';

/** What `audit-activity explain` shows of each kind of question. */
export const AUDIT_PLAN = {
  name: 'AuditPlan',
  doc: 'What a question for events would read, and why.',
  fields: {
    question: { kind: 'text', doc: 'page, summary, histogram, facets, groups or export.' },
    by: {
      kind: 'text',
      doc: 'counts: numbers by hour and day. words: events of the hours that the search index names. columns: values of fields, without the rows. events: every event of the range.',
    },
    events: { kind: 'count', doc: 'Events of which something is read, in whole hours.' },
    waits: { kind: 'boolean', doc: "Whether it waits for a turn of its caller's share." },
    because: { kind: 'text', doc: 'Why it is read by this, in words.' },
  },
} as const satisfies Shape;
