import { counted } from '../lib/numbers';
import type { In } from '../lib/texts';
import type { NOTES } from './texts';

export const NOTES_DE: In<typeof NOTES> = {
  notes: 'Notizen',
  noNotes: 'Keine Notizen.',
  aNote: 'Notiz',
  addNote: 'Notiz hinzufügen',
  removeNote: (text) => `Entfernen: ${text}`,
  removed: (n) => counted(n, 'entfernte Notiz', 'entfernte Notizen'),
  removedBy: (name) => `entfernt von ${name}`,
  noted: (n) => counted(n, 'Notiz', 'Notizen'),
  itsIncidents: 'In Vorfälle eingeordnet',
  putThere: (name) => `eingeordnet von ${name}`,
  addToIncident: 'Einem Vorfall hinzufügen',
  incidentTitle: 'Nach Titel suchen',
  newestFirst: 'Offene Vorfälle seines Mandanten, die neuesten zuerst.',
  noIncident: 'Kein offener Vorfall hat einen solchen Titel.',
  chooseIncident: 'Wählen Sie einen Vorfall.',
  why: 'Warum',
  takeOut: 'Herausnehmen',
  takeOutOf: (title) => `Herausnehmen aus: ${title}`,
  takeOutEvent: (event) => `Herausnehmen: ${event}`,
};
