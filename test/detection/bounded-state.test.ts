import { Engine } from '../../src/rules/engine';
import type { DetectionEvent } from '../../src/rules/event';
import type { StateRow } from '../../src/rules/group-store';
import { parseRules } from '../../src/rules/sigma/rule-file';

const SOURCE = `title: a
name: a
logsource:
  product: sqlserver
detection:
  s:
    actionId: SL
  condition: s
---
title: Far
correlation:
  type: value_count
  rules: [a]
  group-by: [clientIp]
  timespan: 30d
  condition:
    field: objectName
    gte: 9000
`;
const ACTIVE = parseRules(SOURCE).map((rule) => ({ rule, version: 1 }));
const SIZE_MAX = 100_000;
const GROUPS = 15;

/** Events of several addresses in turn, each with a different object. */
const events = (from: number, count: number): DetectionEvent[] =>
  Array.from({ length: count }, (_, i) => {
    const n = from + i;
    return {
      recordId: String(n),
      at: 1e15 + n * 1_000,
      position: n,
      fields: { actionId: 'SL', clientIp: `10.0.0.${n % GROUPS}`, objectName: `Table${n}` },
      additional: {},
    };
  });

describe("the state of an engine's windows", () => {
  it('is bounded, and an engine that loads stored state forgets the same as one that ran without a stop', () => {
    const whole = new Engine(1, ACTIVE);
    let stepwise = new Engine(1, ACTIVE);
    const stored = new Map<string, StateRow>();
    let largest = 0;
    for (let n = 0; n < 16; n++) {
      const some = events(n * 9_000, 9_000);
      const found = whole.evaluate(some, 0);
      expect(stepwise.evaluate(some, 0).map(({ findingId }) => findingId)).toEqual(
        found.map(({ findingId }) => findingId),
      );
      largest = Math.max(largest, whole.size);
      for (const row of stepwise.takeChanges()) {
        if (row.body === null) stored.delete(row.key);
        else stored.set(row.key, row);
      }
      if (n % 5 !== 4) continue;
      stepwise = new Engine(1, ACTIVE);
      const rows = [...stored.values()].sort((a, b) => a.touched - b.touched);
      stepwise.load(JSON.parse(JSON.stringify(rows)) as StateRow[]);
      expect(stepwise.size).toBe(whole.size);
    }
    expect(largest).toBeGreaterThan(SIZE_MAX / 2);
    expect(largest).toBeLessThanOrEqual(SIZE_MAX);
  });
});

describe('an event whose time cannot be right', () => {
  const AT = 1e15;
  const correlation = (type: string, rules: string) => `title: Found
correlation:
  type: ${type}
  rules: ${rules}
  group-by: [serverInstanceName]
  timespan: 10m
`;
  const base = (name: string, action: string) => `title: ${name}
name: ${name}
logsource:
  product: sqlserver
detection:
  s:
    actionId: ${action}
  condition: s
---
`;
  const event = (position: number, actionId: string, minutes: number, marked = false): DetectionEvent => ({
    recordId: String(position),
    at: AT + minutes * 60e6,
    position,
    fields: { actionId, serverInstanceName: 'A' },
    additional: marked ? { clock: '2026-01-06T00:00:00.000Z' } : {},
  });
  const FAR = 1e9;
  const found = (source: string, ...events: DetectionEvent[]) =>
    new Engine(
      1,
      parseRules(source).map((rule) => ({ rule, version: 1 })),
    ).evaluate(events, 0).length;

  it('has the engine forget no group, and is counted itself', () => {
    const source = `${base('a', 'SL')}${correlation('event_count', '[a]')}  condition:\n    gte: 3\n`;
    const two = [event(1, 'SL', 0), event(2, 'SL', 1)];
    const third = [event(9_000, 'UP', 2), event(18_000, 'SL', 3)];
    expect(found(source, ...two, event(3, 'UP', FAR, true), ...third)).toBe(1);
    expect(found(source, ...two, event(3, 'UP', FAR), ...third)).toBe(0);
    expect(found(source, ...[0, 1, 2].map((i) => event(i, 'SL', FAR + i, true)))).toBe(1);
  });

  it('ends no wait for an event that stays away', () => {
    const source = `${base('a', 'SL')}${base('b', 'UP')}${correlation('absence', '[a, b]')}`;
    const [waits, came] = [event(1, 'SL', 0), event(3, 'UP', 5)];
    expect(found(source, waits, event(2, 'DL', FAR, true), came)).toBe(0);
    expect(found(source, waits, event(2, 'DL', FAR), came)).toBe(1);
  });
});
