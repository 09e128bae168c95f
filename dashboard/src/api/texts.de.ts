import type { In } from '../lib/texts';
import type { ERRORS } from './texts';

export const ERRORS_DE: In<typeof ERRORS> = {
  unreachable: 'Der Dienst ist nicht zu erreichen.',
  noAnswer: 'Der Dienst hat nicht geantwortet.',
  otherVersion: 'Der Dienst hat eine andere Fassung als diese Seite.',
  service_unavailable:
    'Wählen Sie einen kürzeren Zeitraum oder weniger Filter, oder versuchen Sie es bald noch einmal.',
  rate_limited: 'Warten Sie so lange, und versuchen Sie es dann noch einmal.',
  forbidden: 'Melden Sie sich mit einem Schlüssel an, der das darf.',
  unauthorized: 'Die Sitzung ist zu Ende. Melden Sie sich noch einmal an.',
  internal_error:
    'Versuchen Sie es noch einmal; geschieht es wieder, nennen Sie dem Betreiber die Anfrage unten.',
  other_version:
    'Laden Sie die Seite neu. Solange der Dienst erneuert wird, kann das mehrmals nötig sein. Die Ansicht bleibt.',
  offline: 'Prüfen Sie, ob der Dienst läuft und das Netz geht, und versuchen Sie es dann noch einmal.',
};
