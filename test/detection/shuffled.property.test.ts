import fc from 'fast-check';
import { Engine } from '../../src/rules/engine';
import type { DetectionEvent } from '../../src/rules/event';
import type { Finding } from '../../src/rules/finding';
import type { StateRow } from '../../src/rules/group-store';
import { parseRules } from '../../src/rules/sigma/rule-file';
import { casesOf, SEED } from '../support/share';

const ACTIONS = ['SL', 'UP', 'DL'];
const START = 1e15;
const MINUTE = 60e6;
const LATE_MINUTES = 23 * 60;

const leaf = (action: string) =>
  `title: ${action}\nname: ${action}\nlogsource: {product: sqlserver}\ndetection: {s: {actionId: ${action}}, condition: s}\n---\n`;
const LEAVES = ACTIONS.map(leaf).join('');
const GROUPS = ['clientIp', 'serverInstanceName'];

const spans = fc.constantFrom(1, 7, 60);
const groups = fc.subarray(GROUPS);
const simple = fc.record({
  type: fc.constantFrom('event_count', 'value_count'),
  rules: fc.subarray(ACTIONS, { minLength: 1 }),
  groups,
  span: spans,
  atLeast: fc.integer({ min: 2, max: 5 }),
});
const combined = fc.record({
  type: fc.constantFrom('temporal', 'temporal_ordered'),
  rules: fc.shuffledSubarray(ACTIONS, { minLength: 2 }),
  groups,
  span: spans,
  /** A count in the place of the first rule. */
  inner: fc.option(simple, { freq: 1 }),
});
type Simple = typeof simple extends fc.Arbitrary<infer T> ? T : never;
type Combined = typeof combined extends fc.Arbitrary<infer T> ? T : never;

const correlation = (
  name: string,
  { type, rules, groups: by, span }: Omit<Simple, 'atLeast' | 'type'> & { type: string },
) =>
  `title: ${name}\nname: ${name}\ncorrelation:\n  type: ${type}\n  rules: [${rules}]\n  group-by: [${by}]\n  timespan: ${span}m\n`;
const counts = (name: string, one: Simple) =>
  `${correlation(name, one)}  condition: {${one.type === 'value_count' ? 'field: objectName, ' : ''}gte: ${one.atLeast}}\n`;

function sourceOf(one: Simple | Combined): string {
  if ('atLeast' in one) return LEAVES + counts('found', one);
  if (!one.inner) return LEAVES + correlation('found', one);
  const inner = counts('inner', { ...one.inner, groups: one.groups });
  return `${LEAVES}${inner}---\n${correlation('found', { ...one, rules: ['inner', ...one.rules.slice(1)] })}`;
}

const events = fc.array(
  fc.record({
    action: fc.constantFrom(...ACTIONS),
    /** Some close together, others far apart. */
    minute: fc.oneof(fc.nat(20), fc.nat(120), fc.nat(2_000)),
    second: fc.nat(59),
    ip: fc.nat(2),
    server: fc.nat(1),
    object: fc.nat(5),
    late: fc.nat(LATE_MINUTES),
    isTwice: fc.nat(9).map((n) => n === 0),
  }),
  { minLength: 5, maxLength: 60 },
);
type Given = typeof events extends fc.Arbitrary<infer T> ? T : never;

function logsOf(given: Given): { ordered: DetectionEvent[]; shuffled: DetectionEvent[] } {
  const all = given.map(({ action, minute, second, ip, server, object, late, isTwice }, i) => ({
    event: {
      recordId: `record ${i}`,
      at: START + minute * MINUTE + second * 1e6 + i,
      fields: {
        actionId: action,
        clientIp: `10.0.0.${ip}`,
        serverInstanceName: `SQL${server}`,
        objectName: `T${object}`,
      },
      additional: {},
    },
    arrivals: isTwice ? [late, LATE_MINUTES - late] : [late],
  }));
  const inOrder = all.map(({ event }) => event).sort((a, b) => a.at - b.at);
  const arrived = all
    .flatMap(({ event, arrivals }) => arrivals.map((late) => ({ event, arrival: event.at + late * MINUTE })))
    .sort((a, b) => a.arrival - b.arrival)
    .map(({ event }) => event);
  const placed = (some: readonly Omit<DetectionEvent, 'position'>[]) =>
    some.map((event, i) => ({ ...event, position: i * 1_000 }));
  return { ordered: placed(inOrder), shuffled: placed(arrived) };
}

const groupsOf = (found: readonly Finding[]) => [...new Set(found.map(({ groupKey }) => groupKey))].sort();
const idsOf = (found: readonly Finding[]) => found.map(({ findingId }) => findingId);

/** Evaluates with an engine that is stored and loaded again after every few events. */
function inSteps(source: string, log: readonly DetectionEvent[], size: number): Finding[] {
  const active = parseRules(source).map((rule) => ({ rule, version: 1 }));
  const stored = new Map<string, StateRow>();
  const found: Finding[] = [];
  for (let from = 0; from < log.length; from += size) {
    const engine = new Engine(1, active);
    const rows = [...stored.values()].sort((a, b) => a.touched - b.touched);
    engine.load(JSON.parse(JSON.stringify(rows)) as StateRow[]);
    found.push(...engine.evaluate(log.slice(from, from + size), 0));
    for (const row of engine.takeChanges()) {
      const key = `${row.node}\n${row.key}`;
      if (row.body === null) stored.delete(key);
      else stored.set(key, row);
    }
  }
  return found;
}

it('findings of events that arrive in any order, late and twice, are in the same groups and at the same times', () => {
  let [found, shuffles] = [0, 0];
  fc.assert(
    fc.property(
      fc.oneof(simple, combined),
      events,
      fc.integer({ min: 1, max: 7 }),
      (one: Simple | Combined, given, size) => {
        const source = sourceOf(one);
        const active = parseRules(source).map((rule) => ({ rule, version: 1 }));
        const { ordered, shuffled } = logsOf(given);
        const expected = new Engine(1, active).evaluate(ordered, 0);
        const actual = new Engine(1, active).evaluate(shuffled, 0);
        expect(groupsOf(actual)).toEqual(groupsOf(expected));
        const span = one.span * MINUTE;
        const isNear = (a: Finding, b: Finding) =>
          a.groupKey === b.groupKey && a.firstAt <= b.lastAt + span && b.firstAt <= a.lastAt + span;
        if (!('inner' in one && one.inner))
          for (const [some, others] of [
            [expected, actual],
            [actual, expected],
          ] as const)
            for (const each of some) expect(others.some((other) => isNear(each, other))).toBe(true);
        expect(idsOf(inSteps(source, shuffled, size))).toEqual(idsOf(actual));
        found += expected.length;
        shuffles += Number(expected.length > 0);
      },
    ),
    { seed: SEED, numRuns: casesOf(__filename) },
  );
  expect(found).toBeGreaterThan(20);
  expect(shuffles).toBeGreaterThan(5);
});
