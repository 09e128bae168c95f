import type { COMMAND_TEXTS } from './command-texts';
import type { In } from './texts';

/** Where a command works. */
export type Place = 'everywhere' | 'lists' | 'explore' | 'alerts';

const PLACES = ['everywhere', 'lists', 'explore', 'alerts'] as const satisfies readonly Place[];

interface Command {
  readonly place: Place;
  /** The key that does it, by `key` of its event. */
  readonly key?: string;
  /** Whether the palette offers it. The others concern a row, or open the palette itself. */
  readonly isOffered?: true;
}

/** Keyboards name it in their language. */
const CTRL_K = 'Ctrl K';

/** What can be done by a key or in the palette; the catalogue says what each does. The help of `?` and the palette are made of this table and of `GO`. */
export const COMMANDS = {
  palette: { place: 'everywhere', key: CTRL_K },
  help: { place: 'everywhere', key: '?', isOffered: true },
  lightColors: { place: 'everywhere', isOffered: true },
  darkColors: { place: 'everywhere', isOffered: true },
  moreContrast: { place: 'everywhere', isOffered: true },
  usualContrast: { place: 'everywhere', isOffered: true },
  signOut: { place: 'everywhere', isOffered: true },
  down: { place: 'lists', key: 'j' },
  up: { place: 'lists', key: 'k' },
  open: { place: 'lists', key: 'Enter' },
  close: { place: 'lists', key: 'Esc' },
  filter: { place: 'explore', key: '/' },
  fields: { place: 'explore', key: 'f' },
  export: { place: 'explore', key: 'e', isOffered: true },
  prove: { place: 'explore', isOffered: true },
  copyLink: { place: 'explore', isOffered: true },
  acknowledge: { place: 'alerts', key: 'a' },
  resolve: { place: 'alerts', key: 'r' },
  suppress: { place: 'alerts', key: 's' },
  comment: { place: 'alerts', key: 'c' },
  back: { place: 'alerts', key: 'u' },
} as const satisfies Readonly<Record<string, Command>>;

export type CommandId = keyof typeof COMMANDS;
export const COMMAND_IDS = Object.keys(COMMANDS) as readonly CommandId[];
export const commandOf = (id: CommandId): Command => COMMANDS[id];

/** The letter that leads to a page after `g`, by the path of the page. */
export const GO = {
  '/': 'o',
  '/explore': 'e',
  '/alerts': 'a',
  '/incidents': 'i',
  '/compliance': 'c',
  '/reports': 'r',
  '/rules': 'u',
  '/sources': 's',
  '/tenants': 't',
  '/keys': 'k',
  '/destinations': 'd',
  '/archive': 'v',
  '/access-log': 'l',
} as const satisfies Readonly<Record<string, string>>;

/** The letter of a page; undefined: no key leads there. */
export const letterOf = (path: string): string | undefined =>
  Object.entries(GO).find(([each]) => each === path)?.[1];

/** A page, as far as keys concern it. */
interface Page {
  readonly path: string;
  readonly title: string;
}

/** A group of the help: keys, and what each does. */
export interface KeyGroup {
  readonly title: string;
  readonly keys: readonly (readonly [string, string])[];
}

/** All keys of a session that has these pages. */
export function keyGroups(pages: readonly Page[], t: In<typeof COMMAND_TEXTS>): readonly KeyGroup[] {
  const has = (path: string) => pages.some((page) => page.path === path);
  const isShown: Readonly<Record<Place, boolean>> = {
    everywhere: true,
    lists: has('/explore') || has('/alerts'),
    explore: has('/explore'),
    alerts: has('/alerts'),
  };
  const groupOf = (place: Place): KeyGroup => ({
    title: t[place],
    keys: COMMAND_IDS.flatMap((id) => {
      const { place: at, key } = commandOf(id);
      return at === place && key ? [[key === CTRL_K ? t.ctrlK : key, t[id]] as const] : [];
    }),
  });
  const go = pages.flatMap(({ path, title }) => {
    const letter = letterOf(path);
    return letter ? [[`g ${letter}`, title] as const] : [];
  });
  const shown = PLACES.filter((place) => isShown[place]);
  return [...shown.map(groupOf), { title: t.goTo, keys: go }];
}

/** The command of a single key at the places that act on it now; undefined: there is none. */
export const commandOfKey = (key: string, acting: (id: CommandId) => boolean): CommandId | undefined =>
  COMMAND_IDS.find((id) => commandOf(id).key === key && acting(id));
