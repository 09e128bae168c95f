import { fold } from '../event/search';
import type { Entry, GroupValues } from './hit';
import { bySize, type NodeWork, type Receive, type WaitTime } from './receive';
import type { AbsenceNode } from './rule';
import { isOver, type Stretch } from './stretches';

/** A match of the first rule whose time is not over, and for which the second rule has not matched. */
interface Pending {
  readonly entry: Entry;
  /** Milliseconds since 1970 at which the wait ends by the clock; null: only the times of events end it. */
  due: number | null;
  /** Whether events of any server instance end the wait, not only events of the instance of its last event. */
  readonly byAny?: boolean;
}
interface Waiting extends Stretch {
  pending: Pending[];
  /** Times of the latest matches of the second rule. */
  seen: number[];
  /** Only in the group that stands for the whole log: the minute of the latest event so far. */
  latest?: number;
}

/** The most pending and the most seen matches that a group keeps. */
const SEEN_MAX = 8;
const ENTRIES = 2 * SEEN_MAX;
/** Key of the group that stands for the whole log, in a rule whose groups span several server instances. */
const WHOLE_LOG = '\u0002';
const INSTANCE = 'serverInstanceName';
const MINUTE_US = 60e6;
/**
 * No wait ends by the clock before events could arrive for this time: an agent tries again after half a minute, and its
 * batch takes a moment.
 */
const HEARD_MS = 60_000;

/** The nodes of an engine that wait for an event to stay away. Reports the waits that are over. */
export class Absences {
  /** Functions to call at each event of a server instance: each checks whether a wait is over. */
  readonly #looks = new Map<string, Set<() => void>>();
  readonly #anyLooks = new Set<() => void>();
  readonly #nodes: {
    see(): void;
    tick(time: WaitTime): void;
    dues(time: WaitTime): readonly number[];
    watchAll(): void;
  }[] = [];

  get isWatching(): boolean {
    return this.#nodes.length > 0;
  }

  /**
   * Ends the waits that are over by an event's time.
   * @param instance server instance of the event, letter case folded
   */
  see(instance: string): void {
    for (const node of this.#nodes) node.see();
    const looks = this.#looks.get(instance);
    if (looks) for (const look of [...looks]) look();
    if (this.#anyLooks.size > 0) for (const look of [...this.#anyLooks]) look();
  }

  /** Ends the waits that are over by the clock. */
  tick(time: WaitTime): void {
    for (const node of this.#nodes) node.tick(time);
  }

  /** The next time at which a wait ends by the clock, in milliseconds since 1970; null: none does. */
  dueMs(time: WaitTime): number | null {
    const times = this.#nodes.flatMap((node) => node.dues(time));
    return times.length === 0 ? null : Math.min(...times);
  }

  /** Watches the waits of the groups that were loaded. */
  watchAll(): void {
    for (const node of this.#nodes) node.watchAll();
  }

  receiver(node: AbsenceNode, { moment, groupOf, up, ...work }: NodeWork): Receive {
    const store = work.store<Waiting>(
      bySize(ENTRIES),
      ({ pending, seen }) => pending.length + seen.length + 1,
    );
    work.sweep(() => {
      for (const { key, body } of store.all()) {
        // The clock ends no wait while events wait, and these may be of days, as after an outage.
        const isDecided = body.pending.every(({ due }) => due === null);
        if (key !== WHOLE_LOG && isDecided && isOver(body, node.within, moment.newest)) store.remove(key);
      }
    });
    const touch = (key: string, values: GroupValues, position: number) => {
      const { body } = store.touch(key, values, position, (): Waiting => ({ a: 0, pending: [], seen: [] }));
      body.a = moment.newest;
      return body;
    };
    const isOfInstances = !node.groupBy.some(({ name, ofChild }) =>
      [name, ofChild[0]?.field?.name].includes(INSTANCE),
    );
    const touchLog = (position: number) =>
      store.touch(WHOLE_LOG, {}, position, (): Waiting => ({ a: 0, pending: [], seen: [], latest: 0 })).body;
    /** Reports the waits of a group that are over. */
    const settle = (key: string, over: (pending: Pending) => boolean) => {
      const group = store.peek(key);
      if (!group) return;
      const told = group.body.pending.filter(over);
      if (told.length === 0) return;
      group.body.pending = group.body.pending.filter((one) => !told.includes(one));
      store.markDirty(key);
      for (const { entry } of told) up(entry, group.values, moment.position, null);
    };
    const watch = (key: string, pending: Pending) => {
      const instance = pending.byAny ? null : fold(pending.entry.i.at(-1) ?? '');
      const forget = this.#watch(instance, () => {
        if (!store.peek(key)?.body.pending.includes(pending)) return forget();
        if (pending.entry.l + node.within >= moment.at) return;
        forget();
        settle(key, (one) => one === pending);
      });
    };
    const clockMs = node.clockMs ?? 0;
    /** A wait that began before the clock was set takes its whole time from then: nobody knows how much of it was over. */
    const leftMs = ({ steadyForMs = Infinity, heardForMs = Infinity }: WaitTime) =>
      Math.max(0, clockMs - steadyForMs, HEARD_MS - heardForMs);
    this.#nodes.push({
      see: () => {
        if (!isOfInstances) return;
        const log = store.peek(WHOLE_LOG)?.body ?? touchLog(moment.position);
        if (moment.at < (log.latest ?? 0) + MINUTE_US) return;
        log.latest = moment.at - (moment.at % MINUTE_US);
        store.markDirty(WHOLE_LOG);
      },
      tick: (time) => {
        const isLeft = leftMs(time) > 0;
        for (const { key, body } of store.all()) {
          // The clock was ahead when this wait began.
          const late = body.pending.filter(({ due }) => due !== null && due > time.nowMs + clockMs);
          for (const pending of late) pending.due = time.nowMs + clockMs;
          if (late.length > 0) store.markDirty(key);
          if (!isLeft) settle(key, ({ due }) => due !== null && due <= time.nowMs);
        }
      },
      dues: (time) =>
        [...store.all()].flatMap(({ body }) =>
          body.pending.flatMap(({ due }) => (due === null ? [] : [Math.max(due, time.nowMs + leftMs(time))])),
        ),
      watchAll: () => {
        for (const { key, body } of store.all()) for (const pending of body.pending) watch(key, pending);
      },
    });
    const makesHarmless = (at: number, entry: Entry) => at >= entry.f && at <= entry.l + node.within;
    return (hit, child, position) => {
      const { key, values } = groupOf(hit, child);
      const body = touch(key, values, position);
      // Other instances may have passed the end of this wait already. Then only events of the hit's own instance end
      // it.
      const byAny = isOfInstances && (touchLog(position).latest ?? 0) <= hit.entry.l + node.within;
      if (child === 1) {
        body.seen = [...body.seen, hit.entry.l].sort((a, b) => a - b).slice(-SEEN_MAX);
        body.pending = body.pending.filter(({ entry }) => !makesHarmless(hit.entry.l, entry));
        return;
      }
      if (body.seen.some((at) => makesHarmless(at, hit.entry))) return;
      const due = node.clockMs === null ? null : moment.nowMs + node.clockMs;
      const pending = { entry: hit.entry, due, ...(byAny && { byAny }) };
      body.pending = [...body.pending, pending].slice(-SEEN_MAX);
      watch(key, pending);
    };
  }

  /**
   * Calls `look` at each event of a server instance.
   * @param instance null: events of any instance
   * @returns a function that stops the calls
   */
  #watch(instance: string | null, look: () => void): () => void {
    if (instance === null) {
      this.#anyLooks.add(look);
      return () => this.#anyLooks.delete(look);
    }
    const looks = this.#looks.get(instance) ?? new Set();
    this.#looks.set(instance, looks);
    looks.add(look);
    return () => {
      looks.delete(look);
      if (looks.size === 0) this.#looks.delete(instance);
    };
  }
}
