import type { FieldSlot } from './event';
import type { Matcher } from './matcher';

export const SEVERITIES = ['low', 'medium', 'high', 'critical'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** The condition that makes an event a match. Each leaf of a rule is one. */
export interface EventNode {
  readonly kind: 'event';
  readonly matcher: Matcher;
}

/** A value by which a correlation or extension groups hits. It tells how the value is read from a hit of each child. */
export interface Grouping {
  readonly name: string;
  /** One entry for each child. A child that is a correlation has the value in its own group, under this name. */
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
  /** The fields whose values together form the value that is counted. */
  readonly values: readonly Grouping[];
};
export type TemporalNode = Grouped & {
  readonly kind: 'temporal' | 'temporal_ordered';
  /** The number of rules that must match. An ordered correlation needs all. */
  readonly atLeast: number;
};
/** The first child happened, and the second did not happen before the time was over. */
export type AbsenceNode = Grouped & {
  readonly kind: 'absence';
  /** Milliseconds of the clock after which the time is also over; null: only the times of events count. */
  readonly clockMs: number | null;
};
/** A value that a group has not had for a number of days. */
export type UnseenNode = Grouped & {
  readonly kind: 'unseen';
  readonly value: Grouping;
  readonly days: number;
  /** Number of days for which a group must have been known before a value in it is reported as new. */
  readonly learnDays: number;
};
/** A sum over a window that is far above the highest sum of the days before. */
export type AboveNode = Grouped & {
  readonly kind: 'above';
  readonly value: FieldSlot;
  readonly days: number;
  readonly learnDays: number;
  readonly atLeast: number;
  readonly times: number;
  /** Whether the children tell of the same amounts, so that of each server instance only the largest sum counts. */
  readonly isSame: boolean;
  /** The sum that is reported of a group that is not known for so many days; null: none is. */
  readonly unlearnedAtLeast: number | null;
};
export type GroupedNode = CountNode | ValueCountNode | TemporalNode | AbsenceNode | UnseenNode | AboveNode;
export type RuleNode = EventNode | GroupedNode;

/** The description of a rule. */
export interface RuleAbout {
  readonly ruleId: string;
  readonly title: string;
  readonly description: string;
  /** Why a finding matters; empty when the file does not say. */
  readonly why: string;
  readonly falsePositives: readonly string[];
  readonly tags: readonly string[];
  readonly severity: Severity;
}

/** A rule that is ready to evaluate events. */
export interface Rule extends RuleAbout {
  readonly root: RuleNode;
  /** The fields by which findings are grouped when the root node has no groups. */
  readonly groupBy: readonly { readonly name: string; readonly field: FieldSlot }[];
  /** Findings of a group within this number of minutes form one alert. */
  readonly dedupMinutes: number;
  readonly tests: readonly RuleTest[];
  /** The documents of the file of which the rule is made. */
  readonly source: string;
  /** Cost of one event. 1 is about one microsecond: the search for a text in 4,000 characters. */
  readonly cost: number;
  /** Ids of the filters in other files that narrow the rule. */
  readonly filters: readonly string[];
  /** The share of the cost that the filters take. */
  readonly filterCost: number;
}

/** Events in a rule file, and whether the rule must find something in them. */
export interface RuleTest {
  readonly name: string;
  readonly finds: boolean;
  readonly events: readonly Readonly<Record<string, unknown>>[];
}

/** A tenant's changes of a rule. The rule's file stays as it is. */
export interface Tuning {
  readonly threshold?: number | undefined;
  /** Milliseconds. */
  readonly timespanMs?: number | undefined;
  readonly severity?: Severity | undefined;
  readonly dedupMinutes?: number | undefined;
  /** Each entry names fields and values. An event that has all values of an entry is left out. */
  readonly exceptions?: readonly Readonly<Record<string, string>>[] | undefined;
}

export const childrenOf = (node: RuleNode): readonly RuleNode[] =>
  node.kind === 'event' ? [] : node.children;

/** The node and all nodes below it. */
export const nodesOf = (node: RuleNode): readonly RuleNode[] => [
  node,
  ...childrenOf(node).flatMap((child) => nodesOf(child)),
];

export const isBaseline = (node: RuleNode): node is UnseenNode | AboveNode =>
  node.kind === 'unseen' || node.kind === 'above';
