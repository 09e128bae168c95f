import { formatBytes } from '../lib/numbers';
import type { In } from '../lib/texts';
import type { EVIDENCE } from './texts';

export const EVIDENCE_DE: In<typeof EVIDENCE> = {
  soFar: (bytes) =>
    `${formatBytes(bytes)} bisher. Das Paket wartet auf die Unterschrift seiner neuesten Ereignisse, etwa eine Minute.`,
  about:
    'Eine Zip-Datei dieser Ereignisse, mit dem, was sie belegt. Andere prüfen sie ohne Netz: die Datei verify.html darin öffnet sich in jedem Browser.',
  whatFor: 'Wofür (es steht in dem Paket)',
  makePackage: 'Paket anlegen',
};
