import { Engine } from '../../src/rules/engine';
import { parseRules } from '../../src/rules/sigma/rule-file';

const BASE =
  'title: a\nname: a\nlogsource: {product: sqlserver}\ndetection: {s: {actionId: SL}, condition: s}\n';
const CORRELATION = '---\ntitle: Several\ncorrelation:\n  rules: [a]\n  timespan: 10m\n';
const COUNT = `${BASE}${CORRELATION}  type: event_count\n  condition: {gte: 2}\n`;

const START = 1e15;
const MINUTE = 60e6;
const DAY_AND_WINDOW = (24 * 60 + 10) * MINUTE;

describe('an engine keeps the groups of a window for a day and the window, in which events may come late', () => {
  const engineAfter = (passed: number) => {
    const engine = new Engine(
      1,
      parseRules(COUNT).map((rule) => ({ rule, version: 1 })),
    );
    const see = (position: number, actionId: string, at: number) =>
      engine.evaluate(
        [{ recordId: `record ${position}`, at: START + at, position, fields: { actionId }, additional: {} }],
        0,
      ).length;
    see(1, 'SL', 0);
    see(2, 'UP', passed);
    return { engine, see };
  };

  it('a late event completes a window whose time was over', () => {
    const { see } = engineAfter(DAY_AND_WINDOW);
    // The engine looks for groups to forget at events far behind each other.
    expect(see(5_000, 'UP', DAY_AND_WINDOW)).toBe(0);
    expect(see(10_000, 'SL', MINUTE)).toBe(1);
  });

  it('then it forgets them', () => {
    const { engine, see } = engineAfter(DAY_AND_WINDOW + 1);
    expect(engine.size).toBeGreaterThan(0);
    see(4_095, 'UP', 0);
    expect(engine.size).toBeGreaterThan(0);
    see(4_096, 'UP', 0);
    expect(engine.size).toBe(0);
  });
});
