import fc from 'fast-check';
import { bitsOfCodes, countBits, noBits, placesOf, trim } from '../../../src/store/columns/bits';
import {
  codeAt,
  columnText,
  countAllCodes,
  countCodes,
  packCodes,
  readColumn,
} from '../../../src/store/columns/codec';

/**
 * The numbers of values: for each width of a code, the most values and fewer. The hours end within a word, within a
 * byte, or at the end of one.
 */
const VALUES = [1, 2, 3, 4, 5, 16, 17, 200, 256, 257, 3_000];
const hour = fc.tuple(fc.constantFrom(...VALUES), fc.integer({ min: 1, max: 140 })).chain(([values, n]) =>
  fc.record({
    values: fc.constant(values),
    codes: fc.array(fc.nat({ max: values - 1 }), { minLength: n, maxLength: n }),
    flags: fc.array(fc.constantFrom(0, 1), { minLength: values, maxLength: values }),
    within: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: n, maxLength: n }),
  }),
);

const columnOf = (codes: readonly number[], values: number) => {
  const ids = Array.from({ length: values }, (_, code) => 7 + 3 * code);
  return { ids, column: readColumn(columnText(ids.join(','), packCodes(codes, values)), codes.length) };
};

describe('the column of an hour', () => {
  it('returns the value of each event', () => {
    fc.assert(
      fc.property(hour, ({ codes, values }) => {
        const { ids, column } = columnOf(codes, values);
        expect([...column.ids]).toEqual(ids);
        expect(codes.map((_, place) => codeAt(column, place))).toEqual(codes);
      }),
    );
  });

  it('finds the events that have one of several values, among all events or among given ones', () => {
    fc.assert(
      fc.property(hour, ({ codes, values, flags, within }) => {
        const { column } = columnOf(codes, values);
        const expected = codes.flatMap((code, place) => (flags[code] === 1 ? [place] : []));
        const bits = bitsOfCodes(column, Uint8Array.from(flags), codes.length);
        trim(bits, codes.length);
        expect(countBits(bits)).toBe(expected.length);
        expect([...placesOf(bits, expected.length)]).toEqual(expected);
        // A quarter of the events is asked about, with stretches without any.
        const asked = noBits(codes.length);
        const isAsked = (place: number) => within[place] === 0 && Math.floor(place / 32) % 2 === 0;
        for (const place of codes.keys())
          if (isAsked(place)) (asked[place >> 5] as number) |= 1 << (place & 31);
        const some = bitsOfCodes(column, Uint8Array.from(flags), codes.length, asked);
        for (const place of codes.keys())
          if (isAsked(place))
            expect(((some[place >> 5] as number) >>> (place & 31)) & 1).toBe(flags[codes[place] as number]);
      }),
    );
  });

  it('counts the events of each value, among all events or among given ones', () => {
    fc.assert(
      fc.property(hour, ({ codes, values, within }) => {
        const { column } = columnOf(codes, values);
        const countOf = (places: readonly number[]) => {
          const counts = new Array<number>(values).fill(0);
          for (const place of places) (counts[codes[place] as number] as number)++;
          return counts;
        };
        const all = new Int32Array(values);
        countAllCodes(column, codes.length, all);
        expect([...all]).toEqual(countOf([...codes.keys()]));
        const places = [...codes.keys()].filter((place) => within[place] === 0);
        const some = new Int32Array(values);
        countCodes(column, Uint32Array.from(places), some);
        expect([...some]).toEqual(countOf(places));
      }),
    );
  });

  it('is refused if it has fewer codes than the hour has events', () => {
    expect(() => readColumn(columnText('1,2', packCodes([0, 1, 1], 2)), 9)).toThrow(RangeError);
  });
});
