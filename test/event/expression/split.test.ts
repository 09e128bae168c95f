import type { Expression } from '../../../src/event/expression/expression';
import { parseFilter } from '../../../src/event/expression/parse-filter';
import { splitExpression } from '../../../src/event/expression/split';
import type { FilterName } from '../../../src/event/filters';
import { givenFilters } from '../../../src/event/query';
import { NO_FILTER } from '../../support/filters';

/** The conditions that are taken out of a filter beside given ones, and the fields of the others. */
function split(text: string, given: Partial<Record<FilterName, string | boolean>> = {}) {
  const parsed = parseFilter(text);
  if ('problem' in parsed) throw new Error(parsed.problem);
  const { search, expression, ...rest } = splitExpression(
    parsed.expression,
    { ...NO_FILTER, ...given } as never,
    [],
  );
  const values = rest.values as unknown as Readonly<Record<FilterName, unknown>>;
  return {
    values: Object.fromEntries(givenFilters(values as never).map((name) => [name, values[name]])),
    words: search.map((term) => term.text),
    left: expression === null ? [] : shown(expression),
  };
}

const shown = (expression: Expression): string[] => {
  if (expression.kind === 'and') return expression.of.flatMap(shown);
  return [expression.kind === 'field' ? `${expression.field}:${expression.text}` : expression.kind];
};

describe('conditions of a filter that parameters can state too', () => {
  it.each([
    ['one value', 'actionId:UP', {}, { values: { actionId: 'UP' }, words: [], left: [] }],
    [
      'values of several fields, and words',
      'actionId:UP AND succeeded:false AND salary',
      {},
      { values: { actionId: 'UP', succeeded: false }, words: ['salary'], left: [] },
    ],
    [
      'the same value twice',
      'actionId:UP AND actionId:UP',
      {},
      { values: { actionId: 'UP' }, words: [], left: [] },
    ],
    [
      'a second value of a field, which stays a condition of its own',
      'actionId:UP AND actionId:DL',
      {},
      { values: { actionId: 'UP' }, words: [], left: ['actionId:DL'] },
    ],
    [
      'another value than the parameter has',
      'actionId:DL databaseName:Payroll',
      { actionId: 'UP' },
      { values: { actionId: 'UP', databaseName: 'Payroll' }, words: [], left: ['actionId:DL'] },
    ],
    [
      'another outcome than the parameter has',
      'succeeded:true',
      { succeeded: false },
      { values: { succeeded: false }, words: [], left: ['succeeded:true'] },
    ],
    [
      'the value that the parameter has',
      'succeeded:false',
      { succeeded: false },
      { values: { succeeded: false }, words: [], left: [] },
    ],
    [
      'conditions in brackets that must all hold',
      '(actionId:UP (databaseName:Payroll salary))',
      {},
      { values: { actionId: 'UP', databaseName: 'Payroll' }, words: ['salary'], left: [] },
    ],
    [
      'alternatives, exceptions, folded values, beginnings and uncounted fields stay',
      '(actionId:UP OR actionId:DL) AND NOT actionId:SL AND actionId~up AND actionId:U* AND statement:drop',
      {},
      {
        values: {},
        words: [],
        left: ['or', 'not', 'actionId:up', 'actionId:U', 'statement:drop'],
      },
    ],
  ])('%s', (_, text, given, expected) => {
    expect(split(text, given)).toEqual(expected);
  });
});
