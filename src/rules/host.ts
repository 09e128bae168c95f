import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type Arrived, toDetectionEvent } from './arrived';
import { type ActiveRule, Engine, type Unread } from './engine';
import type { DetectionEvent } from './event';
import type { Finding } from './finding';
import type { GroupValues } from './hit';
import type { WaitTime } from './receive';
import type { Rule, Tuning } from './rule';
import { parseRuleFile, parseRules } from './sigma/rule-file';

/** A rule of a tenant as plain data. */
export interface RuleSource {
  readonly ruleId: string;
  readonly source: string;
  readonly tuning: Tuning | null;
  readonly version: number;
  /** The source texts of the tenant's filters that narrow this rule. */
  readonly filters: readonly string[];
}

/** A stored row of state. The key is a digest, and the rest is JSON. */
export interface StoredState {
  readonly node: string;
  readonly key: string;
  readonly touched: number;
  /** Null: the group was dropped. */
  readonly body: string | null;
}

interface Learned {
  /** Number of events learned from. When it is less than were given, the time ended before the others. */
  readonly seen: number;
  readonly changes: readonly StoredState[];
}

export interface Evaluated {
  /** Number of events evaluated. When it is less than were given, the time ended before the others. */
  readonly seen: number;
  /** The size of windows and baselines together, in entries. */
  readonly size: number;
  readonly findings: readonly Finding[];
  readonly changes: readonly StoredState[];
  /** The events at which conditions failed. */
  readonly unread: readonly Unread[];
  /** The next time at which a wait ends by the clock, in milliseconds since 1970; null: nothing waits for the clock. */
  readonly dueMs: number | null;
}

interface Clock extends WaitTime {
  readonly isReady: boolean;
  readonly workMs?: number;
  /** Whether further events wait. While they do, no wait ends by the clock. */
  readonly isBehind?: boolean;
}

interface Opened {
  /** Copied from `Engine`. */
  readonly actions: readonly string[] | null;
  readonly learns: boolean;
}

/** A tenant has two engines: one for its rules, and one for the rules that are about to join them. */
export type EnginePart = 'joined' | 'newcomers';
const PARTS: readonly EnginePart[] = ['joined', 'newcomers'];

/** Runs the engines of all tenants that are being worked on. The default part is `joined`. */
export interface EngineHost {
  /** Waits until the thread of the engines has started. The time that this takes is no tenant's. */
  ready(): Promise<void>;
  open(
    tenantId: number,
    rules: readonly RuleSource[],
    state: readonly StoredState[],
    part?: EnginePart,
  ): Promise<Opened>;
  /** @param workMs approximate limit of the work's time, because the engines of other tenants wait */
  learn(tenantId: number, events: readonly Arrived[], workMs?: number, part?: EnginePart): Promise<Learned>;
  /** @param isReady whether baselines have been built @param workMs the same limit as in `learn` */
  evaluate(tenantId: number, events: readonly Arrived[], clock: Clock, part?: EnginePart): Promise<Evaluated>;
  /** Drops both engines of the tenant. */
  forget(tenantId: number): Promise<void>;
  close(): Promise<void>;
}

/** Runs engines on the caller's thread. */
export class LocalHost implements EngineHost {
  readonly #engines = new Map<string, Engine>();

  async ready(): Promise<void> {}

  async open(
    tenantId: number,
    rules: readonly RuleSource[],
    state: readonly StoredState[],
    part: EnginePart = 'joined',
  ): Promise<Opened> {
    const active = rules.flatMap((source) => KNOWN.active(source));
    const engine = new Engine(tenantId, active);
    engine.load(state.map(fromStoredState));
    this.#engines.set(keyOf(tenantId, part), engine);
    return { actions: engine.actions, learns: engine.learns };
  }

  async learn(
    tenantId: number,
    events: readonly Arrived[],
    workMs?: number,
    part: EnginePart = 'joined',
  ): Promise<Learned> {
    const engine = this.#engine(tenantId, part);
    const seen = inTime(events, workMs, (some) => engine.learn(some));
    return { seen, changes: engine.takeChanges().map(toStoredState) };
  }

  async evaluate(
    tenantId: number,
    events: readonly Arrived[],
    { isReady, workMs, isBehind = false, ...time }: Clock,
    part: EnginePart = 'joined',
  ): Promise<Evaluated> {
    const engine = this.#engine(tenantId, part);
    engine.isReady = isReady;
    const findings: Finding[] = [];
    const seen = inTime(events, workMs, (some) => findings.push(...engine.evaluate(some, time.nowMs)));
    if (!isBehind && seen === events.length) findings.push(...engine.tick(time));
    return {
      seen,
      size: engine.size,
      findings,
      changes: engine.takeChanges().map(toStoredState),
      unread: engine.takeUnread(),
      dueMs: engine.dueMs(time),
    };
  }

  async forget(tenantId: number): Promise<void> {
    for (const part of PARTS) this.#engines.delete(keyOf(tenantId, part));
  }

  async close(): Promise<void> {
    this.#engines.clear();
  }

  #engine(tenantId: number, part: EnginePart): Engine {
    const engine = this.#engines.get(keyOf(tenantId, part));
    if (!engine) throw new Error(`no engine of tenant ${tenantId}`);
    return engine;
  }
}

const keyOf = (tenantId: number, part: EnginePart) => `${tenantId}/${part}`;

/** One event may be costly. So the clock is read after each event, and less often once events prove quick. */
const EVENTS_AT_A_STRETCH = 64;
const QUICK_MS = 5;

/**
 * Works on events in their order until the time is over, on at least one. Each event is made shortly before its turn.
 * @returns how many events it worked on
 */
function inTime(
  events: readonly Arrived[],
  workMs = Number.POSITIVE_INFINITY,
  work: (some: readonly DetectionEvent[]) => void,
): number {
  const began = performance.now();
  let [seen, stretch, now] = [0, 1, began];
  while (seen < events.length && (seen === 0 || now - began < workMs)) {
    const some = events.slice(seen, seen + stretch);
    work(some.map(toDetectionEvent));
    seen += some.length;
    const after = performance.now();
    stretch = after - now < QUICK_MS ? Math.min(stretch * 2, EVENTS_AT_A_STRETCH) : 1;
    now = after;
  }
  return seen;
}

const KNOWN_CHARS_MAX = 4 * 1024 * 1024;

/** Keeps parsed files. So a change of one rule, or the engine of another tenant, does not parse the others again. */
class KnownRules {
  readonly #known = new LRUCache<string, readonly Rule[]>({ maxSize: KNOWN_CHARS_MAX });

  /** A file that an earlier release accepted and this one refuses has no rule that runs. */
  active(given: RuleSource): ActiveRule[] {
    const { ruleId, source, tuning, version, filters } = given;
    // A file that no tuning changes is the same for each of its rules.
    const text = JSON.stringify([tuning && ruleId, tuning, source, filters]);
    const key = hash('sha256', text, 'base64');
    const known = this.#known.get(key) ?? rulesOf(given);
    this.#known.set(key, known, { size: text.length });
    const rule = known.find((one) => one.ruleId === ruleId);
    return rule ? [{ rule, version }] : [];
  }
}

/** One for each thread: all hosts of a thread read the same files. */
const KNOWN = new KnownRules();

/** Parses rules before an engine has them. */
export function parseAhead(rules: readonly RuleSource[]): void {
  for (const rule of rules) KNOWN.active(rule);
}

/** The rules of the file of a rule; none if it is refused. */
function rulesOf({ ruleId, source, tuning, filters }: RuleSource): readonly Rule[] {
  try {
    const documents = filters.flatMap((text) => parseRuleFile(text).filters.map(({ document }) => document));
    return parseRules(source, (id) => (id === ruleId ? tuning : null), documents);
  } catch {
    return [];
  }
}

const toStoredState = ({
  node,
  key,
  touched,
  values,
  body,
}: {
  node: string;
  key: string;
  touched: number;
  values: GroupValues;
  body: unknown;
}): StoredState => ({
  node,
  key: hash('sha256', key, 'hex').slice(0, 32),
  touched,
  body: body === null ? null : JSON.stringify({ k: key, v: values, b: body }),
});

function fromStoredState({ node, touched, body }: StoredState) {
  const { k, v, b } = JSON.parse(body ?? '{}') as { k: string; v: GroupValues; b: unknown };
  return { node, key: k, touched, values: v, body: b };
}
