import fc from 'fast-check';
import { parseFilter } from '../../src/event/expression/parse-filter';

type Value = string | null;
const { quoteValue } = jest.requireActual<{ quoteValue: (value: string) => string }>(
  '../../dashboard/src/explore/filter/value-text',
);
const { partsOf, joinParts } = jest.requireActual<{
  partsOf: (text: string) => readonly { text: string; selection: unknown }[];
  joinParts: (parts: readonly { text: string }[]) => string;
}>('../../dashboard/src/explore/filter/parts');
type Edit = (filter: string, field: string, value: Value) => string;
const edit = jest.requireActual<Record<'toggleIncluded' | 'toggleExcluded' | 'only' | 'exclude', Edit>>(
  '../../dashboard/src/explore/filter/edit',
);

const value = fc
  .string({ unit: fc.constantFrom(...'aB\\"*():- ~\n', 'OR', 'NOT', 'é'), minLength: 1, maxLength: 8 })
  .filter((text) => text !== '');
const FIELDS = ['objectName', 'serverPrincipalName', 'hostName'];
const TYPED = [
  ...['', 'salary', '"a b" -x', 'a OR b', 'NOT (a OR objectName:x) AND hostName:"W S"', 'objectName~abc'],
  ...['-objectName:(a OR b) principalName:CORP\\svc*', 'statement:"x OR y" objectName:a"b (c)', '((a)) b'],
];

const expressionOf = (text: string) => {
  const parsed = parseFilter(text);
  if ('problem' in parsed) throw new Error(`${text}: ${parsed.problem}`);
  return parsed.expression;
};

describe('a filter that is edited by choosing values', () => {
  it('quotes any value so that it is compared literally', () => {
    fc.assert(
      fc.property(value, (text) => {
        const expected = { kind: 'field', field: 'objectName', how: 'equals', text, isFolded: false };
        expect(expressionOf(`objectName:${quoteValue(text)}`)).toEqual(expected);
        expect(expressionOf(`objectName:(${quoteValue(text)} OR b)`)).toMatchObject({ of: [expected, {}] });
      }),
    );
  });

  it('does not quote names with a domain', () => {
    expect(quoteValue('CORP\\svc_etl')).toBe('CORP\\svc_etl');
    expect(quoteValue('NT AUTHORITY\\SYSTEM')).toBe('"NT AUTHORITY\\SYSTEM"');
    expect(quoteValue('ends in \\')).toBe('"ends in \\\\"');
  });

  it.each(TYPED.filter(Boolean))('keeps the typed conditions %s unchanged', (text) => {
    expect(JSON.stringify(expressionOf(joinParts(partsOf(text))))).toBe(JSON.stringify(expressionOf(text)));
  });

  it('stays valid under any choices, and is as it was typed after they are undone', () => {
    const step = fc.record({
      how: fc.constantFrom('toggleIncluded' as const, 'toggleExcluded' as const),
      field: fc.constantFrom(...FIELDS.slice(1)),
      value: fc.oneof(value, fc.constant(null)),
    });
    fc.assert(
      fc.property(
        fc.constantFrom('', 'salary', 'a OR b', 'NOT (a OR b) c'),
        fc.array(step),
        (typed, steps) => {
          let text: string = typed;
          for (const { how, field, value: chosen } of steps) {
            text = edit[how](text, field, chosen);
            if (text !== '') expressionOf(text);
          }
          for (const { how, field, value: chosen } of steps) {
            const other = how === 'toggleIncluded' ? 'toggleExcluded' : 'toggleIncluded';
            // A value is chosen or excluded, and then the choice is undone.
            text = edit.only(edit[other](text, field, chosen), field, chosen);
            text = edit.toggleIncluded(text, field, chosen);
          }
          expect(
            text === '' || JSON.stringify(expressionOf(text)) === JSON.stringify(expressionOf(typed)),
          ).toBe(true);
        },
      ),
    );
  });

  it.each<[string, keyof typeof edit, string, Value, string]>([
    ['', 'toggleIncluded', 'objectName', 'Payroll', 'objectName:Payroll'],
    ['objectName:Payroll', 'toggleIncluded', 'objectName', 'Salary', 'objectName:(Payroll OR Salary)'],
    ['objectName:(a OR b) x', 'toggleIncluded', 'objectName', 'a', 'objectName:b AND x'],
    ['objectName:a x', 'toggleExcluded', 'objectName', 'a', 'NOT objectName:a AND x'],
    ['NOT objectName:(a OR b)', 'toggleIncluded', 'objectName', 'a', 'objectName:a AND NOT objectName:b'],
    ['statement:a', 'only', 'statement', 'b', 'statement:a AND statement:b'],
    ['x', 'exclude', 'serverPrincipalName', 'CORP\\svc', 'x AND NOT principalName:CORP\\svc'],
    ['-principalName:a', 'exclude', 'serverPrincipalName', 'b', 'NOT principalName:(a OR b)'],
    ['a OR b', 'only', 'hostName', 'W 1', '(a OR b) AND hostName:"W 1"'],
    ['', 'only', 'hostName', null, 'NOT hostName:*'],
    ['', 'exclude', 'hostName', null, 'hostName:*'],
    ['NOT hostName:*', 'toggleIncluded', 'hostName', 'a', '(hostName:a OR NOT hostName:*)'],
  ])('%s, then %s %s %s, is %s', (text, how, field, chosen, expected) => {
    expect(edit[how](text, field, chosen)).toBe(expected);
  });
});
