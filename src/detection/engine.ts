import { addToSum, dayOf, noSums, type SeenDays, type Sums, sumsSize } from './baseline';
import { type DetectionEvent, foldCase, textOf } from './event';
import { type Finding, findingIdOf } from './finding';
import { GroupStore, type StateRow, type Tally } from './group-store';
import { type Entry, type GroupValues, groupedValue, groupKey, type Hit, hitOf } from './hit';
import type { Matcher } from './matcher';
import { type AbsenceNode, type GroupedNode, isBaseline, type Rule, type RuleNode } from './rule';
import { Seen } from './seen';
import {
  countHit,
  countValue,
  type Lanes,
  lanesSize,
  newestOf,
  newestPart,
  noLanes,
  noParts,
  type Parts,
  partsSize,
  together,
} from './windows';

/** A rule as a tenant runs it. */
export interface ActiveRule {
  readonly rule: Rule;
  readonly version: number;
}

interface Leaf {
  readonly matcher: Matcher;
  readonly deliver: (hit: Hit, position: number) => void;
  readonly isBaseline: boolean;
}

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

/** Groups of one node; a group's entries are bounded by its number, so what all hold is too. */
const ENTRIES_MAX = 50_000;
const GROUPS_MAX = 5_000;
const BASELINE_GROUPS_MAX = 50_000;
const SEEN_MAX = 8;
/** Of all nodes of a tenant: an entry takes about 450 bytes. */
const SIZE_MAX = 100_000;
const SHRINK_SHARE = 0.05;
/** How late an event may be to meet what it belongs to. */
const LATE_US = 86_400e6;
/** Positions after which groups that are over are looked for. */
const SWEEP_POSITIONS = 4_096;
const LISTS_MAX = 2_000;

/** Evaluates the rules of one tenant over its log, event by event in the order of arrival. */
export class Engine {
  readonly #leaves: Leaf[] = [];
  readonly #lists = new Map<string, readonly Leaf[]>();
  readonly #stores = new Map<string, GroupStore<never>>();
  readonly #sweepers: ((watermark: number) => void)[] = [];
  /** What waits for an event of a server instance that is late enough. */
  readonly #waiting = new Map<string, Set<() => void>>();
  readonly #ticks: (() => void)[] = [];
  readonly #tally: Tally = { size: 0, changed: [] };
  #found: Finding[] = [];
  #current: { at: number; instance: string } = { at: 0, instance: '' };
  #position = 0;
  #watermark = 0;
  #nowMs = 0;
  #isLearning = false;
  /** Whether baselines have been built: what is new is told only then. */
  isReady = true;

  constructor(
    private readonly tenantId: number,
    rules: readonly ActiveRule[],
  ) {
    for (const active of rules) this.#add(active);
  }

  /** What windows and baselines hold: entries. */
  get size(): number {
    return this.#tally.size;
  }

  /** @param nowMs the clock, for what is decided by it too */
  evaluate(events: readonly DetectionEvent[], nowMs: number): Finding[] {
    this.#nowMs = nowMs;
    this.#isLearning = false;
    for (const event of events) this.#see(event);
    return this.#take();
  }

  /** Lets baselines learn from events of before. Nothing is found in them. */
  learn(events: readonly DetectionEvent[]): void {
    this.#isLearning = true;
    for (const event of events) {
      const seen = new Seen(event);
      for (const { matcher, deliver, isBaseline: learns } of this.#leavesFor(event))
        if (learns && matcher.test(seen)) deliver(hitOf(seen), event.position);
      this.#measure();
    }
    this.#isLearning = false;
    this.#found = [];
  }

  /** What is over by the clock. */
  tick(nowMs: number): Finding[] {
    this.#nowMs = nowMs;
    for (const tick of this.#ticks) tick();
    return this.#take();
  }

  /** @param rows those touched longest ago first */
  load(rows: readonly StateRow[]): void {
    const byNode = new Map<string, StateRow[]>();
    for (const row of rows) {
      const list = byNode.get(row.node);
      if (list) list.push(row);
      else byNode.set(row.node, [row]);
    }
    for (const [node, list] of byNode) this.#stores.get(node)?.load(list);
    for (const register of this.#registers) register();
  }
  readonly #registers: (() => void)[] = [];

  /** When something is over by the clock next. */
  dueMs(): number | null {
    const times = this.#dues.flatMap((dues) => dues());
    return times.length === 0 ? null : Math.min(...times);
  }
  readonly #dues: (() => number[])[] = [];

  takeChanges(): StateRow[] {
    return [...this.#stores.values()].flatMap((store) => store.takeChanges());
  }

  #take(): Finding[] {
    const found = this.#found;
    this.#found = [];
    return found;
  }

  #see(event: DetectionEvent): void {
    this.#current = { at: event.at, instance: foldCase(event.fields.serverInstanceName ?? '') };
    if (Math.floor(event.position / SWEEP_POSITIONS) > Math.floor(this.#position / SWEEP_POSITIONS))
      for (const sweep of this.#sweepers) sweep(this.#watermark);
    this.#position = event.position;
    this.#watermark = Math.max(this.#watermark, event.at);
    if (this.#waiting.size > 0) {
      const waiting = this.#waiting.get(this.#current.instance);
      if (waiting) for (const look of [...waiting]) look();
    }
    const seen = new Seen(event);
    for (const { matcher, deliver } of this.#leavesFor(event))
      if (matcher.test(seen)) deliver(hitOf(seen), event.position);
    this.#measure();
  }

  /** After each event, so that what is dropped follows from the events alone, wherever a step ends. */
  #measure(): void {
    const { changed } = this.#tally;
    for (let store = changed.pop(); store; store = changed.pop()) store.measure();
    if (this.#tally.size > SIZE_MAX) this.#shrink();
  }

  /** Of the node that holds most what was touched longest ago. */
  #shrink(): void {
    while (this.size > SIZE_MAX) {
      let largest: GroupStore<never> | null = null;
      for (const store of this.#stores.values()) if (!largest || store.size > largest.size) largest = store;
      const target = (largest?.size ?? 0) * (1 - SHRINK_SHARE);
      while (largest && largest.size > target) largest.dropOldest();
    }
  }

  /** Most rules are about few actions: an event meets only those that its action can fulfil. */
  #leavesFor(event: DetectionEvent): readonly Leaf[] {
    const action = event.fields.actionId ?? '';
    const known = this.#lists.get(action);
    if (known) return known;
    const folded = foldCase(action);
    const list = this.#leaves.filter(({ matcher }) => matcher.actions?.has(folded) ?? true);
    if (this.#lists.size < LISTS_MAX) this.#lists.set(action, list);
    return list;
  }

  #add(active: ActiveRule): void {
    const { rule } = active;
    let count = 0;
    const place = (node: RuleNode, tell: (hit: Hit, position: number) => void, learns: boolean): void => {
      if (node.kind === 'event') {
        this.#leaves.push({ matcher: node.matcher, deliver: tell, isBaseline: learns });
        return;
      }
      const name = `${rule.ruleId}/${active.version}/${count++}`;
      const receive = this.#receiver(node, name, tell);
      for (const [i, child] of node.children.entries())
        place(child, (hit, position) => receive(hit, i, position), learns || isBaseline(node));
    };
    place(rule.root, (hit) => this.#tell(active, hit), false);
  }

  #tell({ rule, version }: ActiveRule, { entry, seen, values }: Hit): void {
    const group: GroupValues =
      rule.root.kind === 'event' && seen
        ? Object.fromEntries(
            rule.groupBy.map(({ name, field }) => [name, seen.values(field).map(textOf)[0] ?? null]),
          )
        : values;
    const key = groupKey(Object.values(group));
    const found = { ruleId: rule.ruleId, ruleVersion: version, groupKey: key, recordIds: entry.r };
    this.#found.push({
      ...found,
      findingId: findingIdOf(this.tenantId, found),
      title: rule.title,
      severity: rule.severity,
      group,
      dedupMinutes: rule.dedupMinutes,
      firstAt: entry.f,
      lastAt: entry.l,
      eventCount: entry.n,
      principals: entry.p,
      instances: entry.i,
    });
  }

  #store<Body>(name: string, max: number, sizeOf: (body: Body) => number): GroupStore<Body> {
    const store = new GroupStore<Body>(name, max, sizeOf, this.#tally);
    this.#stores.set(name, store as unknown as GroupStore<never>);
    return store;
  }

  /** What a node does with a hit of one of its children. */
  #receiver(
    node: GroupedNode,
    name: string,
    tell: (hit: Hit, position: number) => void,
  ): (hit: Hit, child: number, position: number) => void {
    const groupOf = (hit: Hit, child: number) => {
      const values = node.groupBy.map((one) => groupedValue(hit, one, child));
      return {
        key: groupKey(values),
        values: Object.fromEntries(node.groupBy.map((one, i) => [one.name, values[i] ?? null])),
      };
    };
    const up = (entry: Entry, values: GroupValues, position: number) =>
      tell({ entry, seen: null, values }, position);
    switch (node.kind) {
      case 'event_count':
      case 'value_count': {
        const store = this.#store<Lanes>(name, groupsMax(node.atLeast), lanesSize);
        this.#sweep(store, node.within, newestOf);
        return (hit, child, position) => {
          const { key, values } = groupOf(hit, child);
          let whole: Entry | null;
          if (node.kind === 'event_count') {
            whole = countHit(
              store.touch(key, values, position, noLanes).body,
              hit.entry,
              node.within,
              node.atLeast,
            );
          } else {
            const value = groupedValue(hit, node.value, child);
            if (value === null) return;
            const entry = { ...hit.entry, v: foldCase(value) };
            whole = countValue(
              store.touch(key, values, position, noLanes).body,
              entry,
              node.within,
              node.atLeast,
            );
          }
          if (whole) up(whole, values, position);
        };
      }
      case 'temporal':
      case 'temporal_ordered': {
        const store = this.#store<Parts>(name, groupsMax(16), partsSize);
        this.#sweep(store, node.within, newestPart);
        const how = { within: node.within, isOrdered: node.kind === 'temporal_ordered' };
        return (hit, child, position) => {
          const { key, values } = groupOf(hit, child);
          const group = store.touch(key, values, position, () => noParts(node.children.length));
          const whole = together(group.body, child, hit.entry, how);
          if (whole) up(whole, values, position);
        };
      }
      case 'absence':
        return this.#absence(node, name, groupOf, up);
      case 'unseen': {
        const store = this.#store<SeenDays>(name, BASELINE_GROUPS_MAX, () => 1);
        return (hit, child, position) => {
          const { key, values } = groupOf(hit, child);
          const value = groupedValue(hit, node.value, child);
          if (value === null) return;
          const day = dayOf(hit.entry.l);
          const [groupName, valueName] = [`g${key}`, `v${key}\u001f${foldCase(value)}`];
          const ofGroup =
            store.peek(groupName) ??
            store.touch(groupName, values, position, () => ({ first: day, last: day }));
          const known = store.peek(valueName);
          const isNew = !known || day - known.body.last > node.days;
          const canTell = !this.#isLearning && this.isReady && day - ofGroup.body.first >= node.learnDays;
          if (day < ofGroup.body.first)
            store.touch(groupName, values, position, () => ofGroup.body).body.first = day;
          if (!known || day > known.body.last) {
            const all = { ...values, [node.value.name]: value };
            const touched = store.touch(valueName, all, position, () => ({ first: day, last: day }));
            touched.body.last = Math.max(touched.body.last, day);
            touched.body.first = Math.min(touched.body.first, day);
            // A group stays as long as its values do.
            if (ofGroup.body.last < day)
              store.touch(groupName, values, position, () => ofGroup.body).body.last = day;
            if (isNew && canTell) up(hit.entry, all, position);
          }
        };
      }
      case 'above': {
        const store = this.#store<Sums>(name, GROUPS_MAX, sumsSize);
        return (hit, child, position) => {
          const [given] = hit.seen?.values(node.value) ?? [];
          const value = Number(given);
          if (!(value > 0)) return;
          const { key, values } = groupOf(hit, child);
          const group = store.touch(key, values, position, noSums);
          const whole = addToSum(group.body, hit.entry, value, node, !this.#isLearning && this.isReady);
          if (whole) up(whole, values, position);
        };
      }
    }
  }

  /** Forgets groups whose time is over, also for events that come late. */
  #sweep<Body>(store: GroupStore<Body>, within: number, newest: (body: Body) => number): void {
    this.#sweepers.push((watermark) => {
      for (const { key, body } of store.all())
        if (newest(body) + within + LATE_US < watermark) store.remove(key);
    });
  }

  #absence(
    node: AbsenceNode,
    name: string,
    groupOf: (hit: Hit, child: number) => { readonly key: string; readonly values: GroupValues },
    up: (entry: Entry, values: GroupValues, position: number) => void,
  ): (hit: Hit, child: number, position: number) => void {
    const store = this.#store<Waiting>(
      name,
      groupsMax(16),
      ({ pending, seen }) => pending.length + seen.length + 1,
    );
    this.#sweep(store, node.within, ({ pending, seen }) =>
      Math.max(0, ...seen, ...pending.map(({ entry }) => entry.l)),
    );
    const isOver = ({ entry }: Pending, at: number) => entry.l + node.within < at;
    /** Tells of what is over in a group. */
    const settle = (key: string, over: (pending: Pending) => boolean) => {
      const group = store.peek(key);
      if (!group) return;
      const told = group.body.pending.filter(over);
      if (told.length === 0) return;
      group.body.pending = group.body.pending.filter((one) => !told.includes(one));
      store.markDirty(key);
      for (const { entry } of told) up(entry, group.values, this.#position);
    };
    const watch = (key: string, pending: Pending) => {
      const instance = foldCase(pending.entry.i.at(-1) ?? '');
      const looks = this.#waiting.get(instance) ?? new Set();
      this.#waiting.set(instance, looks);
      const look = () => {
        if (!store.peek(key)?.body.pending.includes(pending)) return forget();
        if (!isOver(pending, this.#current.at)) return;
        forget();
        settle(key, (one) => one === pending);
      };
      const forget = () => {
        looks.delete(look);
        if (looks.size === 0) this.#waiting.delete(instance);
      };
      looks.add(look);
    };
    this.#ticks.push(() => {
      for (const { key } of store.all()) settle(key, ({ due }) => due !== null && due <= this.#nowMs);
    });
    this.#dues.push(() =>
      [...store.all()].flatMap(({ body }) => body.pending.flatMap(({ due }) => (due === null ? [] : [due]))),
    );
    this.#registers.push(() => {
      for (const { key, body } of store.all()) for (const pending of body.pending) watch(key, pending);
    });
    return (hit, child, position) => {
      const { key, values } = groupOf(hit, child);
      const { body } = store.touch(key, values, position, (): Waiting => ({ pending: [], seen: [] }));
      const makesHarmless = (at: number, entry: Entry) => at >= entry.f && at <= entry.l + node.within;
      if (child === 1) {
        body.seen = [...body.seen, hit.entry.l].sort((a, b) => a - b).slice(-SEEN_MAX);
        body.pending = body.pending.filter(({ entry }) => !makesHarmless(hit.entry.l, entry));
        return;
      }
      if (body.seen.some((at) => makesHarmless(at, hit.entry))) return;
      const due = node.clockMs === null ? null : this.#nowMs + node.clockMs;
      const pending = { entry: hit.entry, due };
      body.pending = [...body.pending, pending].slice(-SEEN_MAX);
      watch(key, pending);
    };
  }
}

const groupsMax = (entries: number) => Math.min(GROUPS_MAX, Math.max(100, Math.floor(ENTRIES_MAX / entries)));
