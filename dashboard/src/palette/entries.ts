import { ENTITY_KINDS, type EntityKind, entityPage, objectPage, quoted } from '../entity/entity-links';
import type { ENTITY } from '../entity/texts';
import { savedQuery } from '../explore/saved/saved-query';
import type { COMMAND_TEXTS } from '../lib/command-texts';
import { COMMAND_IDS, type CommandId, commandOf, letterOf } from '../lib/commands';
import type { In } from '../lib/texts';
import type { PALETTE } from './texts';

/** A line of the palette. */
export interface Entry {
  readonly group: 'pages' | 'saved' | 'actions' | 'entities';
  readonly label: string;
  readonly note: string;
  /** Leads to a page, or does something. */
  readonly to: { readonly href: string } | { readonly command: CommandId } | { readonly zone: string };
}

export interface Offered {
  readonly pages: readonly { readonly path: string; readonly title: string }[];
  readonly saved: readonly {
    readonly name: string;
    readonly filter: string;
    readonly view?: string | null;
  }[];
  /** The commands that something shown acts on. */
  readonly commands: readonly CommandId[];
  /** IANA names. */
  readonly zones: readonly string[];
  /** Values of events that are like the typed text. */
  readonly known: readonly { readonly kind: EntityKind; readonly value: string }[];
  /** Whether the session reads events, and so has pages of entities. */
  readonly readsEvents: boolean;
  readonly texts: {
    readonly palette: In<typeof PALETTE>;
    readonly commands: In<typeof COMMAND_TEXTS>;
    readonly kinds: In<typeof ENTITY>;
  };
}
type Texts = Offered['texts'];

const SAVED_MAX = 6;
const ACTIONS_MAX = 16;
/** From this many characters on, all time zones are offered: fewer would be like too many. */
const ZONE_CHARS = 3;

const zonesOf = (names: readonly string[], t: Texts): readonly Entry[] =>
  ['UTC', 'local', ...names].map((zone) => ({
    group: 'actions',
    label: t.palette.timesOf(
      zone === 'local' ? t.palette.thisBrowser : zone.replaceAll('/', ' / ').replaceAll('_', ' '),
    ),
    note: '',
    to: { zone },
  }));

/** The lines for a typed text, the likeliest first within each group. */
export function entriesOf(typed: string, offered: Offered): readonly Entry[] {
  const text = typed.trim();
  const { texts } = offered;
  const pages = offered.pages.map(({ path, title }): Entry => {
    const letter = letterOf(path);
    return { group: 'pages', label: title, note: letter ? `g ${letter}` : '', to: { href: path } };
  });
  const saved = offered.saved.map(
    ({ name, filter, view }): Entry => ({
      group: 'saved',
      label: name,
      note: filter,
      to: { href: `/explore?${savedQuery(filter, view)}` },
    }),
  );
  const actions = COMMAND_IDS.filter((id) => commandOf(id).isOffered && offered.commands.includes(id)).map(
    (id): Entry => ({
      group: 'actions',
      label: texts.commands[id],
      note: commandOf(id).key ?? '',
      to: { command: id },
    }),
  );
  return [
    ...like(text, pages),
    ...like(text, saved).slice(0, SAVED_MAX),
    ...like(text, [...actions, ...zonesOf(text.length < ZONE_CHARS ? [] : offered.zones, texts)]).slice(
      0,
      ACTIONS_MAX,
    ),
    ...(offered.readsEvents && text !== '' ? entitiesOf(text, offered.known, texts) : []),
  ];
}

/** The entries in which each word of the text begins a word; those that begin with the text come first. */
function like(text: string, entries: readonly Entry[]): readonly Entry[] {
  const words = text.toLowerCase().split(/\s+/);
  const begins = ({ label }: Entry) => (label.toLowerCase().startsWith(text.toLowerCase()) ? 0 : 1);
  return entries
    .filter(({ label }) => words.every((word) => ` ${label.toLowerCase()}`.includes(` ${word}`)))
    .toSorted((a, b) => begins(a) - begins(b));
}

const ADDRESS = /^(\d{1,3}(\.\d{1,3}){3}|[\da-f]*:[\da-f:.]*:[\da-f:.]*)$/i;

/** The pages of what the text may name: values of events first, then the text as a name of each kind. */
function entitiesOf(
  text: string,
  known: Offered['known'],
  { palette, kinds: names }: Texts,
): readonly Entry[] {
  const named = ENTITY_KINDS.find((kind) => restAfter(kind, text) ?? restAfter(names[kind], text));
  const value = named ? (restAfter(named, text) ?? restAfter(names[named], text) ?? text) : text;
  const kinds = named
    ? [named]
    : ADDRESS.test(text)
      ? (['address'] as const)
      : ENTITY_KINDS.filter(isNoAddress);
  const found = known.filter(({ kind }) => !named || kind === named);
  const typed = kinds
    .map((kind) => ({ kind, value }))
    .filter((one) => !found.some((each) => each.kind === one.kind && each.value === one.value));
  const search = {
    group: 'entities',
    label: palette.eventsWith(quoted(value)),
    note: palette.search,
    to: { href: `/explore?${new URLSearchParams({ filter: quoted(value) })}` },
  } as const;
  return [...found, ...typed].map((one) => entityEntry(one, names)).concat(named ? [] : [search]);
}

/** What follows a kind's name in the text; null: the text does not begin with it. */
function restAfter(name: string, text: string): string | null {
  if (!text.toLowerCase().startsWith(name.toLowerCase())) return null;
  return /^\s*[:\s]\s*(\S.*)$/.exec(text.slice(name.length))?.[1] ?? null;
}

const isNoAddress = (kind: EntityKind): boolean => kind !== 'address';

function entityEntry({ kind, value }: Offered['known'][number], names: Texts['kinds']): Entry {
  const href = (kind === 'object' ? objectPage(value) : null) ?? entityPage(kind, value);
  return { group: 'entities', label: value, note: names[kind], to: { href } };
}
