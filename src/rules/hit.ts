import { fold } from '../event/search';
import { textOf } from './event';
import { loginOf } from './event-values';
import type { Grouping } from './rule';
import { Seen } from './seen';

/** A finding lists this many record ids, the first ones. The other records are only counted. */
export const RECORD_IDS_MAX = 100;
/** How many logins, and how many server instances, a finding names. */
const ENTITIES_MAX = 100;

/** A hit as a window keeps it. The names are short because entries are stored by the thousand. */
export interface Entry {
  /** First and last event time in microseconds. */
  readonly f: number;
  readonly l: number;
  /** The first record ids. */
  readonly r: readonly string[];
  /** Number of events. */
  readonly n: number;
  /** Logins. */
  readonly p: readonly string[];
  /** Server instances. */
  readonly i: readonly string[];
  /** The value that is counted, letter case folded. */
  readonly v?: string;
}

/** The memory that an entry takes. The unit is an entry of one event. */
export const entrySize = ({ r }: Entry): number => Math.max(1, r.length / 4);

export type GroupValues = Readonly<Record<string, string | null>>;

/** A match of a node. A match of an event has the event; a match of a correlation has the group's values by name. */
export interface Hit {
  readonly entry: Entry;
  readonly seen: Seen | null;
  readonly values: GroupValues;
}

export function hitOf(seen: Seen): Hit {
  const { recordId, at, fields } = seen.event;
  const [login, instance] = [loginOf(seen.event), fields.serverInstanceName];
  return {
    entry: { f: at, l: at, r: [recordId], n: 1, p: login ? [login] : [], i: instance ? [instance] : [] },
    seen,
    values: {},
  };
}

/** The value that a hit of this child adds to the group's key; null: absent. */
export function groupedValue({ seen, values }: Hit, { ofChild }: Grouping, child: number): string | null {
  const from = ofChild[child];
  if (!from) return null;
  if (!from.field) return values[from.name] ?? null;
  const [value] = seen ? seen.values(from.field) : [];
  return value === undefined ? (values[from.name] ?? null) : textOf(value);
}

/** Values that differ only in letter case have the same key. */
export const groupKey = (values: readonly (string | null)[]): string =>
  values.map((value) => (value === null ? '\u0001' : fold(value))).join('\u001f');

const union = (lists: readonly (readonly string[])[]): string[] => {
  const all = new Set<string>();
  for (const list of lists) for (const one of list) if (all.size < ENTITIES_MAX) all.add(one);
  return [...all];
};

/** Merges entries into one. @param entries at least one, in the order of time */
export function merged(entries: readonly Entry[]): Entry {
  const listed = entries.flatMap(({ r }) => r);
  const ids = new Set(listed);
  return {
    f: Math.min(...entries.map(({ f }) => f)),
    l: Math.max(...entries.map(({ l }) => l)),
    r: [...ids].slice(0, RECORD_IDS_MAX),
    // An event that matched several of the rules counts once.
    n: entries.reduce((sum, { n }) => sum + n, 0) - (listed.length - ids.size),
    p: union(entries.map(({ p }) => p)),
    i: union(entries.map(({ i }) => i)),
  };
}
