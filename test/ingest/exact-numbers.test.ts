import fc from 'fast-check';
import { isAltered, numberOrText } from '../../src/graphql/exact-numbers';

describe('a number of JSON is kept as a number', () => {
  it.each([
    '0',
    '-1',
    '55',
    '1.5',
    '1.50',
    '1e2',
    '1E+2',
    '0.1',
    '1e21',
    '5e-324',
    '9007199254740991',
    '0e999',
    '-0.5',
  ])('if its value stays the same: %s', (text) =>
    expect([numberOrText(text), isAltered(text)]).toEqual([Number(text), false]),
  );

  it('if JavaScript writes it as JSON', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        expect(numberOrText(JSON.stringify(number))).toBe(number === 0 ? 0 : number);
      }),
    );
  });
});

describe('a number of JSON is kept as its text', () => {
  it.each([
    ...['1e400', '-1e400', '1e-400', '12345678901234567890', '9007199254740993', '-0', '-0.0'],
    ...['1.0000000000000000001', '9007199254740991.3', `1${'0'.repeat(400)}`, `0.${'1'.repeat(1_000_000)}`],
  ])('if its value would change: %s', (text) => expect(numberOrText(text)).toBe(text));

  it('whatever its digits are, and none is lost', () => {
    const digits = fc.stringMatching(/^[1-9]\d{16,20}$/);
    fc.assert(
      fc.property(digits, (text) => {
        const kept = numberOrText(text);
        expect(typeof kept === 'number' ? JSON.stringify(kept) : kept).toBe(text);
      }),
    );
  });
});
