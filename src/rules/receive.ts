import { fold } from '../event/search';
import { addToSum, dayOf, noSums, type SeenDays, type Sums, sumsSize } from './baseline';
import { usualAt } from './event';
import type { GroupStore } from './group-store';
import { type Entry, type GroupValues, groupedValue, type Hit } from './hit';
import type { AboveNode, CountNode, TemporalNode, UnseenNode, ValueCountNode } from './rule';
import { Stretches } from './stretches';
import {
  countHit,
  countValue,
  type Hits,
  hitsSize,
  noParts,
  type Parts,
  partsSize,
  together,
} from './windows';

/** Called for each hit of one of a node's children. */
export type Receive = (hit: Hit, child: number, position: number) => void;

/** The engine's present place in the log. */
export interface Moment {
  /** Time of the event that the engine looks at, in microseconds since 1970. */
  at: number;
  position: number;
  /** The newest event time so far, in microseconds since 1970: the time of the log. */
  newest: number;
  /** The clock's time, in milliseconds since 1970. */
  nowMs: number;
  isLearning: boolean;
  /** Whether baselines have been built. */
  isReady: boolean;
}

/** The time by which waits end. */
export interface WaitTime {
  /** The same clock as that of the moment at which a wait began, unless it was set. */
  readonly nowMs: number;
  /** Milliseconds since the clock was set, as far as is known; not given: it never was. */
  readonly steadyForMs?: number;
  /** Milliseconds for which events could arrive; not given: always. */
  readonly heardForMs?: number;
}

/** Whether a baseline may report what is new. */
const canTell = ({ isLearning, isReady }: Readonly<Moment>) => !isLearning && isReady;

/** The functions that the engine gives to a node of a rule. */
export interface NodeWork {
  readonly moment: Readonly<Moment>;
  /** Makes the store for the node's groups. */
  store<Body>(groupsMax: number, sizeOf: (body: Body) => number): GroupStore<Body>;
  /** Has the engine call a function now and then, which forgets what no event can complete any more. */
  sweep(forget: () => void): void;
  /** Has the engine call a function when it has loaded stored state. */
  loaded(adopt: () => void): void;
  /** Whether the node above combines the node's matches with others, as `Counting.isKept` says. */
  readonly isKept: boolean;
  readonly groupOf: (hit: Hit, child: number) => { readonly key: string; readonly values: GroupValues };
  /** Reports a match to the node above. @param seen the event that completed the match; null: no event did */
  readonly up: (entry: Entry, values: GroupValues, position: number, seen: Hit['seen']) => void;
}

/** Limits for the groups of one node. The entries of each group are limited too, so the total is limited. */
const ENTRIES_MAX = 50_000;
const GROUPS_MAX = 5_000;
const BASELINE_GROUPS_MAX = 50_000;
const PARTS = 16;

/** The number of groups that a node may have, by the number of entries in a group. */
export const bySize = (entries: number) =>
  Math.min(GROUPS_MAX, Math.max(100, Math.floor(ENTRIES_MAX / entries)));

/** A group has up to two stretches at a time, and more while events arrive late. */
const STRETCHES = 2;

export function receiveCount(node: CountNode | ValueCountNode, work: NodeWork): Receive {
  const { moment, isKept } = work;
  const store = work.store<Hits>(STRETCHES * bySize(node.atLeast), hitsSize);
  const stretches = new Stretches<Hits>(store, {
    within: node.within,
    moment,
    empty: () => ({ entries: [] }),
    isEmpty: ({ entries }) => entries.length === 0,
  });
  work.sweep(() => stretches.sweep());
  work.loaded(() =>
    stretches.adopt((body) =>
      'lanes' in (body as object)
        ? (body as { lanes: { entries: Hits['entries'] }[] }).lanes
            .flatMap(({ entries }) => entries)
            .sort((a, b) => a.l - b.l)
            .map((entry) => ({ at: entry.l, add: ({ entries }: Hits) => entries.push(entry) }))
        : null,
    ),
  );
  const how = { within: node.within, atLeast: node.atLeast, isKept };
  const isCounted = onceForEach(node);
  return (hit, child, position) => {
    const { key, values } = work.groupOf(hit, child);
    const value = node.kind === 'value_count' ? joinedValue(hit, node.values, child) : null;
    if (node.kind === 'value_count' && value === null) return;
    if (!isCounted(child, key, position)) return;
    const around = stretches.around(key, values, hit.entry.l);
    const whole =
      value === null
        ? countHit(around, hit.entry, how)
        : countValue(around, { ...hit.entry, v: fold(value) }, how);
    if (whole.length > 0 && !isKept) stretches.taken(key, values, hit.entry.l);
    for (const one of whole) work.up(one, values, position, hit.seen);
  };
}

/** An event that several rules of a count match is counted once. */
function onceForEach({ kind, children }: CountNode | ValueCountNode) {
  const counted = new Set<string>();
  let latest = -1;
  return (child: number, key: string, position: number): boolean => {
    if (kind !== 'event_count' || children.length === 1 || children[child]?.kind !== 'event') return true;
    if (position !== latest) counted.clear();
    latest = position;
    const isFirst = !counted.has(key);
    counted.add(key);
    return isFirst;
  };
}

/** Null: one of the values is absent. */
function joinedValue(hit: Hit, of: ValueCountNode['values'], child: number): string | null {
  const values = of.map((one) => groupedValue(hit, one, child));
  return values.includes(null) ? null : values.join('\u001f');
}

export function receiveTogether(node: TemporalNode, work: NodeWork): Receive {
  const { moment, isKept } = work;
  const store = work.store<Parts>(STRETCHES * bySize(PARTS), partsSize);
  const stretches = new Stretches<Parts>(store, {
    within: node.within,
    moment,
    empty: () => ({ parts: noParts(node.children.length) }),
    isEmpty: ({ parts }) => parts.every((entries) => entries.length === 0),
  });
  work.sweep(() => stretches.sweep());
  work.loaded(() =>
    stretches.adopt((body) =>
      'a' in (body as object)
        ? null
        : (body as Parts).parts.flatMap((entries, i) =>
            entries.map((entry) => ({ at: entry.l, add: ({ parts }: Parts) => parts[i]?.push(entry) })),
          ),
    ),
  );
  const isOrdered = node.kind === 'temporal_ordered';
  const how = { within: node.within, atLeast: node.atLeast, isOrdered, isKept };
  return (hit, child, position) => {
    const { key, values } = work.groupOf(hit, child);
    const around = stretches.around(key, values, hit.entry.l);
    const whole = together(around, child, hit.entry, how);
    if (!whole) return;
    if (!isKept) stretches.taken(key, values, hit.entry.l);
    work.up(whole, values, position, hit.seen);
  };
}

/** A time that cannot be right would change what is usual for ever. */
const timeOf = ({ entry, seen }: Hit): number => (seen && entry.n === 1 ? usualAt(seen.event) : entry.l);

export function receiveUnseen(node: UnseenNode, { moment, groupOf, up, ...work }: NodeWork): Receive {
  const store = work.store<SeenDays>(BASELINE_GROUPS_MAX, () => 1);
  return (hit, child, position) => {
    const { key, values } = groupOf(hit, child);
    const value = groupedValue(hit, node.value, child);
    if (value === null) return;
    const day = dayOf(timeOf(hit));
    const [groupName, valueName] = [`g${key}`, `v${key}\u001f${fold(value)}`];
    const ofGroup =
      store.peek(groupName) ?? store.touch(groupName, values, position, () => ({ first: day, last: day }));
    const known = store.peek(valueName);
    const isNew = !known || day - known.body.last > node.days;
    const isTold = canTell(moment) && day - ofGroup.body.first >= node.learnDays;
    if (day < ofGroup.body.first)
      store.touch(groupName, values, position, () => ofGroup.body).body.first = day;
    if (!known || day > known.body.last) {
      const all = { ...values, [node.value.name]: value };
      const touched = store.touch(valueName, all, position, () => ({ first: day, last: day }));
      touched.body.last = Math.max(touched.body.last, day);
      touched.body.first = Math.min(touched.body.first, day);
      // A group is kept as long as its values are.
      if (ofGroup.body.last < day)
        store.touch(groupName, values, position, () => ofGroup.body).body.last = day;
      if (isNew && isTold) up(hit.entry, all, position, hit.seen);
    }
  };
}

export function receiveAbove(node: AboveNode, work: NodeWork): Receive {
  const store = work.store<Sums>(GROUPS_MAX, sumsSize);
  return (hit, child, position) => {
    const [given] = hit.seen?.values(node.value) ?? [];
    const value = Number(given);
    if (!(value > 0)) return;
    const { key, values } = work.groupOf(hit, child);
    const group = store.touch(key, values, position, noSums);
    const amount = { value, child, at: timeOf(hit) };
    const whole = addToSum(group.body, hit.entry, amount, node, canTell(work.moment));
    if (whole) work.up(whole, values, position, hit.seen);
  };
}
