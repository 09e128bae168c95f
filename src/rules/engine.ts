import { fold } from '../event/search';
import { Absences } from './absence';
import { type DetectionEvent, isMarked, textOf } from './event';
import { codeOf } from './event-values';
import { type Finding, findingIdOf } from './finding';
import { type EngineSize, GroupStore, type StateRow } from './group-store';
import { type GroupValues, groupedValue, groupKey, type Hit, hitOf } from './hit';
import type { Matcher } from './matcher';
import {
  type Moment,
  type NodeWork,
  type Receive,
  receiveAbove,
  receiveCount,
  receiveTogether,
  receiveUnseen,
  type WaitTime,
} from './receive';
import { type GroupedNode, isBaseline, type Rule, type RuleNode } from './rule';
import { Seen } from './seen';
import { Sieve } from './sieve';
import { WordFinder } from './word-finder';

/** A rule that a tenant runs. */
export interface ActiveRule {
  readonly rule: Rule;
  readonly version: number;
}

interface Leaf {
  readonly matcher: Matcher;
  readonly deliver: (hit: Hit, position: number) => void;
  readonly isBaseline: boolean;
}

/** An event at which conditions failed: whether they hold is not known. */
export interface Unread {
  readonly recordId: string;
  /** The name of the first error: its message may hold a value of the event, which no log has. */
  readonly error: string;
}

/** After so many failures nothing more is asked of an event: each may have taken long. */
const FAILURES_MAX = 3;
const UNREAD_MAX = 100;

/** What an event of an action meets. */
interface Plan {
  readonly leaves: readonly Leaf[];
  readonly sieve: Sieve;
}

/** The limit for all nodes of a tenant together, in entries. An entry takes about 450 bytes. */
const SIZE_MAX = 100_000;
const SHRINK_SHARE = 0.05;
/** The engine looks for groups whose time is over each time the position has advanced by this number. */
const SWEEP_POSITIONS = 4_096;
const PLANS_MAX = 512;
/** The node of the row of state that holds the newest event time so far. */
export const NEWEST_NODE = '-/0/newest';

/** Evaluates the rules of one tenant, event by event in the order of arrival. */
export class Engine {
  readonly #leaves: Leaf[] = [];
  readonly #finder: WordFinder;
  readonly #plans = new Map<string, Plan>();
  readonly #stores = new Map<string, GroupStore<never>>();
  readonly #sweepers: (() => void)[] = [];
  readonly #adopters: (() => void)[] = [];
  readonly #absences = new Absences();
  readonly #total: EngineSize = { size: 0, changed: [] };
  #found: Finding[] = [];
  #unread: Unread[] = [];
  readonly #moment: Moment = {
    at: 0,
    position: 0,
    newest: 0,
    nowMs: 0,
    isLearning: false,
    isReady: true,
  };
  #storedNewest = 0;

  constructor(
    private readonly tenantId: number,
    rules: readonly ActiveRule[],
  ) {
    for (const active of rules) this.#add(active);
    this.#finder = WordFinder.of(this.#leaves.flatMap(({ matcher }) => matcher.needs?.words ?? []));
  }

  /** Whether baselines have been built. Before that, rules do not report what is new. */
  set isReady(isReady: boolean) {
    this.#moment.isReady = isReady;
  }

  /**
   * Actions, in lower case, that the rules are about; null: any action. A caller that leaves out events of other
   * actions gets the same findings, except for events more than a day late. Each event's time, whatever its action,
   * lets the engine forget groups whose time is over.
   */
  get actions(): readonly string[] | null {
    const sets = this.#leaves.map(({ matcher }) => matcher.actions);
    if (this.#absences.isWatching || sets.includes(null)) return null;
    return [...new Set(sets.flatMap((set) => [...(set ?? [])]))];
  }

  /** Whether a rule has a baseline, which must learn what is usual. */
  get learns(): boolean {
    return this.#leaves.some(({ isBaseline }) => isBaseline);
  }

  /** The size of windows and baselines together, in entries. */
  get size(): number {
    return this.#total.size;
  }

  /** @param nowMs the clock: some waits end by it */
  evaluate(events: readonly DetectionEvent[], nowMs: number): Finding[] {
    this.#moment.nowMs = nowMs;
    this.#moment.isLearning = false;
    for (const event of events) this.#see(event);
    return this.#take();
  }

  /** Lets baselines learn from earlier events. Learning finds nothing. */
  learn(events: readonly DetectionEvent[]): void {
    this.#moment.isLearning = true;
    for (const event of events) {
      const seen = new Seen(event);
      let failures = 0;
      for (const { matcher, deliver, isBaseline: learns } of this.#planFor(event).leaves)
        try {
          if (learns && failures < FAILURES_MAX && matcher.test(seen)) deliver(hitOf(seen), event.position);
        } catch (error) {
          failures = this.#failed(event, error, failures);
        }
      this.#measure();
    }
    this.#moment.isLearning = false;
    this.#found = [];
  }

  /** Ends the waits that are over by the clock. */
  tick(time: WaitTime): Finding[] {
    this.#moment.nowMs = time.nowMs;
    this.#absences.tick(time);
    return this.#take();
  }

  /** @param rows in the order of their last touch, the oldest first */
  load(rows: readonly StateRow[]): void {
    const byNode = new Map<string, StateRow[]>();
    for (const row of rows) {
      const list = byNode.get(row.node);
      if (list) list.push(row);
      else byNode.set(row.node, [row]);
    }
    this.#storedNewest = Number(byNode.get(NEWEST_NODE)?.[0]?.body ?? 0);
    this.#moment.newest = this.#storedNewest;
    for (const [node, list] of byNode) this.#stores.get(node)?.load(list);
    for (const adopt of this.#adopters) adopt();
    this.#absences.watchAll();
  }

  /** The next time at which a wait ends by the clock, in milliseconds since 1970; null: none does. */
  dueMs(time: WaitTime): number | null {
    return this.#absences.dueMs(time);
  }

  takeChanges(): StateRow[] {
    const { newest, position } = this.#moment;
    const isSame = newest === this.#storedNewest;
    this.#storedNewest = newest;
    return [
      ...(isSame ? [] : [{ node: NEWEST_NODE, key: '', touched: position, values: {}, body: newest }]),
      ...[...this.#stores.values()].flatMap((store) => store.takeChanges()),
    ];
  }

  /** The events since the last call at which conditions failed, the first ones. */
  takeUnread(): readonly Unread[] {
    const unread = this.#unread;
    this.#unread = [];
    return unread;
  }

  #take(): Finding[] {
    const found = this.#found;
    this.#found = [];
    return found;
  }

  #see(event: DetectionEvent): void {
    const moment = this.#moment;
    moment.at = event.at;
    if (Math.floor(event.position / SWEEP_POSITIONS) > Math.floor(moment.position / SWEEP_POSITIONS))
      for (const sweep of this.#sweepers) sweep();
    moment.position = event.position;
    if (!isMarked(event)) {
      moment.newest = Math.max(moment.newest, event.at);
      this.#absences.see(fold(event.fields.serverInstanceName ?? ''));
    }
    const seen = new Seen(event);
    const { leaves, sieve } = this.#planFor(event);
    let failures = 0;
    try {
      sieve.look(seen);
    } catch (error) {
      failures = this.#failed(event, error, failures);
    }
    for (let i = 0; i < leaves.length && failures < FAILURES_MAX; i++) {
      const { matcher, deliver } = leaves[i] as Leaf;
      try {
        if (sieve.mayHold(i) && matcher.test(seen)) deliver(hitOf(seen), event.position);
      } catch (error) {
        failures = this.#failed(event, error, failures);
      }
    }
    this.#measure();
  }

  /** One event must not end the work of all rules. It is noted once. @returns the number of its failures */
  #failed({ recordId }: DetectionEvent, error: unknown, before: number): number {
    if (before === 0 && this.#unread.length < UNREAD_MAX)
      this.#unread.push({ recordId, error: error instanceof Error ? error.name : typeof error });
    return before + 1;
  }

  /** Runs after each event. So the groups dropped depend on the events alone, and not on where a step of work ends. */
  #measure(): void {
    const { changed } = this.#total;
    for (let store = changed.pop(); store; store = changed.pop()) store.measure();
    if (this.#total.size > SIZE_MAX) this.#shrink();
  }

  /** Drops the groups touched longest ago, from the node that holds most. */
  #shrink(): void {
    while (this.size > SIZE_MAX) {
      let largest: GroupStore<never> | null = null;
      for (const store of this.#stores.values()) if (!largest || store.size > largest.size) largest = store;
      const target = (largest?.size ?? 0) * (1 - SHRINK_SHARE);
      while (largest && largest.size > target) largest.dropOldest();
    }
  }

  /** Most rules are about few actions. So an event meets only the leaves that its action can fulfil. */
  #planFor(event: DetectionEvent): Plan {
    const action = event.fields.actionId ?? '';
    const known = this.#plans.get(action);
    if (known) return known;
    const folded = fold(codeOf(action));
    const needed = this.#leaves.map((leaf) => ({ leaf, needs: leaf.matcher.needs?.of(folded) ?? null }));
    const some = needed.filter(
      ({ leaf, needs }) => (leaf.matcher.actions?.has(folded) ?? true) && needs?.length !== 0,
    );
    const plan = {
      leaves: some.map(({ leaf }) => leaf),
      sieve: new Sieve(
        some.map(({ needs }) => needs),
        this.#finder,
      ),
    };
    if (this.#plans.size < PLANS_MAX) this.#plans.set(action, plan);
    return plan;
  }

  #add(active: ActiveRule): void {
    const { rule } = active;
    let count = 0;
    const place = (
      node: RuleNode,
      tell: (hit: Hit, position: number) => void,
      { learns, isKept }: { readonly learns: boolean; readonly isKept: boolean },
    ): void => {
      if (node.kind === 'event') {
        this.#leaves.push({ matcher: node.matcher, deliver: tell, isBaseline: learns });
        return;
      }
      const name = `${rule.ruleId}/${active.version}/${count++}`;
      const receive = this.#receiver(node, { name, isKept }, tell);
      const below = {
        learns: learns || isBaseline(node),
        isKept: node.kind === 'temporal' || node.kind === 'temporal_ordered',
      };
      for (const [i, child] of node.children.entries())
        place(child, (hit, position) => receive(hit, i, position), below);
    };
    place(rule.root, (hit) => this.#tell(active, hit), { learns: false, isKept: false });
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
    const store = new GroupStore<Body>(name, max, sizeOf, this.#total);
    this.#stores.set(name, store as unknown as GroupStore<never>);
    return store;
  }

  #receiver(
    node: GroupedNode,
    { name, isKept }: { readonly name: string; readonly isKept: boolean },
    tell: (hit: Hit, position: number) => void,
  ): Receive {
    const work: NodeWork = {
      moment: this.#moment,
      store: (max, sizeOf) => this.#store(name, max, sizeOf),
      sweep: (forget) => this.#sweepers.push(forget),
      loaded: (adopt) => this.#adopters.push(adopt),
      isKept,
      groupOf: (hit, child) => {
        const values = node.groupBy.map((one) => groupedValue(hit, one, child));
        return {
          key: groupKey(values),
          values: Object.fromEntries(node.groupBy.map((one, i) => [one.name, values[i] ?? null])),
        };
      },
      up: (entry, values, position, seen) => tell({ entry, seen, values }, position),
    };
    switch (node.kind) {
      case 'event_count':
      case 'value_count':
        return receiveCount(node, work);
      case 'temporal':
      case 'temporal_ordered':
        return receiveTogether(node, work);
      case 'absence':
        return this.#absences.receiver(node, work);
      case 'unseen':
        return receiveUnseen(node, work);
      case 'above':
        return receiveAbove(node, work);
    }
  }
}
