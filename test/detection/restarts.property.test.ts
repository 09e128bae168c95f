import fc from 'fast-check';
import { readShippedRules } from '../../src/modules/detection/rules/shipped-rules';
import type { DetectionEvent } from '../../src/rules/event';
import { LocalHost, type RuleSource, type StoredState } from '../../src/rules/host';
import { testEvents } from '../../src/rules/rule-test';
import { casesOf, SEED } from '../support/share';

const TENANT = 1;
/** A clock that stands still, so that the findings follow from the log alone. */
const CLOCK = { nowMs: 0, isReady: true };
const SHIPPED = [...readShippedRules().values()];
const RULES: readonly RuleSource[] = SHIPPED.map(({ rule, source }) => ({
  ruleId: rule.ruleId,
  source,
  tuning: null,
  version: 1,
  filters: [],
}));
const STORIES = SHIPPED.flatMap(({ rule }) => rule.tests).map(testEvents);

interface Step {
  /** The number of events that one transaction evaluates. */
  readonly size: number;
  /** How many instances end before they write this step. */
  readonly lost: number;
  /** Whether another instance does this step. */
  readonly changesHands: boolean;
}

const stories = fc.array(fc.integer({ min: 0, max: STORIES.length - 1 }), { minLength: 1, maxLength: 8 });
const steps = fc.array(
  fc.record({
    size: fc.integer({ min: 1, max: 40 }),
    lost: fc.integer({ min: 0, max: 2 }),
    changesHands: fc.boolean(),
  }),
  { minLength: 1, maxLength: 30 },
);

/** The events of some stories, each story a minute after the one before; some events arrive late. */
function logOf(chosen: readonly number[], lateness: readonly number[]): DetectionEvent[] {
  const all = chosen.flatMap((story, n) =>
    (STORIES[story] ?? []).map((event) => ({ ...event, at: event.at + n * 60_000_000 })),
  );
  const arrivals = all.map((event, i) => ({ event, order: i + (lateness[i % lateness.length] ?? 0) }));
  arrivals.sort((a, b) => a.order - b.order);
  return arrivals.map(({ event }, position) => ({
    ...event,
    position,
    recordId: `00000000-0000-8000-8000-${position.toString(16).padStart(12, '0')}`,
  }));
}

async function inOnePass(log: readonly DetectionEvent[]): Promise<string[]> {
  const host = new LocalHost();
  await host.open(TENANT, RULES, []);
  return idsOf((await host.evaluate(TENANT, log, CLOCK)).findings);
}

/** Runs the steps. A step writes all of its findings, state and position, or nothing. */
async function inSteps(log: readonly DetectionEvent[], given: readonly Step[]): Promise<string[]> {
  const state = new Map<string, StoredState>();
  const found: string[] = [];
  const stored = () => [...state.values()].sort((a, b) => a.touched - b.touched);
  let host: LocalHost | null = null;
  let position = 0;
  for (let n = 0; position < log.length; n++) {
    const { size, lost, changesHands } = given[n % given.length] as Step;
    const events = log.slice(position, position + size);
    for (let tries = 0; tries <= lost; tries++) {
      if (tries > 0 || changesHands) host = null;
      if (!host) {
        host = new LocalHost();
        await host.open(TENANT, RULES, stored());
      }
      const { findings, changes } = await host.evaluate(TENANT, events, CLOCK);
      if (tries < lost) continue;
      found.push(...findings.map(({ findingId }) => findingId));
      for (const row of changes) {
        const key = `${row.node}\n${row.key}`;
        if (row.body === null) state.delete(key);
        else state.set(key, row);
      }
    }
    position += size;
  }
  return [...new Set(found)].sort();
}

const idsOf = (findings: readonly { readonly findingId: string }[]) =>
  [...new Set(findings.map(({ findingId }) => findingId))].sort();

/** The events in an order in which none arrives more than half a day late: after a day, the engine forgets groups. */
function within12Hours(log: readonly DetectionEvent[]): DetectionEvent[] {
  const halfDayOf = ({ at }: DetectionEvent) => Math.floor(at / (12 * 3_600_000_000));
  return log
    .toSorted((a, b) => halfDayOf(a) - halfDayOf(b))
    .map((event, position) => ({ ...event, position }));
}

it('a rule makes the same findings when events of actions that it cannot match are left out', async () => {
  const log = within12Hours(logOf([...STORIES.keys()], [0]));
  let [all, read, rules] = [0, 0, 0];
  for (const rule of RULES) {
    const host = new LocalHost();
    const { actions } = await host.open(TENANT, [rule], []);
    if (!actions) continue;
    const expected = await host.evaluate(TENANT, log, CLOCK);
    await host.open(TENANT, [rule], []);
    const some = log.filter(({ fields }) => actions.includes((fields.actionId ?? '').toLowerCase()));
    const { findings } = await host.evaluate(TENANT, some, CLOCK);
    expect(findings).toEqual(expected.findings);
    rules += Number(findings.length > 0);
    all += log.length;
    read += some.length;
  }
  expect(rules).toBeGreaterThan(20);
  expect(read).toBeLessThan(all / 4);
});

it('findings equal those of a single pass over the log, whatever the steps, lost instances and late events', async () => {
  let found = 0;
  await fc.assert(
    fc.asyncProperty(
      ...([
        stories,
        fc.array(fc.integer({ min: 0, max: 30 }), { minLength: 1, maxLength: 20 }),
        steps,
      ] as const),
      async (chosen, lateness, given) => {
        const log = logOf(chosen, lateness);
        const expected = await inOnePass(log);
        found += expected.length;
        expect(await inSteps(log, given)).toEqual(expected);
      },
    ),
    { seed: SEED, numRuns: casesOf(__filename) },
  );
  expect(found).toBeGreaterThan(5);
});
