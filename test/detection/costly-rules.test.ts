import type { DetectionEvent } from '../../src/rules/event';
import { clientOf } from '../../src/rules/event-values';
import { LocalHost } from '../../src/rules/host';
import { serversOf, textsOf } from '../../src/rules/plain-statement';
import { testEvents } from '../../src/rules/rule-test';
import { RuleRefused } from '../../src/rules/sigma/problem';
import { parseRules } from '../../src/rules/sigma/rule-file';
import { statesOf } from '../../src/rules/sigma/value-test';
import { windowsView } from '../../src/rules/windows-view';
import { normalForm } from '../../src/tsql/normal-form';
import { growthOf, LINEAR_MAX } from '../support/growth';

const rule = (name: string, detection = '    actionId: SL\n') =>
  `title: ${name}\nname: ${name}\nlogsource:\n  product: sqlserver\ndetection:\n  s:\n${detection}  condition: s\n`;
const correlation = (name: string, rules: readonly string[], more = '') =>
  `---\ntitle: ${name}\nname: ${name}\ncorrelation:\n  type: event_count\n  rules: [${rules.join(', ')}]\n${more}` +
  '  timespan: 5m\n  condition:\n    gte: 2\n';
const regex = (pattern: string) => rule('a', `    statement|re: '${pattern}'\n`);

function refusalOf(source: string): string {
  try {
    parseRules(source);
    return '';
  } catch (error) {
    if (!(error instanceof RuleRefused)) throw error;
    return error.message;
  }
}

describe('a small rule file that costs much', () => {
  it('is refused when rules name rules so that all their names together exceed the bound', () => {
    const levels = Array.from({ length: 12 }, (_, i) => correlation(`r${i + 1}`, Array(20).fill(`r${i}`)));
    const began = process.cpuUsage();
    expect(refusalOf(rule('r0') + levels.join(''))).toMatch(/name at most 2000 rules/);
    expect(process.cpuUsage(began).user).toBeLessThan(2_000_000);
    expect(refusalOf(rule('r0') + levels.slice(0, 2).join(''))).toBe('');
  });

  it('is refused when repetitions make one regular expression, or all of them together, too large', () => {
    expect(refusalOf(regex('(?:x?){1000}y'.repeat(30)))).toMatch(
      /line 7: the regular expression is too large/,
    );
    expect(refusalOf(regex('((a{10}){10}){60}'))).toMatch(/too large/);
    expect(refusalOf(regex('[A-Za-z0-9+/]{200,}={0,2}|\\d{3}-\\d{2}-\\d{4}'))).toBe('');
    const many = Array.from({ length: 60 }, (_, i) => rule(`r${i}`, "    statement|re: '.{900}y'\n"));
    expect(refusalOf(many.join('---\n'))).toMatch(/more than 50000/);
    expect(refusalOf(many.slice(0, 50).join('---\n'))).toBe('');
  });

  it.each([
    ['abc', 3],
    ['a{3}', 4],
    ['(ab){3}', 10],
    ['[a{9}]', 1],
    ['\\{9}', 3],
    ['[]{9}]x', 2],
  ])(
    'a regular expression has about as many states as it has characters when written out: %s',
    (pattern, states) => {
      expect(statesOf(pattern)).toBe(states);
    },
  );
});

describe('YAML that takes a parser long, or a deep stack', () => {
  const N = 20_000;
  it.each([
    ['anchors', `x: [${'&a '.repeat(N)}]`, /anchors/],
    ['tags', `x: ${'!a '.repeat(N)}`, /tags/],
    ['aliases', `x: [${'*a,'.repeat(N)}]`, /aliases/],
    ['keys behind ?', '? '.repeat(N), /keys behind/],
    ['lists on one line', '- '.repeat(N), /too large or too deep/],
    ['lists of maps on one line', '- a: '.repeat(N), /too large or too deep/],
    ['maps on one line', 'a: '.repeat(N), /too large or too deep/],
    ['brackets', '['.repeat(N), /too large or too deep/],
    ['brackets that close', ']'.repeat(N), /not opened/],
    ['commas', `[${','.repeat(N)}]`, /before a comma/],
    ['quotes', '""'.repeat(N), /quoted text/],
    ['escapes', `a: "${'\\q'.repeat(N)}"`, /escape/],
    ['documents', '---\n'.repeat(N), /more than 100 documents/],
    ['items', '- a\n'.repeat(2 * N), /too large/],
    ['keys', Array.from({ length: 9_000 }, (_, i) => `k${i}: 1`).join('\n'), /title/],
    ['the same key', 'a: 1\n'.repeat(9_000), /twice/],
  ])('is refused quickly: %s', (_, source, reason) => {
    const began = process.cpuUsage();
    expect(refusalOf(source)).toMatch(reason);
    expect(process.cpuUsage(began).user).toBeLessThan(2_000_000);
  });
});

describe('a rule that was imported in a file', () => {
  const parts = (source: string) =>
    Object.fromEntries(parseRules(source).map(({ title, source: own }) => [title, own]));

  it('keeps the documents that it consists of, and no others', () => {
    const filter = `---\ntitle: f\nlogsource:\n  product: sqlserver\nfilter:\n  rules: [b]\n  s:\n    hostName: X\n  condition: not s\n`;
    const file = `# Of ours\n${rule('a')}---\n${rule('b')}${correlation('c', ['b'])}${filter}`;
    const own = parts(file);
    expect(own).toEqual({
      a: `# Of ours\n${rule('a')}`,
      c: `---\n${rule('b')}${correlation('c', ['b'])}${filter}`,
    });
    for (const [title, source] of Object.entries(own)) expect(parts(source)).toEqual({ [title]: source });
  });

  it('keeps its own source too when a correlation names it and has generate: true', () => {
    const file = rule('a') + correlation('c', ['a'], '  generate: true\n');
    const own = parts(file);
    expect(own).toEqual({ a: rule('a'), c: file });
    expect(parts(own.c ?? '')).toEqual(own);
  });
});

describe('an engine', () => {
  const events = testEvents({ name: '', finds: true, events: [{ actionId: 'SL', repeat: 100 }] });
  const clock = { nowMs: 0, isReady: true };

  it('stops when its time is over, and makes the same findings in two steps as in one', async () => {
    const host = new LocalHost();
    const rules = parseRules(rule('a')).map(({ ruleId, source }) => ({
      ruleId,
      source,
      tuning: null,
      version: 1,
      filters: [],
    }));
    await host.open(1, rules, []);
    await host.open(2, rules, []);
    const first = await host.evaluate(1, events, { ...clock, workMs: 0 });
    expect(first.seen).toBeGreaterThan(0);
    expect(first.seen).toBeLessThan(events.length);
    const rest = await host.evaluate(1, events.slice(first.seen), clock);
    const whole = await host.evaluate(2, events, clock);
    const found = [...first.findings, ...rest.findings].map(({ recordIds }) => recordIds);
    expect(found).toEqual(whole.findings.map(({ recordIds }) => recordIds));
    expect((await host.learn(1, events, 0)).seen).toBeLessThan(events.length);
  });
});

describe('the cost of a rule', () => {
  const costOf = (source: string) => parseRules(source).map(({ cost }) => cost);

  it('grows with its values, the states of its regular expressions, and how often correlations name it', () => {
    const [one = 0] = costOf(rule('a', '    actionId: [SL, UP]\n'));
    const [more = 0] = costOf(rule('a', `    actionId: [${Array(100).fill('SL').join(', ')}]\n`));
    expect(more - one).toBe(98);
    const [regular = 0] = costOf(regex('.{900}y'));
    expect(regular).toBeGreaterThan(18_000);
    const chain = rule('a', '    statement: x\n') + correlation('b', Array(20).fill('a'));
    const [named = 0] = costOf(chain + correlation('c', Array(20).fill('b')));
    expect(named).toBeGreaterThan(400);
  });
});

const eventOf = (event: object) =>
  testEvents({ name: '', finds: true, events: [{ actionId: 'EX', ...event }] })[0] as DetectionEvent;
describe('a statement of megabytes', () => {
  it.each([
    ['words', 'grant select to bob '],
    ['operators', 'a-b/'],
    ['lines', 'a\n'],
    ['lists', '(a , b) , '],
    ['comments', '/* a */ '],
    ['texts', "'a text of a usual length' "],
  ])('is made plain in a time that grows no faster than its length: %s', (_, piece) => {
    expect(growthOf(piece, 1_600_000, normalForm)).toBeLessThan(LINEAR_MAX);
  });

  const LOGIN = { actionId: 'LGIF' };
  it.each<[string, string, (text: string) => unknown]>([
    ['addresses', '[CLIENT: ', (statement) => clientOf(eventOf({ ...LOGIN, clientIp: null, statement }))],
    ['messages', '[CLIENT: ', (statement) => windowsView.data(eventOf({ ...LOGIN, statement }))],
    ['dots and spaces', ' ', (text) => serversOf(eventOf({ statement: `a,.b,.${text}.${text}c` }))],
  ])('is looked at in a time that grows no faster than its length: %s', (what, piece, look) => {
    expect(growthOf(piece, what === 'dots and spaces' ? 4_000 : 100_000, look)).toBeLessThan(LINEAR_MAX);
  });

  it('that executes many texts that nearly stand in it is looked at quickly', () => {
    const executed = Array.from({ length: 250 }, (_, n) => `EXEC(@x+'${n}'+@x);`);
    const text = 'a'.repeat(50_000);
    const statement = `SET @x='${text.slice(0, 4_000)}';${executed.join('')}${text}`;
    const began = process.cpuUsage();
    expect([textsOf(eventOf({ statement }))].flat().length).toBeGreaterThan(100);
    expect(process.cpuUsage(began).user).toBeLessThan(2_000_000);
  });

  it('that names options of the server over and over has the message of each once, a thousand at most', () => {
    const [event] = testEvents({
      name: '',
      finds: true,
      events: [{ actionId: 'EX', statement: "exec sp_configure 'clr enabled', 1; ".repeat(50_000) }],
    });
    expect(windowsView.messages(event as DetectionEvent)).toEqual([
      "Configuration option 'clr enabled' changed from 0 to 1. Run the RECONFIGURE statement to install.",
      ...['clr enabled', '0', '1'],
    ]);
    const names = Array.from({ length: 1_500 }, (_, i) => `exec sp_configure 'o${i}', ${i % 2};`);
    const [many] = testEvents({
      name: '',
      finds: true,
      events: [{ actionId: 'EX', statement: names.join('') }],
    });
    expect(windowsView.messages(many as DetectionEvent)).toHaveLength(4 * 1_000);
  });
});
