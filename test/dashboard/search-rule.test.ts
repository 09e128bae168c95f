import fc from 'fast-check';
import { RULES } from '../../dashboard/src/rules/texts';
import { failedTests } from '../../src/rules/rule-test';
import { parseRules } from '../../src/rules/sigma/rule-file';

const { ruleOfSearch } = jest.requireActual<{
  ruleOfSearch: (filter: string, about: { ruleId: string; title: string }, t: typeof RULES) => string;
}>('../../dashboard/src/rules/search-rule');
const { quoteValue } = jest.requireActual<{ quoteValue: (value: string) => string }>(
  '../../dashboard/src/explore/filter/value-text',
);
const { exceptionsOf, linesOf } = jest.requireActual<{
  exceptionsOf: (text: string, t: typeof RULES) => readonly object[];
  linesOf: (exceptions: readonly object[]) => string;
}>('../../dashboard/src/rules/exceptions');
const { problemsOf } = jest.requireActual<{ problemsOf: (text: string) => readonly object[] }>(
  '../../dashboard/src/rules/import-problems',
);

const ABOUT = { ruleId: '5f0ad6f0-6a0c-4f0e-9c59-3f1d9e6f7a11', title: 'Of a "search"' };

/** Whether the rule made from a filter matches an event. */
function finds(filter: string, event: Record<string, unknown>): boolean {
  const [rule] = parseRules(ruleOfSearch(filter, ABOUT, RULES));
  if (!rule) throw new Error('no rule');
  return failedTests({ ...rule, tests: [{ name: 'the event', finds: true, events: [event] }] }).length === 0;
}

describe('a rule made from a filter of Explore', () => {
  it('matches the same events as the filter, with the same treatment of letter case', () => {
    const filter = 'databaseName:Payroll AND NOT (principalName:CORP\\* OR succeeded:false)';
    const event = { databaseName: 'Payroll', serverPrincipalName: 'alice', succeeded: true };
    expect(finds(filter, event)).toBe(true);
    expect(finds(filter, { ...event, databaseName: 'payroll' })).toBe(false);
    expect(finds(filter, { ...event, serverPrincipalName: 'CORP\\alice' })).toBe(false);
    expect(finds(filter, { ...event, succeeded: false })).toBe(false);
    expect(finds('NOT objectName:*', { objectName: null })).toBe(true);
    expect(finds('databaseName~PAY*', event)).toBe(true);
    expect(finds('databaseName:PAY*', event)).toBe(false);
    expect(finds('statement:"from PAY"', { statement: 'SELECT 1 FROM pay' })).toBe(true);
    expect(finds('statement:"from PAY"', { statement: 'SELECT 1 FROM x' })).toBe(false);
  });

  it('compares numbers and networks', () => {
    const rows = (text: string) => ({ additional: { responseRows: text } });
    expect(finds('responseRows:>1000', rows('1001'))).toBe(true);
    expect(finds('responseRows:>1000', rows('1000'))).toBe(false);
    expect(finds('responseRows:(10 TO 99)', rows('99'))).toBe(true);
    expect(finds('responseRows:(10 TO 99)', rows('100'))).toBe(false);
    expect(finds('NOT responseRows:<=5', { additional: {} })).toBe(true);
    expect(finds('clientIp:10.0.0.0/8', { clientIp: '::ffff:10.1.2.3' })).toBe(true);
    expect(finds('NOT clientIp:10.0.0.0/8', { clientIp: '11.1.2.3' })).toBe(true);
  });

  it('compares a value literally, whatever characters are in it', () => {
    const value = fc.string({ minLength: 1, maxLength: 8, unit: fc.constantFrom(...'aB*?\\"\' :-(){}#%é') });
    fc.assert(
      fc.property(
        value.filter((text) => text.trim() === text),
        (text) => {
          const filter = `databaseName:${quoteValue(text)}`;
          expect(finds(filter, { databaseName: text })).toBe(true);
          expect(finds(filter, { databaseName: `${text}a` })).toBe(false);
          expect(finds(filter, { databaseName: `a${text}` })).toBe(false);
        },
      ),
    );
  });

  it('is refused if a rule cannot express the filter, or if the filter is invalid', () => {
    expect(() => ruleOfSearch('salary', ABOUT, RULES)).toThrow('statement:word');
    expect(() => ruleOfSearch('databaseName:(', ABOUT, RULES)).toThrow('The filter:');
  });
});

describe('the exceptions of a rule', () => {
  it('are written as lines of the filter language, and read back unchanged', () => {
    const exceptions = [
      { serverPrincipalName: 'CORP\\svc "report"', hostName: 'APP 01' },
      { clientIp: '10.0.0.1' },
    ];
    expect(exceptionsOf(linesOf(exceptions), RULES)).toEqual(exceptions);
  });

  it('are refused with the numbers of the lines that do not state values of fields', () => {
    expect(() => exceptionsOf('clientIp:10.0.0.1\nNOT hostName:x\n\nsalary', RULES)).toThrow('Line 2, 4');
  });
});

it('problems of an imported file are shown with their line', () => {
  expect(problemsOf('The rule is not taken. Line 3: it is v1.2. Line 7: no such field.')).toEqual([
    { line: 3, reason: 'it is v1.2' },
    { line: 7, reason: 'no such field' },
  ]);
  expect(problemsOf('Another backtest is running.')).toEqual([]);
});
