/** Where a command works. */
export type Place = 'everywhere' | 'lists' | 'explore' | 'alerts';

export const PLACE_LABELS: Readonly<Record<Place, string>> = {
  everywhere: 'Everywhere',
  lists: 'Events and alerts',
  explore: 'Explore',
  alerts: 'Alerts, where you may work on them',
};

interface Command {
  readonly place: Place;
  readonly does: string;
  /** The key that does it, by `key` of its event. */
  readonly key?: string;
  /** Whether the palette offers it. The others concern a row, or open the palette itself. */
  readonly isOffered?: true;
}

/** What can be done by a key or in the palette. The help of `?` and the palette are made of this table and of `GO`. */
export const COMMANDS = {
  palette: { place: 'everywhere', key: 'Ctrl K', does: 'Find a page, a search, an entity or an action' },
  help: { place: 'everywhere', key: '?', does: 'These keys', isOffered: true },
  lightColors: { place: 'everywhere', does: 'Use light colours', isOffered: true },
  darkColors: { place: 'everywhere', does: 'Use dark colours', isOffered: true },
  moreContrast: { place: 'everywhere', does: 'Use high contrast', isOffered: true },
  usualContrast: { place: 'everywhere', does: 'Use the usual contrast', isOffered: true },
  signOut: { place: 'everywhere', does: 'Sign out', isOffered: true },
  down: { place: 'lists', key: 'j', does: 'Down to the next event or alert' },
  up: { place: 'lists', key: 'k', does: 'Up to the one before' },
  open: { place: 'lists', key: 'Enter', does: 'Open it' },
  close: { place: 'lists', key: 'Esc', does: 'Close it' },
  filter: { place: 'explore', key: '/', does: 'To the filter' },
  fields: { place: 'explore', key: 'f', does: 'To the counts by field' },
  export: { place: 'explore', key: 'e', does: 'Export this view', isOffered: true },
  prove: { place: 'explore', does: 'Prove this view', isOffered: true },
  copyLink: { place: 'explore', does: 'Copy link to this view', isOffered: true },
  acknowledge: { place: 'alerts', key: 'a', does: 'Acknowledge it' },
  resolve: { place: 'alerts', key: 'r', does: 'Resolve it' },
  suppress: { place: 'alerts', key: 's', does: 'Suppress it and similar alerts' },
  comment: { place: 'alerts', key: 'c', does: 'Comment on it, on its page' },
  back: { place: 'alerts', key: 'u', does: 'Back to all alerts, from the page of one' },
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
export function keyGroups(pages: readonly Page[]): readonly KeyGroup[] {
  const has = (path: string) => pages.some((page) => page.path === path);
  const isShown: Readonly<Record<Place, boolean>> = {
    everywhere: true,
    lists: has('/explore') || has('/alerts'),
    explore: has('/explore'),
    alerts: has('/alerts'),
  };
  const groupOf = (place: Place): KeyGroup => ({
    title: PLACE_LABELS[place],
    keys: COMMAND_IDS.map(commandOf).flatMap((each) =>
      each.place === place && each.key ? [[each.key, each.does] as const] : [],
    ),
  });
  const go = pages.flatMap(({ path, title }) => {
    const letter = letterOf(path);
    return letter ? [[`g ${letter}`, title] as const] : [];
  });
  const shown = (Object.keys(PLACE_LABELS) as Place[]).filter((place) => isShown[place]);
  return [...shown.map(groupOf), { title: 'Go to', keys: go }];
}

/** The command of a single key at the places that act on it now; undefined: there is none. */
export const commandOfKey = (key: string, acting: (id: CommandId) => boolean): CommandId | undefined =>
  COMMAND_IDS.find((id) => commandOf(id).key === key && acting(id));
