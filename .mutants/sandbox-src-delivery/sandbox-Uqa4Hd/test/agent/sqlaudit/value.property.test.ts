import fc from 'fast-check';
import { viewOf } from '../../../agent/sqlaudit/byte-view';
import { filetimeText, filetimeTextAt, soundTicks, tickTime } from '../../../agent/sqlaudit/filetime';
import { utf16Text } from '../../../agent/sqlaudit/text-cache';
import { FILETIME_UNIX_EPOCH, formatTicks } from '../../../src/event/event-time';
import { u64 } from './support/metadata';
import { wide } from './support/sqlaudit-writer';

const UINT64_MAX = 2n ** 64n - 1n;
const YEAR_10000 = 2_650_467_744_000_000_000n;
const filetime = fc.oneof(
  fc.bigInt(0n, YEAR_10000 + 10n ** 12n),
  fc.bigInt(0n, UINT64_MAX),
  fc.bigInt(-20n, 20n).map((near) => YEAR_10000 + near),
  fc.bigInt(0n, 20n),
);

it('a FILETIME has the same text whether it is read from bytes or from a number', () => {
  fc.assert(
    fc.property(filetime, fc.nat(7), (time, padding) => {
      const expected = time < YEAR_10000 ? formatTicks(time - FILETIME_UNIX_EPOCH) : null;
      const { view } = viewOf(Buffer.concat([Buffer.alloc(padding), u64(time)]));
      expect([filetimeTextAt(view, padding), filetimeText(time)]).toEqual([expected, expected]);
    }),
    { numRuns: 2000 },
  );
});

it('every tick count that the fast check accepts has a time', () => {
  const clock = fc.record({ base: fc.bigInt(0n, UINT64_MAX), ticksPerSecond: fc.bigInt(1n, UINT64_MAX) });
  fc.assert(
    fc.property(clock, fc.bigInt(0n, UINT64_MAX), (by, ticks) => {
      const limit = soundTicks(by);
      for (const count of [ticks, BigInt(Math.floor(Math.min(limit, 2 ** 63)))]) {
        if (Number(count) < limit) expect(tickTime(by, count)).not.toBeNull();
      }
    }),
    { numRuns: 2000 },
  );
});

it('a text depends only on its bytes, whatever was read before it', () => {
  // The texts have few letters and the same ends, so that a cache could confuse them.
  const unit = fc.constantFrom('a', 'b', 'ü', '\ud83d', '\0');
  const text = fc.array(unit, { maxLength: 70 }).map((units) => `APP${units.join('')}-01`);
  const short = fc.array(unit, { maxLength: 4 }).map((units) => units.join(''));
  fc.assert(
    fc.property(fc.array(fc.oneof(text, short), { maxLength: 30 }), fc.nat(3), (texts, padding) => {
      for (const expected of [...texts, ...texts]) {
        const bytes = Buffer.concat([Buffer.alloc(padding, 1), wide(expected), Buffer.alloc(1, 1)]);
        const end = padding + 2 * expected.length;
        expect(utf16Text(viewOf(bytes), padding, end)).toBe(expected);
        expect(utf16Text(viewOf(bytes), padding, end + 1)).toBe(expected);
      }
    }),
  );
});
