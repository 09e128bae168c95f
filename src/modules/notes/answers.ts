import { AUDIT_EVENT_PAGE } from '../../event/answers';
import type { Shape } from '../../event/shape';

export const EVENT_NOTE = {
  name: 'EventNote',
  doc: 'What somebody wrote about an event. It is never changed.',
  fields: {
    noteId: { kind: 'id' },
    tenantId: { kind: 'text' },
    recordId: { kind: 'id' },
    note: { kind: 'text' },
    author: { kind: 'text', doc: 'The person who signed in, or the name of the key.' },
    at: { kind: 'time' },
    removedBy: { kind: 'text', nullable: true, doc: 'Null: nobody has removed it.' },
    removedAt: { kind: 'time', nullable: true },
  },
} as const satisfies Shape;

const PLACED = {
  incidentId: { kind: 'id' },
  recordId: { kind: 'id' },
  placedBy: { kind: 'text', doc: 'The person who put the event into the incident, or the name of the key.' },
  placedAt: { kind: 'time' },
  note: { kind: 'text', nullable: true, doc: 'Why. Null: nobody said.' },
} as const;

export const INCIDENT_EVENT = {
  name: 'IncidentEvent',
  doc: 'An event that somebody put into an incident.',
  fields: {
    ...PLACED,
    event: {
      kind: 'object',
      of: AUDIT_EVENT_PAGE.fields.items.of,
      doc: 'The event, as lists of events show it.',
    },
  },
} as const satisfies Shape;

export const EVENT_INCIDENT = {
  name: 'EventIncident',
  doc: 'An incident into which somebody put an event.',
  fields: { ...PLACED, title: { kind: 'text', doc: 'Of the incident.' } },
} as const satisfies Shape;

export const INCIDENT_CHOICE = {
  name: 'IncidentChoice',
  doc: 'An incident that is not resolved.',
  fields: { incidentId: { kind: 'id' }, title: { kind: 'text' }, createdAt: { kind: 'time' } },
} as const satisfies Shape;
