import { type Entry, entrySize, merged } from './hit';

/**
 * Entries that lie within one timespan of the newest. A late event of an earlier time gets another lane, so that a
 * burst that arrives late is found like one that arrives in time.
 */
interface Lane {
  max: number;
  entries: Entry[];
}
export interface Lanes {
  lanes: Lane[];
}

const LANES_MAX = 3;

export const noLanes = (): Lanes => ({ lanes: [] });
/** All entries of a lane are about the same size. */
export const lanesSize = ({ lanes }: Lanes): number =>
  lanes.reduce((sum, { entries }) => sum + listSize(entries), 1);

const listSize = (entries: readonly Entry[]): number => {
  const last = entries.at(-1);
  return last ? entries.length * entrySize(last) : 0;
};

/** The lane to which an event time belongs. The lanes used last stand last. */
function laneOf(body: Lanes, at: number, within: number): Lane {
  let best = -1;
  for (let i = 0; i < body.lanes.length; i++) {
    const { max } = body.lanes[i] as Lane;
    if (Math.abs(at - max) <= within && (best < 0 || max > (body.lanes[best] as Lane).max)) best = i;
  }
  if (best >= 0) {
    const [lane] = body.lanes.splice(best, 1);
    body.lanes.push(lane as Lane);
    return lane as Lane;
  }
  const made = { max: at, entries: [] };
  body.lanes.push(made);
  if (body.lanes.length > LANES_MAX) body.lanes.shift();
  return made;
}

function insert(entries: Entry[], entry: Entry): void {
  let at = entries.length;
  while (at > 0 && (entries[at - 1] as Entry).l > entry.l) at -= 1;
  if (at === entries.length) entries.push(entry);
  else entries.splice(at, 0, entry);
}

function dropOlder(lane: Lane, before: number): readonly Entry[] {
  let n = 0;
  while (n < lane.entries.length && (lane.entries[n] as Entry).l < before) n += 1;
  return n > 0 ? lane.entries.splice(0, n) : NONE;
}
const NONE: readonly Entry[] = [];

/** Counts a hit. @returns all hits of the window when this one completes the number; they are not counted again */
export function countHit(body: Lanes, entry: Entry, within: number, atLeast: number): Entry | null {
  const lane = laneOf(body, entry.l, within);
  lane.max = Math.max(lane.max, entry.l);
  insert(lane.entries, entry);
  dropOlder(lane, lane.max - within);
  if (lane.entries.length < atLeast) return null;
  const whole = merged(lane.entries);
  lane.entries = [];
  return whole;
}

/** Counts distinct values. The latest hit of each value represents it. */
export function countValue(body: Lanes, entry: Entry, within: number, atLeast: number): Entry | null {
  const lane = laneOf(body, entry.l, within);
  lane.max = Math.max(lane.max, entry.l);
  const values = valuesOf(lane);
  const same = values ? values.get(entry.v) : lane.entries.find(({ v }) => v === entry.v);
  if (same) {
    if (same.l > entry.l) return null;
    lane.entries.splice(placeOf(lane.entries, same), 1);
  }
  insert(lane.entries, entry);
  values?.set(entry.v, entry);
  const old = dropOlder(lane, lane.max - within);
  if (values) for (const { v } of old) values.delete(v);
  if (lane.entries.length < atLeast) return null;
  const whole = merged(lane.entries);
  lane.entries = [];
  known.delete(lane);
  return whole;
}

/** The entries of long lanes by value. Stored lanes do not have this map. */
const known = new WeakMap<Lane, Map<string | undefined, Entry>>();
/** In shorter lanes an entry is found as soon without a map. A map for each takes as much memory as its entries. */
const LONG = 16;

function valuesOf(lane: Lane): Map<string | undefined, Entry> | null {
  if (lane.entries.length < LONG) {
    known.delete(lane);
    return null;
  }
  const made = known.get(lane) ?? new Map(lane.entries.map((entry) => [entry.v, entry]));
  known.set(lane, made);
  return made;
}

/** The index of an entry. The entries are in the order of time. */
function placeOf(entries: readonly Entry[], entry: Entry): number {
  let [low, high] = [0, entries.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((entries[middle] as Entry).l < entry.l) low = middle + 1;
    else high = middle;
  }
  return entries.indexOf(entry, low);
}

/** The time of the newest entry. */
export const newestOf = ({ lanes }: Lanes): number => Math.max(0, ...lanes.map(({ max }) => max));

/** The latest hits of each rule that a temporal correlation combines. */
export interface Parts {
  parts: Entry[][];
}
const PARTS_MAX = 16;
export const noParts = (children: number): Parts => ({ parts: Array.from({ length: children }, () => []) });
export const partsSize = ({ parts }: Parts): number =>
  parts.reduce((sum, entries) => sum + listSize(entries), 1);
export const newestPart = ({ parts }: Parts): number =>
  Math.max(0, ...parts.flatMap((entries) => entries.map(({ l }) => l)));

/**
 * Adds a hit.
 * @returns one hit of each rule, or of `atLeast` rules, all within the time, when this hit completes them
 */
export function together(
  body: Parts,
  child: number,
  entry: Entry,
  {
    within,
    isOrdered,
    atLeast,
  }: { readonly within: number; readonly isOrdered: boolean; readonly atLeast: number },
): Entry | null {
  const own = body.parts[child] as Entry[];
  insert(own, entry);
  if (own.length > PARTS_MAX) own.shift();
  if (body.parts.filter((entries) => entries.length > 0).length < atLeast) return null;
  const found = isOrdered
    ? inOrder(body.parts, child, entry)
    : inAnyOrder(body.parts, child, entry, { within, atLeast });
  if (!found) return null;
  const times = found.map(({ l }) => l);
  if (Math.max(...times) - Math.min(...times) > within) return null;
  body.parts = body.parts.map(() => []);
  return merged(found);
}

/** Takes the latest fitting hit of each rule before this one, and the earliest of each rule after it. */
function inOrder(parts: readonly (readonly Entry[])[], child: number, entry: Entry): Entry[] | null {
  const found: Entry[] = [];
  found[child] = entry;
  for (let i = child - 1, next = entry; i >= 0; i--) {
    const before = parts[i]?.findLast(({ l, r }) => l <= next.f && !sameRecord(r, next.r));
    if (!before) return null;
    found[i] = next = before;
  }
  for (let i = child + 1, last = entry; i < parts.length; i++) {
    const after = parts[i]?.find(({ f, r }) => f >= last.l && !sameRecord(r, last.r));
    if (!after) return null;
    found[i] = last = after;
  }
  return found;
}

const sameRecord = (a: readonly string[], b: readonly string[]) =>
  a.length === 1 && b.length === 1 && a[0] === b[0];

function inAnyOrder(
  parts: readonly (readonly Entry[])[],
  child: number,
  entry: Entry,
  { within, atLeast }: { readonly within: number; readonly atLeast: number },
): Entry[] | null {
  const starts = parts.flat().flatMap(({ l }) => (l <= entry.l && l >= entry.l - within ? [l] : []));
  for (const start of starts.sort((a, b) => a - b)) {
    const found = parts.flatMap((entries, i) => {
      const one = i === child ? entry : entries.find(({ l }) => l >= start && l <= start + within);
      return one ? [one] : [];
    });
    if (found.length >= atLeast) return found.sort((a, b) => a.l - b.l);
  }
  return null;
}
