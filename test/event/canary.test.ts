import fc from 'fast-check';
import { type Canary, canaryNumber, canaryStates } from '../../src/event/canary';

const MINUTE_MS = 60_000;
const START_MS = Date.parse('2026-02-03T08:00:00Z');
const canary = (number: number, minutes: number, serverInstanceName = 'PAY01', eventId = '4711'): Canary => ({
  serverInstanceName,
  eventId,
  number,
  atMs: START_MS + minutes * MINUTE_MS,
});
const minute = (minutes: number) => START_MS + minutes * MINUTE_MS;

describe('a canary', () => {
  it.each([
    ['seq=17', 17],
    ['canary, seq=0', 0],
    ['seq=17;x', 17],
    ['ａseq=17', null],
    ['myseq=17', null],
    ['seq=', null],
    ['seq=-1', null],
    ['seq=1234567890123456', null],
    ['SEQ=17', null],
    ['', null],
    [null, null],
  ])('%j has the number %j', (text, number) => {
    expect(canaryNumber(text)).toBe(number);
  });

  it('comes behind the one with the lower number if both have the same time', () => {
    const [state] = canaryStates([canary(7, 5), canary(9, 5), canary(8, 5), canary(6, 0)], minute(6));
    expect([state?.newest.number, state?.missing]).toEqual([9, []]);
  });

  it('is in a series of its instance and event id, and series do not mix', () => {
    const states = canaryStates(
      [canary(1, 0), canary(2, 5), canary(40, 5, 'PAY01', '4712'), canary(9, 5, 'WEB01'), canary(3, 10)],
      minute(11),
    );
    expect(states.map(({ newest, missing }) => [newest.serverInstanceName, newest.number, missing])).toEqual([
      ['PAY01', 3, []],
      ['PAY01', 40, []],
      ['WEB01', 9, []],
    ]);
  });

  it('is overdue two intervals after the newest one, and never without an interval', () => {
    const three = [canary(1, 0), canary(2, 5), canary(3, 10)];
    expect(canaryStates(three, minute(20))).toMatchObject([{ intervalMs: 5 * MINUTE_MS, isOverdue: false }]);
    expect(canaryStates(three, minute(20) + 1)).toMatchObject([{ isOverdue: true }]);
    expect(canaryStates([canary(1, 0)], minute(900))).toMatchObject([{ intervalMs: null, isOverdue: false }]);
  });

  it('comes at the usual interval, which is neither the shortest nor the longest one', () => {
    const late = [canary(1, 0), canary(2, 1), canary(3, 6), canary(4, 11), canary(5, 40)];
    expect(canaryStates(late, minute(41))).toMatchObject([{ intervalMs: 5 * MINUTE_MS }]);
  });

  it('begins anew with a lower number, and one that came twice is one', () => {
    const states = canaryStates(
      [canary(7, 0), canary(8, 5), canary(1, 10), canary(1, 10), canary(2, 15)],
      minute(16),
    );
    expect(states).toMatchObject([{ missing: [], newest: { number: 2 } }]);
  });

  it('is missing exactly where its number is, whatever the order in which records come', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.integer({ min: 1, max: 60 }), { minLength: 1 }),
        fc.integer({ min: 1, max: 30 }),
        (numbers, minutes) => {
          const [state] = canaryStates(
            numbers.map((number) => canary(number, number * minutes)),
            minute(61 * minutes),
          );
          const [first, last] = [Math.min(...numbers), Math.max(...numbers)];
          const absent = Array.from({ length: last - first }, (_, i) => first + i).filter(
            (number) => !numbers.includes(number),
          );
          const told = (state?.missing ?? []).flatMap((range) =>
            Array.from({ length: range.last - range.first + 1 }, (_, i) => range.first + i),
          );
          expect(told).toEqual(absent);
          if (numbers.length > 1) expect(state?.intervalMs).toBe(minutes * MINUTE_MS);
        },
      ),
    );
  });
});
