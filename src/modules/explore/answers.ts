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
    events: { kind: 'count', doc: 'Number of events in the hours that are read.' },
    waits: { kind: 'boolean', doc: "Whether the question waits for its caller's turn." },
    because: { kind: 'text', doc: 'Why, in words.' },
  },
} as const satisfies Shape;

/** A filter as the service understood it. */
export const AUDIT_FILTER = {
  name: 'AuditFilter',
  doc: 'How the service understands a filter, and what questions with it would read.',
  fields: {
    filter: {
      kind: 'text',
      nullable: true,
      doc: 'All conditions but the times in the filter language. Null: there are none.',
    },
    words: { kind: 'text', doc: 'The same in words.' },
    plans: { kind: 'object', isList: true, of: AUDIT_PLAN, doc: 'One for each kind of question.' },
  },
} as const satisfies Shape;
