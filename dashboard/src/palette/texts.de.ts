import type { In } from '../lib/texts';

import type { PALETTE } from './texts';

export const PALETTE_DE: In<typeof PALETTE> = {
  pages: 'Seiten',
  saved: 'Gespeicherte Suchen',
  actions: 'Aktionen',
  entities: 'Einträge',
  timesOf: (zone) => `Zeiten von ${zone}`,
  thisBrowser: 'diesem Browser',
  eventsWith: (value) => `Ereignisse mit ${value}`,
  search: 'Suche',
  find: 'Finden',
  anyEvents: 'Eine Seite, eine gespeicherte Suche, ein Anmeldename, ein Rechner, eine Aktion …',
  anyPage: 'Eine Seite, eine Aktion …',
  found: 'Gefunden',
  nothing: 'Nichts ist so ähnlich',
};
