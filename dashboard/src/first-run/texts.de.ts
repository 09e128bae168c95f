import { counted } from '../lib/numbers';
import type { In } from '../lib/texts';
import type { FIRST_RUN } from './texts';

export const FIRST_RUN_DE: In<typeof FIRST_RUN> = {
  system: 'System des Datenbankrechners',
  howMany: 'Wie viele Rechner',
  oneHost: 'Ein Rechner',
  manyHosts: 'Viele Rechner',
  tenantOfEvents: 'Mandant seiner Ereignisse',
  nameOfSource: 'Name der Quelle',
  asYouKnow: 'So, wie Sie sie hier kennen werden.',
  auditFiles: 'Auditdateien',
  fullPath: 'Ganzer Pfad; * für jeden Teil eines Namens.',
  hasKey:
    'Das ist agent.json. Sie enthält den Schlüssel, der nur jetzt gezeigt wird: speichern Sie sie auf dem Rechner, wo das Paket des Agenten liegt.',
  hasToken:
    'Das ist agent.json. Sie enthält das Token, das nur jetzt gezeigt wird: speichern Sie sie auf dem Rechner, wo das Paket des Agenten liegt.',
  configuration: 'Konfiguration des Agenten',
  asAdministrator: 'Führen Sie dort dann als Administrator aus. Der Rechner muss diese Adresse erreichen:',
  asRoot: 'Führen Sie dort dann als root aus. Der Rechner muss diese Adresse erreichen:',
  commands: 'Befehle',
  makeKey: 'Schlüssel des Agenten anlegen',
  makeToken: (hosts, days) => `Token für bis zu ${hosts} Rechner anlegen, ${days} Tage`,
  saveAs: (file) => `Als ${file} speichern`,
  firstSteps: 'Erste Schritte',
  operatorKey: 'Betreiberschlüssel',
  signedIn: 'Sie sind mit einem angemeldet. Bewahren Sie seine Datei auf, wo kein anderer sie liest.',
  agent: 'Agent',
  aboutAgent:
    'Das Programm auf dem Datenbankrechner, das die Auditdateien liest. Es braucht erst einen Mandanten.',
  analystKey: 'Schlüssel eines Analysten',
  aboutAnalyst:
    'Betreiber lesen keine Ereignisse: ein Analyst braucht einen Schlüssel. Er braucht erst einen Mandanten.',
  sampleData: 'Beispieldaten, wenn kein SQL Server zur Hand ist',
  done: ', erledigt',
  waiting: 'Wartet auf den ersten Bericht …',
  received: (time, host, database, events) =>
    `Eingetroffen ${time} von ${host}, ${database}: ${events > 0 ? counted(events, 'Ereignis', 'Ereignisse') : 'noch kein Ereignis'}`,
  nameOfTenant: 'Name des Mandanten',
  whoseEvents:
    'Wessen Ereignisse es sind: ein Unternehmen oder ein Teil davon. Kein Ereignis gelangt zu einem anderen.',
  makeTenant: 'Mandanten anlegen',
  whoeverSignsIn: 'Wer sich hier damit anmeldet, sieht die Ereignisse.',
  keyReads:
    'Betreiber lesen keine Ereignisse. Dieser Schlüssel liest hier Ereignisse, Warnungen, Kontrollen und Berichte.',
  makeAnalyst: 'Schlüssel eines Analysten anlegen',
  aboutSamples:
    'Eine Arbeitskopie der Quellen hat Auditdateien vom April 2025. Ihre Ereignisse bleiben für immer im Protokoll ihres Mandanten, deshalb bekommen sie einen eigenen.',
  makeSample: 'Mandanten „Sample“ und seinen Befehl anlegen',
  sampleCommand: 'Befehl für Beispieldaten, im Ordner der Arbeitskopie',
};
