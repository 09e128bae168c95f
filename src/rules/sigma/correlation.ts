import { childrenOf, type Grouping, type RuleNode, type Tuning } from '../rule';
import type { CorrelationDocument } from './document';
import { entryOf, type MapNode, textAt, textsAt } from './node';
import { fieldIn, type Problems, short } from './problem';
import { unknownField } from './value-test';

interface Around {
  readonly problems: Problems;
  readonly tuning: Tuning;
  readonly childOf: (name: string, line: number) => RuleNode | null;
  /** All names by which a rule of the file may be called. */
  readonly namesOf: (name: string) => readonly string[];
}

const SIGMA_TYPES = ['event_count', 'value_count', 'temporal', 'temporal_ordered'] as const;
/** Types that Sigma does not have. They are documented extensions. */
const OWN_TYPES = ['absence', 'unseen', 'above'] as const;
type Type = (typeof SIGMA_TYPES)[number] | (typeof OWN_TYPES)[number];

const KEYS = [
  ...['type', 'rules', 'group-by', 'timespan', 'timeframe', 'condition', 'aliases', 'generate'],
  ...['clock', 'days', 'learn-days', 'times', 'unlearned-gte', 'same-amounts'],
];
const CHILDREN_MAX = 20;
const GROUPS_MAX = 8;
const COUNT_MAX = 10_000;
const TIMESPAN_MAX_US = 30 * 86_400e6;
const US_PER_MS = 1_000;

export function correlationNode(document: CorrelationDocument, around: Around): RuleNode | null {
  const { problems, tuning } = around;
  const { correlation: map, line } = document;
  const at = (key: string) => entryOf(map, key)?.line ?? map.line;
  const type = textAt(map, 'type') as Type | null;
  if (!type) return problems.add(map.line, 'a correlation must have a type');
  if (![...SIGMA_TYPES, ...OWN_TYPES].includes(type))
    return problems.add(at('type'), `a correlation of type ${short(type)} is not supported`);
  for (const { key, line: of } of map.entries)
    if (!KEYS.includes(key)) problems.add(of, `${short(key)} of a correlation is not supported`);
  const names = textsAt(map, 'rules');
  if (names.length === 0 || names.length > CHILDREN_MAX)
    return problems.add(at('rules'), `a correlation names 1 to ${CHILDREN_MAX} rules`);
  const children = names.map((name) => around.childOf(name, at('rules'))).filter((child) => child !== null);
  if (children.length < names.length) return null;
  const groupNames = textsAt(map, 'group-by');
  if (groupNames.length > GROUPS_MAX)
    return problems.add(at('group-by'), `group-by names at most ${GROUPS_MAX} fields`);
  const toGroup = (name: string, key: string) =>
    groupingOf(name, { names, children, map, line: at(key), problems, namesOf: around.namesOf });
  const groupBy = groupNames.map((name) => toGroup(name, 'group-by'));
  const spanText = textAt(map, 'timespan') ?? textAt(map, 'timeframe');
  const within =
    tuning.timespanMs !== undefined
      ? tuning.timespanMs * US_PER_MS
      : spanText === null
        ? null
        : parseSpan(spanText);
  const needsSpan = type !== 'unseen';
  if (needsSpan && (within === null || within <= 0 || within > TIMESPAN_MAX_US))
    return problems.add(
      at('timespan'),
      'timespan must be a number and s, m, h, d, w or M, of at most 30 days',
    );
  if (groupBy.some((one) => one === null)) return null;
  const common = { children, groupBy: groupBy as Grouping[], within: within ?? 0 };
  switch (type) {
    case 'event_count':
    case 'value_count': {
      const threshold = thresholdOf(map, at('condition'), around);
      if (threshold === null) return null;
      if (type === 'event_count') {
        const condition = entryOf(map, 'condition')?.value;
        const field = condition?.kind === 'map' ? entryOf(condition, 'field') : undefined;
        if (field)
          return problems.add(field.line, 'event_count counts events: the values of a field are value_count');
        return { kind: type, ...common, atLeast: threshold };
      }
      const values = countedValues(map, toGroup, at('condition'), problems);
      return values && { kind: type, ...common, atLeast: threshold, values };
    }
    case 'temporal':
    case 'temporal_ordered': {
      if (children.length < 2) return problems.add(at('rules'), `${type} needs two rules`);
      const atLeast = togetherOf(type, names, map, at('condition'), problems);
      return atLeast === null ? null : { kind: type, ...common, atLeast };
    }
    case 'absence': {
      if (children.length !== 2)
        return problems.add(at('rules'), 'absence names two rules: what happened, and what did not');
      const clock = textAt(map, 'clock');
      const clockUs = clock === null ? null : parseSpan(clock);
      if (clock !== null && (clockUs === null || clockUs > TIMESPAN_MAX_US))
        return problems.add(at('clock'), 'clock must be a number and s, m, h, d, w or M, of at most 30 days');
      return { kind: type, ...common, clockMs: clockUs === null ? null : clockUs / US_PER_MS };
    }
    case 'unseen': {
      const [value, another] = countedValues(map, toGroup, at('condition'), problems) ?? [];
      if (another) return problems.add(at('condition'), 'unseen knows one field');
      const days = daysOf(map, 'days', 60);
      const learnDays = daysOf(map, 'learn-days', 7);
      if (days === null || learnDays === null) return problems.add(line, 'days must be from 1 to 366');
      return value ? { kind: type, ...common, value, days, learnDays } : null;
    }
    case 'above': {
      const condition = entryOf(map, 'condition')?.value;
      const name = condition?.kind === 'map' ? (textAt(condition, 'field') ?? '') : '';
      const value = fieldIn(name, problems);
      if (!value) return problems.add(at('condition'), unknownField(name));
      const threshold = thresholdOf(map, at('condition'), around, Number.MAX_SAFE_INTEGER);
      const days = daysOf(map, 'days', 14);
      const learnDays = daysOf(map, 'learn-days', 3);
      const times = Number(textAt(map, 'times') ?? 5);
      const unlearned = textAt(map, 'unlearned-gte');
      const same = textAt(map, 'same-amounts') ?? 'false';
      if (!['true', 'false'].includes(same))
        return problems.add(at('same-amounts'), 'same-amounts is true or false');
      const isSame = same === 'true';
      const unlearnedAtLeast = unlearned === null ? null : Number(unlearned);
      if (
        days === null ||
        learnDays === null ||
        !(times >= 1) ||
        !(unlearnedAtLeast === null || unlearnedAtLeast >= 1)
      )
        return problems.add(line, 'days, times and unlearned-gte must be above 0');
      return threshold === null
        ? null
        : {
            kind: type,
            ...common,
            value,
            days,
            learnDays,
            atLeast: threshold,
            times,
            isSame,
            unlearnedAtLeast,
          };
    }
  }
}

const SPAN = /^(\d{1,6})(s|m|h|d|w|M)$/;
const DAY_US = 86_400e6;
const UNITS: Readonly<Record<string, number>> = {
  s: 1e6,
  m: 60e6,
  h: 3_600e6,
  d: DAY_US,
  w: 7 * DAY_US,
  M: 30 * DAY_US,
};

/** The microseconds of a span such as `15m`; null: the text is not a span. */
export function parseSpan(text: string): number | null {
  const [, count, unit] = SPAN.exec(text.trim()) ?? [];
  return count && unit ? Number(count) * (UNITS[unit] ?? 0) : null;
}

function daysOf(map: MapNode, key: string, byDefault: number): number | null {
  const days = Number(textAt(map, key) ?? byDefault);
  return Number.isInteger(days) && days >= 1 && days <= 366 ? days : null;
}

/** The number that a count must reach. A count that must stay below a number is refused: no moment proves it. */
function thresholdOf(
  map: MapNode,
  line: number,
  { problems, tuning }: Pick<Around, 'problems' | 'tuning'>,
  max = COUNT_MAX,
): number | null {
  const condition = entryOf(map, 'condition')?.value;
  if (condition?.kind !== 'map') return problems.add(line, 'a condition such as gte: 10 is needed');
  const given = condition.entries.filter(({ key }) => key !== 'field');
  const [only] = given;
  if (!only || given.length > 1 || !['gte', 'gt', 'eq'].includes(only.key))
    return problems.add(
      only?.line ?? line,
      'of conditions, one of gte, gt and eq is supported: that a number stays below another can be told of no moment, ' +
        'and a finding is never taken back',
    );
  const number = only.value.kind === 'scalar' ? Number(only.value.value) : Number.NaN;
  const threshold = tuning.threshold ?? (only.key === 'gt' ? number + 1 : number);
  if (!Number.isInteger(threshold) || threshold < 1 || threshold > max)
    return problems.add(only.line, `the number must be from 1 to ${max}`);
  return threshold;
}

/** The fields whose values are counted. Several fields together form one value. */
function countedValues(
  map: MapNode,
  toGroup: (name: string, key: string) => Grouping | null,
  line: number,
  problems: Problems,
): readonly Grouping[] | null {
  const condition = entryOf(map, 'condition')?.value;
  const names = condition?.kind === 'map' ? textsAt(condition, 'field') : [];
  if (names.length === 0 || names.length > GROUPS_MAX)
    return problems.add(line, `the condition must name a field, and at most ${GROUPS_MAX}`);
  const values = names.map((name) => toGroup(name, 'condition'));
  return values.some((one) => one === null) ? null : (values as Grouping[]);
}

/** How many of the rules must come together. The default is all of them. */
function togetherOf(
  type: Type,
  names: readonly string[],
  map: MapNode,
  line: number,
  problems: Problems,
): number | null {
  const condition = entryOf(map, 'condition')?.value;
  if (!condition) return names.length;
  if (condition.kind === 'scalar') {
    const given = String(condition.value)
      .trim()
      .split(/\s+and\s+/i);
    if (given.length === names.length && names.every((name) => given.includes(name))) return names.length;
    return problems.add(
      line,
      `the condition of ${type} is a number of rules, such as gte: 2, or all of them joined by and`,
    );
  }
  const count = thresholdOf(map, line, { problems, tuning: {} }, names.length);
  if (count !== null && count < names.length && type === 'temporal_ordered')
    return problems.add(
      line,
      `${type} needs all of its ${names.length} rules: of an order no part may be missing`,
    );
  return count;
}

/**
 * The field of each child that supplies a group's value: the one that an alias names, or the field of the same name.
 */
function groupingOf(
  name: string,
  of: {
    readonly names: readonly string[];
    readonly children: readonly RuleNode[];
    readonly map: MapNode;
    readonly line: number;
    readonly problems: Problems;
    readonly namesOf: Around['namesOf'];
  },
): Grouping | null {
  const { names, children, map, line, problems, namesOf } = of;
  const aliases = entryOf(map, 'aliases')?.value;
  const alias = aliases?.kind === 'map' ? entryOf(aliases, name)?.value : undefined;
  if (alias && alias.kind !== 'map') return problems.add(alias.line, 'an alias names a field for each rule');
  const ofChild = names.map((rule, i) => {
    const inAlias =
      alias && [rule, ...namesOf(rule)].map((one) => textAt(alias, one)).find((one) => one !== null);
    const called = inAlias ?? name;
    const child = children[i];
    if (child && child.kind !== 'event' && child.groupBy.some((one) => one.name === called))
      return { field: null, name: called };
    const field = fieldIn(called, problems);
    if (!field) problems.add(alias?.line ?? line, unknownField(called));
    else if (child && !isOfEvent(child))
      problems.add(
        line,
        `${short(rule)} tells of what did not happen, and has ${short(called)} only if it groups by it`,
      );
    return { field, name: called };
  });
  return { name, ofChild };
}

/** Whether an event completes a match of the rule. */
const isOfEvent = (node: RuleNode): boolean => node.kind !== 'absence' && childrenOf(node).every(isOfEvent);
