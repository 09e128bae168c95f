import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { AskedThread } from '../asked-thread';
import { type EventKind, kindsOf } from './event-kind';
import { isBaseline, nodesOf, type Rule, type RuleAbout, type RuleNode, type Tuning } from './rule';
import type { FilterDocument } from './sigma/document';
import { RuleRefused } from './sigma/problem';
import { parseRuleFile } from './sigma/rule-file';

/** The baseline of a grouped node of a rule, in the order in which engines name the nodes. */
export interface Baseline {
  readonly kind: 'unseen' | 'above';
  /** The names of the fields that make a group. */
  readonly groups: readonly string[];
  /** The field whose values are learned; null: a sum. */
  readonly value: string | null;
}
export type Baselines = readonly (Baseline | null)[];

/** What a rule says, as plain data. */
export type About = RuleAbout &
  Pick<Rule, 'cost' | 'filterCost' | 'filters'> & {
    readonly baselines: Baselines;
    /** The kinds of events that each condition on an event is about. */
    readonly reads: readonly (readonly EventKind[])[];
    /** Which changes of it would change anything. */
    readonly takes: Readonly<Record<'threshold' | 'timespan' | 'exceptions', boolean>>;
  };

interface FilterAbout {
  readonly filterId: string;
  readonly title: string;
  readonly description: string;
}

/** The content of a rule file, as plain data. */
export interface ReadFile {
  /** Empty if the file was accepted. */
  readonly problems: RuleRefused['problems'];
  readonly rules: readonly (About & { readonly source: string })[];
  readonly filters: readonly (FilterAbout & { readonly source: string })[];
  /** Whether a condition, or a value of a group, is of what statements say. */
  readonly looksIntoStatements: boolean;
}

/** How a rule is to be read. */
export interface Reading {
  /** Changes of a rule of the file. */
  readonly tuned?: { readonly ruleId: string; readonly tuning: Tuning | null };
  /** Files of filters that may narrow it. Those that this release cannot read are left out. */
  readonly filters?: readonly string[];
}

/** Reads rule files. A large file takes up to a second. */
export interface RuleReader {
  read(source: string, reading?: Reading): Promise<ReadFile>;
  close(): Promise<void>;
}

/** The most characters of filters that are kept parsed. */
const FILTER_CHARS_MAX = 4 * 1024 * 1024;

/** Reads rule files on the caller's thread. */
export class LocalReader implements RuleReader {
  readonly #filters = new LRUCache<string, { readonly document: FilterDocument | null }>({
    maxSize: FILTER_CHARS_MAX,
  });

  async read(source: string, { tuned, filters = [] }: Reading = {}): Promise<ReadFile> {
    const documents = filters.map((text) => this.#filter(text)).filter((one) => one !== null);
    const tuning = (id: string) => (id === tuned?.ruleId ? tuned.tuning : null);
    try {
      const file = parseRuleFile(source, { tuning, filters: documents });
      return {
        problems: [],
        rules: file.rules.map((rule) => ({ ...aboutOf(rule), source: rule.source })),
        filters: file.filters.map(({ document: { filterId, title, description }, source: text }) => ({
          filterId,
          title,
          description,
          source: text,
        })),
        looksIntoStatements: file.looksIntoStatements,
      };
    } catch (error) {
      if (!(error instanceof RuleRefused)) throw error;
      return { problems: error.problems, rules: [], filters: [], looksIntoStatements: false };
    }
  }

  async close(): Promise<void> {
    this.#filters.clear();
  }

  #filter(source: string): FilterDocument | null {
    const key = hash('sha256', source, 'base64');
    const known = this.#filters.get(key) ?? { document: filterOf(source) };
    this.#filters.set(key, known, { size: key.length + source.length });
    return known.document;
  }
}

function filterOf(source: string): FilterDocument | null {
  try {
    return parseRuleFile(source).filters[0]?.document ?? null;
  } catch (error) {
    if (!(error instanceof RuleRefused)) throw error;
    return null;
  }
}

function aboutOf(rule: Rule): About {
  const { ruleId, title, description, why, falsePositives, tags, severity, cost, filterCost, filters } = rule;
  const { root } = rule;
  return {
    ruleId,
    title,
    description,
    why,
    falsePositives,
    tags,
    severity,
    cost,
    filterCost,
    filters,
    baselines: nodesOf(root).flatMap(baselineOf),
    reads: nodesOf(root).flatMap((node) => (node.kind === 'event' ? [kindsOf(node.matcher)] : [])),
    takes: {
      threshold: ['event_count', 'value_count', 'above'].includes(root.kind),
      timespan: !['event', 'unseen'].includes(root.kind),
      exceptions: root.kind !== 'event' || root.matcher.actions?.size !== 0,
    },
  };
}

function baselineOf(node: RuleNode): readonly (Baseline | null)[] {
  if (node.kind === 'event') return [];
  if (!isBaseline(node)) return [null];
  const groups = node.groupBy.map(({ name }) => name);
  return [{ kind: node.kind, groups, value: node.kind === 'unseen' ? node.value.name : null }];
}

const HEAP_MB = 100;
/** The tenants' files wait for each other. On a busy machine each may take some seconds. */
const SILENCE_MS = 30_000;

/** Reads rule files on a separate thread, so that requests do not wait for a large file. */
class ThreadReader implements RuleReader {
  readonly #thread = new AskedThread({
    file: `${__dirname}/rule-thread.js`,
    heapMb: HEAP_MB,
    silenceMs: SILENCE_MS,
  });

  read(...values: Parameters<RuleReader['read']>) {
    return this.#thread.ask<ReadFile>('read', values);
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}

/** Uses a separate thread in the compiled service, as `openHost` does. */
export const openRuleReader = (): RuleReader =>
  __filename.endsWith('.js') ? new ThreadReader() : new LocalReader();
