import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type ActiveRule, Engine } from './engine';
import type { DetectionEvent } from './event';
import type { Finding } from './finding';
import type { GroupValues } from './hit';
import type { Rule, Tuning } from './rule';
import { parseRuleFile, parseRules } from './sigma/rule-file';

/** A rule as a tenant has it, as plain data. */
export interface RuleSource {
  readonly ruleId: string;
  readonly source: string;
  readonly tuning: Tuning | null;
  readonly version: number;
  /** The files of the tenant's filters that narrow it. */
  readonly filters: readonly string[];
}

/** A row of state as it is stored: the key is a digest, the rest JSON. */
export interface StoredState {
  readonly node: string;
  readonly key: string;
  readonly touched: number;
  /** Null: it is gone. */
  readonly body: string | null;
}

interface Learned {
  /** So many events were learned from; the time was over before the rest. */
  readonly seen: number;
  readonly changes: readonly StoredState[];
}

export interface Evaluated {
  /** So many events were evaluated; the time was over before the rest. */
  readonly seen: number;
  /** What the engine holds: entries of windows and values of baselines. */
  readonly size: number;
  readonly findings: readonly Finding[];
  readonly changes: readonly StoredState[];
  /** When something is over by the clock, in milliseconds since 1970; null: nothing waits for it. */
  readonly dueMs: number | null;
}

interface Clock {
  readonly nowMs: number;
  readonly isReady: boolean;
  readonly workMs?: number;
  /** Whether further events wait: as long as they do, nothing is over by the clock. */
  readonly isBehind?: boolean;
}

interface Opened {
  /** Of `Engine`. */
  readonly actions: readonly string[] | null;
  readonly learns: boolean;
}

/** Which of a tenant's engines: that of its rules, or that of rules that are about to join them. */
export type EnginePart = 'joined' | 'newcomers';
const PARTS: readonly EnginePart[] = ['joined', 'newcomers'];

/** Where engines run, for each tenant that is being worked on. Where no part is named it is `joined`. */
export interface EngineHost {
  open(
    tenantId: number,
    rules: readonly RuleSource[],
    state: readonly StoredState[],
    part?: EnginePart,
  ): Promise<Opened>;
  /** @param workMs about the most it takes: the engines of other tenants wait */
  learn(
    tenantId: number,
    events: readonly DetectionEvent[],
    workMs?: number,
    part?: EnginePart,
  ): Promise<Learned>;
  /** @param isReady whether baselines have been built @param workMs as of `learn` */
  evaluate(
    tenantId: number,
    events: readonly DetectionEvent[],
    clock: Clock,
    part?: EnginePart,
  ): Promise<Evaluated>;
  /** Both engines of the tenant. */
  forget(tenantId: number): Promise<void>;
  close(): Promise<void>;
}

/** Runs them on the thread of the caller. */
export class LocalHost implements EngineHost {
  readonly #engines = new Map<string, Engine>();
  readonly #rules = new KnownRules();

  async open(
    tenantId: number,
    rules: readonly RuleSource[],
    state: readonly StoredState[],
    part: EnginePart = 'joined',
  ): Promise<Opened> {
    const active = rules.flatMap((source) => this.#rules.active(source));
    const engine = new Engine(tenantId, active);
    engine.load(state.map(fromStoredState));
    this.#engines.set(keyOf(tenantId, part), engine);
    return { actions: engine.actions, learns: engine.learns };
  }

  async learn(
    tenantId: number,
    events: readonly DetectionEvent[],
    workMs?: number,
    part: EnginePart = 'joined',
  ): Promise<Learned> {
    const engine = this.#engine(tenantId, part);
    const seen = inTime(events, workMs, (some) => engine.learn(some));
    return { seen, changes: engine.takeChanges().map(toStoredState) };
  }

  async evaluate(
    tenantId: number,
    events: readonly DetectionEvent[],
    { nowMs, isReady, workMs, isBehind = false }: Clock,
    part: EnginePart = 'joined',
  ): Promise<Evaluated> {
    const engine = this.#engine(tenantId, part);
    engine.isReady = isReady;
    const findings: Finding[] = [];
    const seen = inTime(events, workMs, (some) => findings.push(...engine.evaluate(some, nowMs)));
    if (!isBehind && seen === events.length) findings.push(...engine.tick(nowMs));
    return {
      ...{ seen, size: engine.size, findings },
      ...{ changes: engine.takeChanges().map(toStoredState), dueMs: engine.dueMs() },
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

/** A costly event takes a while: the clock is looked at after each until they prove quick. */
const EVENTS_AT_A_STRETCH = 64;
const QUICK_MS = 5;

/** Works on events from the first until the time is over, on some at least. @returns how many it worked on */
function inTime(
  events: readonly DetectionEvent[],
  workMs = Number.POSITIVE_INFINITY,
  work: (some: readonly DetectionEvent[]) => void,
): number {
  const began = performance.now();
  let [seen, stretch, now] = [0, 1, began];
  while (seen < events.length && (seen === 0 || now - began < workMs)) {
    const some = events.slice(seen, seen + stretch);
    work(some);
    seen += some.length;
    const after = performance.now();
    stretch = after - now < QUICK_MS ? Math.min(stretch * 2, EVENTS_AT_A_STRETCH) : 1;
    now = after;
  }
  return seen;
}

const KNOWN_CHARS_MAX = 4 * 1024 * 1024;

/** Rules as they were read: a change of one of them, or another tenant's engine, does not read the others again. */
class KnownRules {
  readonly #known = new LRUCache<string, { readonly rule: Rule | null }>({ maxSize: KNOWN_CHARS_MAX });

  /** A file that this release refuses, though one before took it, finds nothing. */
  active(given: RuleSource): ActiveRule[] {
    const { ruleId, source, tuning, version, filters } = given;
    const text = JSON.stringify([ruleId, tuning, source, filters]);
    const key = createHash('sha256').update(text).digest('base64');
    const known = this.#known.get(key) ?? { rule: ruleOf(given) };
    this.#known.set(key, known, { size: text.length });
    return known.rule ? [{ rule: known.rule, version }] : [];
  }
}

function ruleOf({ ruleId, source, tuning, filters }: RuleSource): Rule | null {
  try {
    const documents = filters.flatMap((text) => parseRuleFile(text).filters.map(({ document }) => document));
    const rules = parseRules(source, (id) => (id === ruleId ? tuning : null), documents);
    return rules.find((one) => one.ruleId === ruleId) ?? null;
  } catch {
    return null;
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
  key: createHash('sha256').update(key).digest('hex').slice(0, 32),
  touched,
  body: body === null ? null : JSON.stringify({ k: key, v: values, b: body }),
});

function fromStoredState({ node, touched, body }: StoredState) {
  const { k, v, b } = JSON.parse(body ?? '{}') as { k: string; v: GroupValues; b: unknown };
  return { node, key: k, touched, values: v, body: b };
}
