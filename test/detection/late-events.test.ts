import { readShippedRules } from '../../src/modules/detection/rules/shipped-rules';
import { Engine } from '../../src/rules/engine';
import type { DetectionEvent } from '../../src/rules/event';
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

describe('a burst that arrives late is found like one that arrives in time', () => {
  const shipped = [...readShippedRules().values()].map(({ rule }) => ({ rule, version: 1 }));
  const rulesOf = (number: number) =>
    shipped.filter(({ rule }) => rule.source.includes(IDS[number] as string));
  /** Ids of rules by number. */
  const IDS: Readonly<Record<number, string>> = {
    1: '"Brute force',
    2: '"Password spray',
    3: '"Success after failures',
    24: '"Enabled then used',
  };
  const failure = (i: number, server: number): Fields => ({
    actionId: 'LGIF',
    succeeded: false,
    clientIp: '203.0.113.9',
    serverInstanceName: `SQL${server}`,
    serverPrincipalName: `name ${i}`,
  });
  type Fields = DetectionEvent['fields'];
  interface Given {
    readonly minute: number;
    readonly fields: Fields;
  }
  const burst = (of: (i: number) => Fields, count = 20): Given[] =>
    Array.from({ length: count }, (_, i) => ({ minute: i / 2, fields: of(i) }));
  /** Ordinary events that other servers send at the same time. */
  const others = (minute: number, count: number): Given[] =>
    Array.from({ length: count }, () => ({
      minute,
      fields: { actionId: 'LGO', serverInstanceName: 'OTHER' },
    }));
  const titles = (number: number, arrivals: readonly Given[]) => {
    const events = arrivals.map(
      ({ minute, fields }, i): DetectionEvent => ({
        recordId: `record ${i}`,
        at: START + Math.round(minute * MINUTE),
        position: i * 300,
        fields,
        additional: {},
      }),
    );
    return new Set(
      new Engine(1, rulesOf(number)).evaluate(events, 0).map(({ title }) => title.split(':')[0]),
    );
  };
  const login = { minute: 11, fields: { ...failure(0, 1), actionId: 'LGIS', succeeded: true } };
  const option = { ...failure(0, 1), actionId: 'EX', statement: "EXEC sp_configure 'xp_cmdshell', 1" };
  const command = { ...failure(0, 1), actionId: 'EX', statement: "EXEC xp_cmdshell 'dir'" };
  const STORIES: readonly (readonly [number, string, readonly Given[]])[] = [
    [1, 'Brute force', burst((i) => failure(i, i % 2))],
    [2, 'Password spray', burst((i) => failure(i, i % 2), 14)],
    [3, 'Success after failures', [...burst((i) => failure(i, i % 2)), login]],
    [
      24,
      'Enabled then used',
      [
        { minute: 1, fields: option },
        { minute: 9, fields: command },
      ],
    ],
  ];

  it.each(STORIES)(
    'rule %i: by rules that saw later events of other servers for hours or days',
    (number, title, story) => {
      for (const hours of [0, 23, 49, 1_000]) {
        const between = story.flatMap((one, i) => [one, ...others(hours * 60 + i, 5)]);
        expect(titles(number, [...others(hours * 60, 20), ...between])).toEqual(new Set([title]));
      }
    },
  );

  it.each(STORIES)(
    'rule %i: when one half of it lags by hours, and not by two days',
    (number, title, story) => {
      const [half, rest] = [story.filter((_, i) => i % 2 === 0), story.filter((_, i) => i % 2 === 1)];
      const lagsBy = (hours: number) => titles(number, [...half, ...others(hours * 60, 40), ...rest]);
      expect(lagsBy(23)).toEqual(new Set([title]));
      expect(lagsBy(49)).toEqual(new Set());
    },
  );
});

it('windows that a build without stretches has stored go on', () => {
  const rules = parseRules(COUNT).map((rule) => ({ rule, version: 1 }));
  const [{ rule }] = rules as [(typeof rules)[number]];
  const entry = (at: number) => ({ f: START + at, l: START + at, r: [`at ${at}`], n: 1, p: [], i: [] });
  const engine = new Engine(1, rules);
  const lanes = [
    { max: START, entries: [entry(0)] },
    { max: START + 60 * MINUTE, entries: [entry(60 * MINUTE)] },
  ];
  engine.load([{ node: `${rule.ruleId}/1/0`, key: '', touched: 1, values: {}, body: { lanes } }]);
  const at = START + 61 * MINUTE;
  const found = engine.evaluate(
    [{ recordId: 'new', at, position: 2, fields: { actionId: 'SL' }, additional: {} }],
    0,
  );
  expect(found.map(({ recordIds }) => recordIds)).toEqual([[`at ${60 * MINUTE}`, 'new']]);
  const changes = engine.takeChanges();
  expect(changes.filter(({ body }) => body === null).map(({ key }) => key)).toContain('');
});
