import { HOUR_MS, parseTicks, TICKS_PER_MS } from '../../../src/event/event-time';
import type { Expression, FieldTerm } from '../../../src/event/expression/expression';
import type { TimeRange } from '../../../src/event/query';
import { columnText, packCodes, readColumn } from '../../../src/store/columns/codec';
import { type ColumnField, kindOf, OUTCOME } from '../../../src/store/columns/column-fields';
import {
  cutHours,
  Evaluator,
  type HourOfColumns,
  keysOfTerm,
  type NumberedValue,
  numberedTerms,
} from '../../../src/store/columns/evaluate';
import { MAYBE, NO, type Verdicts, YES } from '../../../src/store/columns/verdicts';
import { holdingOf } from '../../support/holding';

const START = parseTicks('2026-01-05T10:00:00Z') ?? 0n;
const HOUR = Number(START / (BigInt(HOUR_MS) * TICKS_PER_MS));
const ALWAYS: TimeRange = { from: null, to: null };
const word = (text: string): Expression => ({ kind: 'words', term: { kind: 'word', text } });
const term = (field: ColumnField, text: string, how: FieldTerm['how'] = 'equals'): FieldTerm => ({
  kind: 'field',
  field,
  how,
  text,
  isFolded: false,
});

/** An hour whose events have these numbers of values, and these times within it. */
function hourOf(
  columns: Partial<Record<ColumnField, readonly number[]>>,
  times: readonly number[] | null = null,
): HourOfColumns {
  const n = times?.length ?? Object.values(columns)[0]?.length ?? 3;
  return {
    hour: HOUR,
    n,
    times: times && Int32Array.from(times),
    numbers: () => null,
    column: (field) => {
      const numbers = columns[field];
      if (!numbers) return null;
      const ids = [...new Set(numbers)].sort((a, b) => a - b);
      const codes = numbers.map((number) => ids.indexOf(number));
      return readColumn(columnText(ids.join(','), packCodes(codes, ids.length)), n);
    },
  };
}

/** The verdict on each of some events. */
const verdictsOn = (n: number, verdicts: Verdicts) =>
  Array.from({ length: n }, (_, place) => {
    if (typeof verdicts === 'number') return verdicts;
    const has = (bits: Uint32Array) => ((bits[place >> 5] as number) >>> (place & 31)) & 1;
    return has(verdicts.is) ? YES : has(verdicts.can) ? MAYBE : NO;
  });

const evaluated = (
  expression: Expression | null,
  hour: HourOfColumns,
  {
    range = ALWAYS,
    values = [],
    wordHours = new Map(),
  }: {
    range?: TimeRange;
    values?: readonly NumberedValue[];
    wordHours?: ReadonlyMap<string, ReadonlySet<number>>;
  } = {},
) =>
  verdictsOn(
    hour.n,
    new Evaluator(
      { tenantId: 7, expression, range, wordHours },
      holdingOf(numberedTerms(expression), values),
    ).of(hour),
  );

describe('what columns tell of an hour', () => {
  describe('of a word', () => {
    const [key = ''] = keysOfTerm({ kind: 'word', text: 'salary' });
    const [other = ''] = keysOfTerm({ kind: 'word', text: 'payroll' });
    const hour = hourOf({ actionId: [1, 1, 1] });

    it('that no hour was asked about: it may be there', () => {
      expect(evaluated(word('salary'), hour)).toEqual([MAYBE, MAYBE, MAYBE]);
      expect(evaluated(word('salary'), hour, { wordHours: new Map([[other, new Set()]]) })).toEqual([
        ...[MAYBE, MAYBE, MAYBE],
      ]);
    });

    it('whose hours are known: in another hour it is not, and in this one it may be', () => {
      const known = (hours: number[]) => ({ wordHours: new Map([[key, new Set(hours)]]) });
      expect(evaluated(word('salary'), hour, known([HOUR + 1]))).toEqual([NO, NO, NO]);
      expect(evaluated(word('salary'), hour, known([HOUR]))).toEqual([MAYBE, MAYBE, MAYBE]);
      expect(evaluated({ kind: 'not', of: word('salary') }, hour, known([]))).toEqual([YES, YES, YES]);
    });

    it('of a phrase: one absent word is enough', () => {
      const phrase: Expression = { kind: 'words', term: { kind: 'phrase', text: '- salary payroll -' } };
      const wordHours = new Map([
        [key, new Set([HOUR])],
        [other, new Set([HOUR + 1])],
      ]);
      expect(evaluated(phrase, hour, { wordHours })).toEqual([NO, NO, NO]);
    });
  });

  describe('of a time range that cuts it', () => {
    // Events at 0, 999, 1000 and 1001 ms, and in the last one.
    const hour = hourOf({}, [0, 999, 1_000, 1_001, HOUR_MS - 1]);
    const second = START + 1_000n * TICKS_PER_MS;

    it.each([
      ['to a whole millisecond, which is not in it', { from: null, to: second }, [YES, YES, NO, NO, NO]],
      ['to a tick later, which one has to read', { from: null, to: second + 1n }, [YES, YES, MAYBE, NO, NO]],
      ['to a tick earlier', { from: null, to: second - 1n }, [YES, MAYBE, NO, NO, NO]],
      ['from a whole millisecond, which is in it', { from: second, to: null }, [NO, NO, YES, YES, YES]],
      ['from a tick later', { from: second + 1n, to: null }, [NO, NO, MAYBE, YES, YES]],
      ['from a tick earlier', { from: second - 1n, to: null }, [NO, MAYBE, YES, YES, YES]],
      ['of one millisecond', { from: second, to: second + TICKS_PER_MS }, [NO, NO, YES, NO, NO]],
      ['of less', { from: second + 1n, to: second + 5n }, [NO, NO, MAYBE, NO, NO]],
      [
        'that ends with the hour',
        { from: null, to: START + BigInt(HOUR_MS) * TICKS_PER_MS },
        [YES, YES, YES, YES, YES],
      ],
    ])('%s', (_, range, expected) => {
      expect(evaluated(null, hour, { range })).toEqual(expected);
    });

    it('needs the times of the hours that a bound cuts, and of no other', () => {
      const at = (ms: number) => START + BigInt(ms) * TICKS_PER_MS;
      expect(cutHours({ from: at(0), to: at(HOUR_MS) })).toEqual([]);
      expect(cutHours({ from: at(1), to: at(HOUR_MS) - 1n })).toEqual([HOUR, HOUR]);
      expect(cutHours({ from: at(0) - 1n, to: at(HOUR_MS) + 1n })).toEqual([HOUR - 1, HOUR + 1]);
    });

    it('cannot be told without times', () => {
      const range = { from: null, to: second };
      expect(evaluated(null, { ...hour, times: null }, { range })).toEqual(Array(5).fill(MAYBE));
    });
  });

  describe('of a field', () => {
    const kind = kindOf('hostName') ?? 0;
    const numbered = (...all: [number, string][]) => all.map(([id, value]) => ({ kind, id, value }));
    const hour = hourOf({ hostName: [2, 5, 9, 2], succeeded: [OUTCOME.failed, OUTCOME.succeeded, 0, 0] });

    it('whose values are known, by their numbers; larger numbers are of other values', () => {
      const values = numbered([2, 'APP01'], [5, '']);
      expect(evaluated(term('hostName', 'APP01'), hour, { values })).toEqual([YES, NO, NO, YES]);
      expect(evaluated(term('hostName', '', 'present'), hour, { values: numbered([5, '']) })).toEqual([
        ...[YES, NO, YES, YES],
      ]);
      expect(evaluated(term('hostName', 'OTHER'), hour)).toEqual([NO, NO, NO, NO]);
      expect(evaluated(term('hostName', '', 'present'), hour)).toEqual([YES, YES, YES, YES]);
    });

    it('ignores values of other fields with the same numbers', () => {
      const values = [{ kind: kind + 1, id: 2, value: 'APP01' }];
      expect(evaluated(term('hostName', 'APP01'), hour, { values })).toEqual([NO, NO, NO, NO]);
    });

    it('that the hour has no column of: it has to be read', () => {
      expect(evaluated(term('clientIp', '10.0.0.1'), hour)).toEqual([MAYBE, MAYBE, MAYBE, MAYBE]);
      expect(evaluated({ kind: 'not', of: term('clientIp', 'x') }, hour)).toEqual(Array(4).fill(MAYBE));
    });

    it('that every event has, and of the tenant', () => {
      expect(evaluated(term('succeeded', '', 'present'), hourOf({}))).toEqual([YES, YES, YES]);
      const tenant = (text: string) => term('tenantId' as ColumnField, text);
      expect(evaluated(tenant('7'), hour)).toEqual(Array(4).fill(YES));
      expect(evaluated(tenant('8'), hour)).toEqual(Array(4).fill(NO));
    });

    it('joined with others: what one part excludes, no other part brings back', () => {
      const values = numbered([2, 'APP01'], [5, 'APP02'], [9, 'APP03']);
      const is = (name: string) => term('hostName', name);
      const either: Expression = { kind: 'or', of: [is('APP01'), is('APP03')] };
      expect(evaluated(either, hour, { values })).toEqual([YES, NO, YES, YES]);
      const all: Expression = { kind: 'and', of: [either, { kind: 'not', of: is('APP03') }, word('x')] };
      expect(evaluated(all, hour, { values })).toEqual([MAYBE, NO, NO, MAYBE]);
      const none: Expression = { kind: 'and', of: [is('APP01'), is('APP02'), term('clientIp', 'x')] };
      expect(evaluated(none, hour, { values })).toEqual([NO, NO, NO, NO]);
    });
  });
});
