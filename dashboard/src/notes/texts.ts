import { counted } from '../lib/numbers';

/** The texts of notes on events, and of events in incidents. */
export const NOTES = {
  notes: 'Notes',
  noNotes: 'No notes.',
  aNote: 'Note',
  addNote: 'Add note',
  removeNote: (text: string) => `Remove the note ${text}`,
  removed: (n: number) => counted(n, 'removed note'),
  removedBy: (name: string) => `removed by ${name}`,
  noted: (n: number) => counted(n, 'note'),
  itsIncidents: 'Put into incidents',
  putThere: (name: string) => `put there by ${name}`,
  addToIncident: 'Add to incident',
  incidentTitle: 'Search by title',
  newestFirst: 'Open incidents of its tenant, newest first.',
  noIncident: 'No open incident has such a title.',
  chooseIncident: 'Choose an incident.',
  why: 'Why',
  takeOut: 'Take out',
  takeOutOf: (title: string) => `Take out of ${title}`,
  takeOutEvent: (event: string) => `Take out: ${event}`,
} as const;
