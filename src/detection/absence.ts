import { foldCase } from './event';
import type { Entry } from './hit';
import { bySize, type Place, type Receive } from './receive';
import type { AbsenceNode } from './rule';

/** A time that has to pass without what would make it harmless. */
interface Pending {
  readonly entry: Entry;
  /** Milliseconds of the clock; null: by events alone. */
  readonly due: number | null;
}
interface Waiting {
  pending: Pending[];
  /** When what makes it harmless last happened. */
  seen: number[];
}

/** What a group may have of each. */
const SEEN_MAX = 8;
const ENTRIES = 2 * SEEN_MAX;

/** The nodes of an engine that wait for something not to happen, and what of them is over. */
export class Absences {
  /** What waits for an event of a server instance that is late enough. */
  readonly #looks = new Map<string, Set<() => void>>();
  readonly #nodes: { tick(): void; dues(): readonly number[]; watchAll(): void }[] = [];

  get isWatching(): boolean {
    return this.#nodes.length > 0;
  }

  /** What an event tells to be over. @param instance of the event, folded */
  see(instance: string): void {
    if (this.#looks.size === 0) return;
    const looks = this.#looks.get(instance);
    if (looks) for (const look of [...looks]) look();
  }

  /** What the clock tells to be over. */
  tick(): void {
    for (const node of this.#nodes) node.tick();
  }

  /** Milliseconds of the clock when something is over next. */
  dueMs(): number | null {
    const times = this.#nodes.flatMap((node) => node.dues());
    return times.length === 0 ? null : Math.min(...times);
  }

  /** Watches what stored groups wait for. */
  watchAll(): void {
    for (const node of this.#nodes) node.watchAll();
  }

  receiver(node: AbsenceNode, { moment, groupOf, up, ...place }: Place): Receive {
    const store = place.store<Waiting>(
      bySize(ENTRIES),
      ({ pending, seen }) => pending.length + seen.length + 1,
    );
    place.sweep(store, node.within, ({ pending, seen }) =>
      Math.max(0, ...seen, ...pending.map(({ entry }) => entry.l)),
    );
    /** Tells of what is over in a group. */
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
      const forget = this.#watch(foldCase(pending.entry.i.at(-1) ?? ''), () => {
        if (!store.peek(key)?.body.pending.includes(pending)) return forget();
        if (pending.entry.l + node.within >= moment.at) return;
        forget();
        settle(key, (one) => one === pending);
      });
    };
    this.#nodes.push({
      tick: () => {
        for (const { key } of store.all()) settle(key, ({ due }) => due !== null && due <= moment.nowMs);
      },
      dues: () =>
        [...store.all()].flatMap(({ body }) =>
          body.pending.flatMap(({ due }) => (due === null ? [] : [due])),
        ),
      watchAll: () => {
        for (const { key, body } of store.all()) for (const pending of body.pending) watch(key, pending);
      },
    });
    const makesHarmless = (at: number, entry: Entry) => at >= entry.f && at <= entry.l + node.within;
    return (hit, child, position) => {
      const { key, values } = groupOf(hit, child);
      const { body } = store.touch(key, values, position, (): Waiting => ({ pending: [], seen: [] }));
      if (child === 1) {
        body.seen = [...body.seen, hit.entry.l].sort((a, b) => a - b).slice(-SEEN_MAX);
        body.pending = body.pending.filter(({ entry }) => !makesHarmless(hit.entry.l, entry));
        return;
      }
      if (body.seen.some((at) => makesHarmless(at, hit.entry))) return;
      const due = node.clockMs === null ? null : moment.nowMs + node.clockMs;
      const pending = { entry: hit.entry, due };
      body.pending = [...body.pending, pending].slice(-SEEN_MAX);
      watch(key, pending);
    };
  }

  /** Looks at each event of a server instance. @returns how to stop that */
  #watch(instance: string, look: () => void): () => void {
    const looks = this.#looks.get(instance) ?? new Set();
    this.#looks.set(instance, looks);
    looks.add(look);
    return () => {
      looks.delete(look);
      if (looks.size === 0) this.#looks.delete(instance);
    };
  }
}
