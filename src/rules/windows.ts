import { type Entry, entrySize, merged } from './hit';
import type { Around, Stretch } from './stretches';

/** The hits of a group in a stretch, in the order of time. */
export interface Hits extends Stretch {
  entries: Entry[];
}

/** How a node counts. */
export interface Counting {
  /** Microseconds. */
  readonly within: number;
  readonly atLeast: number;
  /**
   * Whether hits of a whole window stay, so that each further hit makes another whole window. This is for the node above
   * that combines them with other hits: which of the windows it needs is known only to it.
   */
  readonly isKept: boolean;
}

/** A late hit may make many windows whole at once. The latest of them are reported. */
const WHOLE_MAX = 8;

const NONE: readonly Entry[] = [];
const listSize = (entries: readonly Entry[]): number => {
  const last = entries.at(-1);
  return last ? entries.length * entrySize(last) : 0;
};
/** All hits of a stretch are about the same size. */
// What a build without stretches has stored has no entries before it is sorted into stretches. This goes with 0.2.0.
export const hitsSize = ({ entries }: Partial<Hits>): number => 1 + listSize(entries ?? NONE);

/** Puts an entry where its time belongs. @returns its index; -1 if the same record is there already */
function insert(entries: Entry[], entry: Entry): number {
  let at = entries.length;
  while (at > 0 && (entries[at - 1] as Entry).l > entry.l) at -= 1;
  for (let i = at - 1; i >= 0 && (entries[i] as Entry).l === entry.l; i--)
    if (sameRecord((entries[i] as Entry).r, entry.r)) return -1;
  if (at === entries.length) entries.push(entry);
  else entries.splice(at, 0, entry);
  return at;
}

const sameRecord = (a: readonly string[], b: readonly string[]) =>
  a.length === 1 && b.length === 1 && a[0] === b[0];

/** The hits of a stretch and its neighbours as one list, which is not copied. */
class Line {
  readonly #before: readonly Entry[];
  readonly #own: readonly Entry[];
  readonly #after: readonly Entry[];
  readonly length: number;

  constructor({ before, own, after }: Around<Hits>) {
    this.#before = before?.entries ?? NONE;
    this.#own = own.entries;
    this.#after = after?.entries ?? NONE;
    this.length = this.#before.length + this.#own.length + this.#after.length;
  }

  get ownAt(): number {
    return this.#before.length;
  }

  at(i: number): Entry {
    const inOwn = i - this.#before.length;
    if (inOwn < 0) return this.#before[i] as Entry;
    const inAfter = inOwn - this.#own.length;
    return (inAfter < 0 ? this.#own[inOwn] : this.#after[inAfter]) as Entry;
  }

  slice(from: number, to: number): Entry[] {
    return Array.from({ length: to - from + 1 }, (_, i) => this.at(from + i));
  }
}

/** Takes hits out of a stretch and its neighbours. */
function take({ before, own, after }: Around<Hits>, from: number, to: number): void {
  let [low, high] = [from, to + 1];
  for (const one of [before, own, after]) {
    if (!one) continue;
    const { length } = one.entries;
    if (low < length && high > 0)
      one.entries.splice(Math.max(0, low), Math.min(high, length) - Math.max(0, low));
    low -= length;
    high -= length;
    byValue.delete(one);
  }
}

/**
 * Counts a hit, at whatever time.
 * @returns windows that it makes whole: all hits of each; unless they are kept there is at most one, and its hits are not
 * counted again
 */
export function countHit(around: Around<Hits>, entry: Entry, { within, atLeast, isKept }: Counting): Entry[] {
  const { entries } = around.own;
  const index = insert(entries, entry);
  if (index < 0) return [];
  const line = new Line(around);
  const at = line.ownAt + index;
  const whole: Entry[] = [];
  for (let to = Math.min(at + atLeast, line.length) - 1; to >= at; to--) {
    const from = to - atLeast + 1;
    if (from < 0) break;
    if (line.at(to).l - line.at(from).l > within) continue;
    whole.push(merged(line.slice(from, to)));
    if (!isKept) take(around, from, to);
    if (!isKept || whole.length === WHOLE_MAX) break;
  }
  // The first and the last hits of a long stretch are in any window that a further hit makes whole.
  if (isKept && entries.length > 2 * atLeast) entries.splice(atLeast, 1);
  return whole.reverse();
}

/** Counts distinct values, as `countHit` counts hits. The latest hit of each value in a window represents it. */
export function countValue(
  around: Around<Hits>,
  entry: Entry,
  { within, atLeast, isKept }: Counting,
): Entry[] {
  const { own } = around;
  const same = hitsOfValue(own, entry.v);
  const [first, last] = [same[0], same.at(-1)];
  // A window with a hit between two of its value in one stretch has one of the two.
  if (!isKept && same.length === 2 && first && last && entry.l >= first.l && entry.l <= last.l) return [];
  const index = insert(own.entries, entry);
  if (index < 0) return [];
  const line = new Line(around);
  const at = line.ownAt + index;
  const isNewest = at === line.length - 1;
  const hadValue = isNewest && first !== undefined && first.l <= entry.l;
  const whole = hadValue && !isKept ? [] : distinctWindows(line, at, { within, atLeast });
  const found = isKept ? whole.slice(-WHOLE_MAX) : whole.slice(-1);
  const results = found.map(({ from, to }) => merged(latestOfEach(line.slice(from, to))));
  keepEnds(own, entry, same);
  const [only] = found;
  if (!isKept && only) takeWindow(around, line.at(only.from).l, line.at(only.to).l);
  if (isKept && own.entries.length > 4 * atLeast) drop(own, own.entries[2 * atLeast] as Entry);
  return results;
}

interface Window {
  readonly from: number;
  readonly to: number;
}

/** The windows around a hit that have enough values, as indices in the line. */
function distinctWindows(line: Line, at: number, { within, atLeast }: Omit<Counting, 'isKept'>): Window[] {
  if (line.length < atLeast) return [];
  const counts = new Map<string | undefined, number>();
  const add = (i: number, n: number) => {
    const { v } = line.at(i);
    const sum = (counts.get(v) ?? 0) + n;
    if (sum === 0) counts.delete(v);
    else counts.set(v, sum);
  };
  const { l } = line.at(at);
  let from = at;
  while (from > 0 && l - line.at(from - 1).l <= within) from -= 1;
  for (let i = from; i < at; i++) add(i, 1);
  const found: Window[] = [];
  for (let to = at; to < line.length && line.at(to).l - l <= within; to++) {
    add(to, 1);
    for (; line.at(to).l - line.at(from).l > within; from++) add(from, -1);
    if (counts.size >= atLeast) found.push({ from, to });
  }
  return found;
}

function latestOfEach(entries: readonly Entry[]): Entry[] {
  const seen = new Set<string | undefined>();
  const latest: Entry[] = [];
  for (const entry of entries.toReversed())
    if (!seen.has(entry.v)) {
      seen.add(entry.v);
      latest.push(entry);
    }
  return latest.reverse();
}

/** Of each value a stretch keeps the first hit and the last. */
function keepEnds(own: Hits, entry: Entry, same: readonly Entry[]): void {
  const all = [...same, entry].sort((a, b) => a.l - b.l);
  const known = byValue.get(own);
  if (all.length <= 2) {
    known?.set(entry.v, all);
    return;
  }
  own.entries.splice(placeOf(own.entries, all[1] as Entry), 1);
  known?.set(entry.v, [all[0] as Entry, all[2] as Entry]);
}

function drop(own: Hits, entry: Entry): void {
  own.entries.splice(placeOf(own.entries, entry), 1);
  const known = byValue.get(own);
  known?.set(entry.v, known.get(entry.v)?.filter((one) => one !== entry) ?? []);
}

function takeWindow(around: Around<Hits>, first: number, last: number): void {
  for (const one of [around.before, around.own, around.after]) {
    if (!one) continue;
    one.entries = one.entries.filter(({ l }) => l < first || l > last);
    byValue.delete(one);
  }
}

/** The entries of long stretches by value. Stored stretches do not have this map. */
const byValue = new WeakMap<Hits, Map<string | undefined, readonly Entry[]>>();
/** In shorter ones an entry is found as soon without a map. A map for each takes as much memory as its entries. */
const LONG = 24;

function hitsOfValue(own: Hits, value: string | undefined): readonly Entry[] {
  if (own.entries.length < LONG) {
    byValue.delete(own);
    return own.entries.filter(({ v }) => v === value);
  }
  const known = byValue.get(own) ?? mapOf(own.entries);
  byValue.set(own, known);
  return known.get(value) ?? NONE;
}

function mapOf(entries: readonly Entry[]): Map<string | undefined, readonly Entry[]> {
  const map = new Map<string | undefined, readonly Entry[]>();
  for (const entry of entries) map.set(entry.v, [...(map.get(entry.v) ?? NONE), entry]);
  return map;
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

/** The hits of each rule that a temporal correlation combines, in a stretch. */
export interface Parts extends Stretch {
  parts: Entry[][];
}
const PARTS_MAX = 16;
export const noParts = (children: number): Entry[][] => Array.from({ length: children }, () => []);
export const partsSize = ({ parts }: Parts): number =>
  parts.reduce((sum, entries) => sum + listSize(entries), 1);

/** How a node combines. `isKept` is as in `Counting`. */
export interface Combining extends Counting {
  readonly isOrdered: boolean;
}

/**
 * Adds a hit.
 * @returns one hit of each rule, or of `atLeast` rules, all within the time, when this hit completes them. Unless they
 * are kept, they are not combined again
 */
export function together(
  around: Around<Parts>,
  child: number,
  entry: Entry,
  { within, isOrdered, atLeast, isKept }: Combining,
): Entry | null {
  const own = around.own.parts[child] as Entry[];
  if (insert(own, entry) < 0) return null;
  // The first hit stays: a late hit may come before all others.
  if (own.length > PARTS_MAX) own.splice(1, 1);
  const lists = [around.before, around.own, around.after].filter((one) => one !== undefined);
  if (rulesIn(lists, around.own.parts.length) < atLeast) return null;
  const parts = around.own.parts.map((_, i) => lists.flatMap((one) => one.parts[i] ?? NONE));
  const found = isOrdered
    ? inOrder(parts, child, entry)
    : inAnyOrder(parts, child, entry, { within, atLeast });
  if (!found) return null;
  const used = found.flatMap((one) => one ?? []).sort((a, b) => a.l - b.l);
  if ((used.at(-1)?.l ?? 0) - (used[0]?.l ?? 0) > within) return null;
  if (!isKept) for (const list of lists) list.parts = list.parts.map((some, i) => without(some, found[i]));
  return merged(used);
}

/** How many rules have hits. */
function rulesIn(lists: readonly Parts[], rules: number): number {
  let count = 0;
  for (let i = 0; i < rules; i++) if (lists.some(({ parts }) => (parts[i]?.length ?? 0) > 0)) count += 1;
  return count;
}

/** Matches of a correlation that share time are of one burst, and go together. */
const without = (entries: readonly Entry[], used: Entry | undefined): Entry[] =>
  entries.filter(({ f, l }) => !used || l < used.f || f > used.l);

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

/** @returns the hit of each rule by its index; undefined: none of that rule */
function inAnyOrder(
  parts: readonly (readonly Entry[])[],
  child: number,
  entry: Entry,
  { within, atLeast }: { readonly within: number; readonly atLeast: number },
): (Entry | undefined)[] | null {
  const starts = parts.flat().flatMap(({ l }) => (l <= entry.l && l >= entry.l - within ? [l] : []));
  for (const start of starts.sort((a, b) => a - b)) {
    const found = parts.map((entries, i) =>
      i === child ? entry : entries.find(({ l }) => l >= start && l <= start + within),
    );
    if (found.filter(Boolean).length >= atLeast) return found;
  }
  return null;
}
