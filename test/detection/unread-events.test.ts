import { LIMITS } from '../../src/limits';
import { UnreadEvents } from '../../src/modules/detection/watch/unread-events';
import { Engine } from '../../src/rules/engine';
import type { DetectionEvent } from '../../src/rules/event';
import { testEvents } from '../../src/rules/rule-test';
import { parseRules } from '../../src/rules/sigma/rule-file';

const rule = (n: number, detection: string) =>
  `title: Rule ${n}\nlogsource:\n  product: sqlserver\ndetection:\n  s:\n    ${detection}\n  condition: s\n`;
const engineOf = (...detections: readonly string[]) =>
  new Engine(
    1,
    detections.map((detection, n) => ({ rule: parseRules(rule(n, detection))[0] as never, version: 1 })),
  );
const EXECUTED = { actionId: 'EX', additional: { bad: 'xp_bad' } };

/** An event with a value that cannot be read. */
function broken(event: DetectionEvent, error: unknown, onAsked = () => {}): DetectionEvent {
  const additional = Object.defineProperty({}, 'bad', {
    get: () => {
      onAsked();
      throw error;
    },
  });
  return { ...event, additional };
}

describe('an event at which conditions fail', () => {
  const events = testEvents({ name: '', finds: true, events: [EXECUTED, EXECUTED, EXECUTED] });
  const [before, bad, after] = events as [DetectionEvent, DetectionEvent, DetectionEvent];
  const given = (error: unknown) => [before, broken(bad, error), after];

  it('is noted once, and other events and other rules are looked at', () => {
    const engine = engineOf("additional.bad|contains: 'xp_bad'", 'actionId: EX');
    const findings = engine.evaluate(given(new RangeError('too deep')), 0);
    const found = findings.map(({ title, recordIds }) => `${title} ${recordIds[0]?.slice(-1)}`);

    expect(found.sort()).toEqual(['Rule 0 0', 'Rule 0 2', 'Rule 1 0', 'Rule 1 1', 'Rule 1 2']);
    expect(engine.takeUnread()).toEqual([{ recordId: bad.recordId, error: 'RangeError' }]);
    expect(engine.takeUnread()).toEqual([]);
  });

  it('is left after three failures, since each may have taken long', () => {
    let asked = 0;
    const engine = engineOf(...Array.from({ length: 9 }, (_, n) => `additional.bad|contains: 'bad${n}'`));
    engine.evaluate([broken(bad, 'no error', () => asked++), broken(after, 'of rules')], 0);

    expect(asked).toBe(3);
    expect(engine.takeUnread()).toEqual([
      { recordId: bad.recordId, error: 'string' },
      { recordId: after.recordId, error: 'string' },
    ]);
  });

  it('ends no learning: what learns nothing does not ask it', () => {
    const engine = engineOf("additional.bad|contains: 'xp_bad'");
    engine.learn(given(new RangeError('too deep')));
    expect(engine.evaluate([after], 0)).toHaveLength(1);
    expect(engine.takeUnread()).toEqual([]);
  });
});

describe('the alerts of events at which rules failed', () => {
  it('name each event up to a number of a tenant in a day, and one tells of the others', async () => {
    const bound = jest.replaceProperty(LIMITS, 'sourceAlertsMax', 2 as never);
    try {
      const told: unknown[] = [];
      let nowMs = Date.parse('2026-02-03T08:00:00Z');
      const health = {
        tell: async ({ tenantId, key }: { tenantId: number; key: string }) => told.push([tenantId, key]) > 0,
      };
      const events = new UnreadEvents(health, () => nowMs);
      const tell = async (tenantId: number, ...ids: readonly string[]) => {
        await events.tell(
          tenantId,
          ids.map((recordId) => ({ recordId, error: 'RangeError' })),
        );
        return told.splice(0).map((one) => (one as [number, string]).join(' '));
      };
      expect(await tell(7, 'a')).toEqual(['7 unread event a']);
      expect(await tell(7, 'b', 'c', 'a', 'd')).toEqual([
        ...['7 unread event b', '7 unread event a', '7 more: unread events'],
      ]);
      expect(await tell(8, 'c')).toEqual(['8 unread event c']);
      nowMs += 24 * 3_600_000;
      expect(await tell(7, 'c')).toEqual(['7 unread event c']);
    } finally {
      bound.restore();
    }
  });
});
