import fc from 'fast-check';
import type { FieldTerm } from '../../../src/event/expression/expression';
import { matchesValue } from '../../../src/event/expression/matches';
import { LIMITS } from '../../../src/limits';
import {
  COLUMN_VALUES_MAX,
  columnText,
  packCodes,
  packNumbers,
  readNumberColumn,
} from '../../../src/store/columns/codec';
import { Evaluator, type HourOfColumns } from '../../../src/store/columns/evaluate';
import { NO, type Verdicts, YES } from '../../../src/store/columns/verdicts';

const term = (how: FieldTerm['how'], text: string, bounds?: FieldTerm['bounds']): FieldTerm => ({
  ...{ kind: 'field', field: 'transactionId', how, text, isFolded: false },
  ...(bounds ? { bounds } : {}),
});

/** An hour with one event of each number. @param texts empty: absent */
function hourOf(texts: readonly string[]) {
  const { sorted, text } = packNumbers(texts);
  const codes = packCodes(
    sorted.map((_, i) => i),
    sorted.length,
  );
  const numbers = readNumberColumn(columnText(text, codes), sorted.length);
  const hour: HourOfColumns = {
    ...{ hour: 1, n: sorted.length, times: null },
    numbers: () => numbers,
    column: () => null,
  };
  return { hour, sorted };
}

const question = { tenantId: 7, range: { from: null, to: null }, wordHours: new Map() };
const evaluatorOf = (terms: readonly FieldTerm[]) =>
  new Evaluator({ ...question, expression: { kind: 'or', of: [...terms] } }, new Map());
const holds = (verdicts: Verdicts, place: number) =>
  typeof verdicts === 'number'
    ? verdicts === YES
    : (((verdicts.is[place >> 5] as number) >>> (place & 31)) & 1) === 1;

describe('terms about the numbers of an hour', () => {
  it('hold of the same events as compared with each number', () => {
    const number = fc.oneof(
      fc.bigInt({ min: -3n, max: 12n }),
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
      fc.bigInt({ min: 2n ** 53n - 2n, max: 2n ** 53n + 2n }),
    );
    const text = number.map(String);
    const bound = fc.oneof(text, fc.constant(null));
    const terms = fc.oneof(
      fc.oneof(text, fc.constantFrom('', '007', '-0', 'x')).map((value) => term('equals', value)),
      text.map((value) => term('begins', value)),
      fc.constant(term('present', '')),
      fc.record({ from: bound, to: bound }).map((bounds) => term('between', 'x', bounds)),
    );
    const column = fc.uniqueArray(fc.oneof(text, fc.constant('')), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(column, terms, (texts, asked) => {
        const { hour, sorted } = hourOf(texts);
        const verdicts = evaluatorOf([asked]).of(hour);
        expect(sorted.map((_, i) => holds(verdicts, i))).toEqual(
          sorted.map((value) => matchesValue(asked, value)),
        );
      }),
    );
  });

  it('take little time, however many there are', () => {
    const { hour } = hourOf(
      Array.from({ length: COLUMN_VALUES_MAX }, (_, i) => String(4_000_000_000 + 3 * i)),
    );
    const terms = Array.from({ length: LIMITS.expressionTermsMax }, (_, i) => term('equals', String(i)));
    const evaluator = evaluatorOf(terms);
    const from = process.cpuUsage();
    expect(evaluator.of(hour)).toBe(NO);
    // Of the processor, in microseconds. With each number as a text, it was more than two seconds.
    expect(process.cpuUsage(from).user).toBeLessThan(800_000);
  });
});
