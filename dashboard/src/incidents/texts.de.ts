import { counted, formatCount } from '../lib/numbers';
import type { In } from '../lib/texts';
import type { INCIDENTS } from './texts';

const incidents = (n: number) => counted(n, 'Vorfall', 'Vorfälle');

export const INCIDENTS_DE: In<typeof INCIDENTS> = {
  incidents: 'Vorfälle',
  count: incidents,
  workOnChosen: 'An den gewählten Vorfällen arbeiten',
  chosen: (n) => `${incidents(n)} gewählt`,
  chooseNone: 'Keinen wählen',
  title_acknowledge: (n) => `${incidents(n)} quittieren`,
  title_resolve: (n) => `${incidents(n)} abschließen`,
  title_assign: (n) => `${incidents(n)} zuweisen`,
  done_acknowledge: (n) => `${incidents(n)}: quittiert`,
  done_resolve: (n) => `${incidents(n)}: abgeschlossen`,
  done_assign: (n) => `${incidents(n)}: zugewiesen`,
  chooseTheirs: 'Wählen Sie, was sie waren.',
  standsInHistory: 'Er steht im Verlauf eines jeden.',
  anySeverity: 'Alle Schweregrade',
  theIncidents: 'die Vorfälle',
  noneIs: (status, severity) =>
    `Kein Vorfall${severity ? ` mit Schweregrad „${severity}“` : ''} ist ${status.toLowerCase()}`,
  formOne:
    'Warnungen mit demselben Anmeldenamen, derselben Adresse, demselben Rechner oder derselben Sitzung bilden einen Vorfall.',
  chooseAll: 'Alle Vorfälle dieser Seite wählen',
  choose: (title) => `Wählen: ${title}`,
  incident: 'Vorfall',
  alerts: 'Warnungen',
  rowsRead: 'Gelesene Zeilen',
  rowsChanged: 'Geänderte Zeilen',
  theIncident: 'der Vorfall',
  noSuchIncident: 'Unter denen, die diese Anmeldung lesen darf, ist kein solcher Vorfall',
  allIncidents: 'Alle Vorfälle',
  toAllIncidents: '← Alle Vorfälle',
  copyMarkdown: 'Als Markdown kopieren',
  workOnIncident: 'An diesem Vorfall arbeiten',
  loginsDid: 'Anmeldenamen: taten es',
  loginsGot: 'Anmeldenamen: bekamen es',
  addresses: 'Adressen',
  hosts: 'Rechner',
  sessions: 'Sitzungen',
  nothingRecorded: (server) => `Nichts aufgezeichnet auf ${server}`,
  still: 'noch immer',
  aboutIncident: 'Über diesen Vorfall',
  whatHappened: 'Was geschah',
  times: (n) => `${formatCount(n)}-mal`,
  itsAlerts: 'Seine Warnungen',
  takeOutOf: (title) => `Herausnehmen: ${title}`,
  takeOut: 'Herausnehmen',
  placedBy: (name) => `eingeordnet von ${name}`,
  comment: 'Kommentar',
};
