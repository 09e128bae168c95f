import type { FieldSlot } from './event';
import type { Matcher } from './matcher';

export const SEVERITIES = ['low', 'medium', 'high', 'critical'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** How an event becomes a match: the leaf of every rule. */
export interface EventNode {
  readonly kind: 'event';
  readonly matcher: Matcher;
}

/** Of a correlation or extension: which value of a hit of each child makes its group. */
export interface Grouping {
  readonly name: string;
  /** By child; a child that is a correlation has the value among those of its own group, by this name. */
  readonly ofChild: readonly { readonly field: FieldSlot | null; readonly name: string }[];
}

interface Grouped {
  readonly children: readonly RuleNode[];
  readonly groupBy: readonly Grouping[];
  /** Microseconds. */
  readonly within: number;
}

export type CountNode = Grouped & { readonly kind: 'event_count'; readonly atLeast: number };
export type ValueCountNode = Grouped & {
  readonly kind: 'value_count';
  readonly atLeast: number;
  /** Together they are what is counted. */
  readonly values: readonly Grouping[];
};
export type TemporalNode = Grouped & {
  readonly kind: 'temporal' | 'temporal_ordered';
  /** So many of the rules; of those in order all. */
  readonly atLeast: number;
};
/** The first child happened, and the second did not before the time was over. */
export type AbsenceNode = Grouped & {
  readonly kind: 'absence';
  /** Milliseconds of the clock after which the time is over as well; null: by events alone. */
  readonly clockMs: number | null;
};
/** A value that a group has not had for some days. */
export type UnseenNode = Grouped & {
  readonly kind: 'unseen';
  readonly value: Grouping;
  readonly days: number;
  /** Days a group must have been known before anything in it is called new. */
  readonly learnDays: number;
};
/** A sum over a window far above the highest of the days before. */
export type AboveNode = Grouped & {
  readonly kind: 'above';
  readonly value: FieldSlot;
  readonly days: number;
  readonly learnDays: number;
  readonly atLeast: number;
  readonly times: number;
};
export type GroupedNode = CountNode | ValueCountNode | TemporalNode | AbsenceNode | UnseenNode | AboveNode;
export type RuleNode = EventNode | GroupedNode;

/** What a rule says of itself. */
export interface RuleAbout {
  readonly ruleId: string;
  readonly title: string;
  readonly description: string;
  /** Why it matters; '' where the file does not say. */
  readonly why: string;
  readonly falsePositives: readonly string[];
  readonly tags: readonly string[];
  readonly severity: Severity;
}

/** A rule ready to look at events. */
export interface Rule extends RuleAbout {
  readonly root: RuleNode;
  /** How findings are grouped where the root has no groups of its own. */
  readonly groupBy: readonly { readonly name: string; readonly field: FieldSlot }[];
  /** Findings of a group within this time are one alert. */
  readonly dedupMinutes: number;
  readonly tests: readonly RuleTest[];
  /** The documents of the file that it is made of. */
  readonly source: string;
  /** What an event takes: 1 is about a text that is looked for in 4,000 characters, a microsecond. */
  readonly cost: number;
  /** Ids of the filters from outside its file that narrow it. */
  readonly filters: readonly string[];
  /** What they take of the cost. */
  readonly filterCost: number;
}

/** Events that come with a rule file, and whether it must find something in them. */
export interface RuleTest {
  readonly name: string;
  readonly finds: boolean;
  readonly events: readonly Readonly<Record<string, unknown>>[];
}

/** What a tenant changes of a rule without editing its file. */
export interface Tuning {
  readonly threshold?: number | undefined;
  /** Milliseconds. */
  readonly timespanMs?: number | undefined;
  readonly severity?: Severity | undefined;
  readonly dedupMinutes?: number | undefined;
  /** Each names fields and values: events that have all of one of them are left out. */
  readonly exceptions?: readonly Readonly<Record<string, string>>[] | undefined;
}

export const childrenOf = (node: RuleNode): readonly RuleNode[] =>
  node.kind === 'event' ? [] : node.children;

/** The node itself and all below it. */
export const nodesOf = (node: RuleNode): readonly RuleNode[] => [
  node,
  ...childrenOf(node).flatMap((child) => nodesOf(child)),
];

export const isBaseline = (node: RuleNode): node is UnseenNode | AboveNode =>
  node.kind === 'unseen' || node.kind === 'above';
