import fc from 'fast-check';
import { grownMs, Rests } from '../../src/rests';

describe('rests after failures', () => {
  let nowMs = 0;
  const rests = () => new Rests<string>(() => nowMs);
  beforeEach(() => {
    nowMs = 1_000_000;
  });

  it('leave a thing alone for the time of its number of failures in a row, and the others not', () => {
    const own = rests();
    const waitMs = (failures: number) => 70 * failures;
    for (const ms of [70, 140]) {
      expect(own.failed('a', waitMs)).toBe(ms);
      expect(['a', 'b'].map((key) => own.isResting(key))).toEqual([true, false]);
      nowMs += ms - 1;
      expect(own.isResting('a')).toBe(true);
      nowMs += 1;
      expect(own.isResting('a')).toBe(false);
    }
    own.end('a');
    expect([own.isResting('a'), own.failed('a', waitMs)]).toEqual([false, 70]);
  });

  it('forget things that are gone', () => {
    const own = rests();
    for (const key of ['a', 'b']) own.failed(key, () => 50);
    own.keepOnly(new Set(['b']));
    expect(['a', 'b'].map((key) => own.isResting(key))).toEqual([false, true]);
  });

  it('end at the latest after their time, however the clock is set', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 90_000 }), fc.integer({ min: -1e9, max: 1e9 }), (ms, setMs) => {
        const own = rests();
        own.failed('a', () => ms);
        nowMs += setMs;
        const isResting = own.isResting('a');
        nowMs += ms;
        expect([isResting, own.isResting('a')]).toEqual([
          setMs >= 0 && setMs < ms,
          setMs < 0 && setMs + ms >= 0 && setMs + ms < ms,
        ]);
      }),
    );
  });

  it('grow from the first wait to the longest, twice as long each time', () => {
    const growth = { firstMs: 30, mostMs: 500 };
    expect([1, 2, 3, 4, 5, 6, 1_000_000].map((failures) => grownMs(growth, failures))).toEqual([
      ...[30, 60, 120, 240, 480],
      ...[500, 500],
    ]);
  });
});
