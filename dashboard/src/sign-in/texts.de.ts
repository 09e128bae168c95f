import type { In } from '../lib/texts';
import type { SIGN_IN } from './texts';

export const SIGN_IN_DE: In<typeof SIGN_IN> = {
  noRole: 'Ihr Konto hat hier keine Rolle. Bitten Sie einen Betreiber um eine.',
  noTenants:
    'Ihr Konto darf noch keinen Mandanten lesen. Bitten Sie einen Betreiber, seine Mandanten zu nennen.',
  cancelled: 'Die Anmeldung wurde abgebrochen.',
  failed: 'Die Anmeldung ist nicht gelungen. Versuchen Sie es noch einmal.',
  enterKey: 'Geben Sie einen Schlüssel ein.',
  invalidKey: 'Dieser Schlüssel gilt hier nicht: vertippt, abgelaufen oder widerrufen.',
  over: 'Die Sitzung ist zu Ende. Melden Sie sich wieder an, um fortzufahren.',
  key: 'Schlüssel',
  aboutKey:
    'Ein API-Schlüssel zeigt die Ereignisse seiner Mandanten; ein Betreiberschlüssel verwaltet Mandanten und Schlüssel.',
  signIn: 'Anmelden',
  or: 'oder',
  organisation: 'Mit dem Konto Ihrer Organisation anmelden',
  firstKey: (file) =>
    `Dieser Dienst ist neu. Sein erster Schlüssel ist ein Betreiberschlüssel, in der Datei ${file} auf dem Rechner des Dienstes. Melden Sie sich damit an; dort steht, was als Nächstes zu tun ist.`,
  noKey: (command) => `Kein Schlüssel? Ein Betreiber macht einen, hier unter Schlüssel oder mit ${command}.`,
};
